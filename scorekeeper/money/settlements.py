"""Settlement pages: open balances of a table, an evening or everything, plans that clear them, and payments made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import HiddenField, StringField, ValidationError

from ..circles import access
from ..db.outcome import Conflict, Done, Stale
from ..games import games
from ..i18n import in_name_order
from ..models import HOST, SCORE, Circle, Payment, Player, Settlement, may
from ..people.people import set_banker
from ..people.players import find_banker, read_ids_by_token, read_persons
from ..scoring.problems import Problem
from ..scoring.settlement import Transfer
from ..scoring.sheet import subunits_per_counter
from ..scoring.standing import POT
from ..scoring.values import NOTHING_SHOWN
from ..site.amounts import format_amount, is_account, name_of_settlement, open_amount, parse_payment
from ..site.around import find_event_url
from ..site.forms import Form, ProblemForm, SwitchField, WriteForm, parse_id, require_shown
from ..tables import access as table_access
from ..tables.reading import has_tables_of
from ..tables.state import TableState
from . import balances, confirmations, payment_history, payments
from .balances import Account, read_open_accounts, set_in_cash
from .confirmations import payment_numbered, read_waiting_payments
from .payment_history import BalanceSource
from .payments import PaymentRequest
from .scopes import Scope, events_in
from .shown import Plans, ShownAccount, list_roundings, name_account, say_remainder, show_payments, show_wider

blueprint = Blueprint("settlements", __name__)


@blueprint.get("/circles/<name>/settlement")
def everything(name: str) -> str:
    """Show all open balances of a circle."""
    return _open_page(access.get_circle_or_404(name).circle, Scope())


@blueprint.get("/circles/<name>/evenings/<day>/settlement")
def evening(name: str, day: str) -> str:
    """Show the open balances of an evening."""
    return _open_page(access.get_circle_or_404(name).circle, Scope(day=parse_day_or_404(day)))


@blueprint.get("/tables/<token>/settlement")
def of_table(token: str) -> str:
    """Show the open balances of a table."""
    table = table_access.get_table_or_404(token)
    return _open_page(table.stored.circle, Scope(table=table.stored), table)


@blueprint.get("/circles/<name>/settlements/<settlement_token>")
def settlement(name: str, settlement_token: str) -> str:
    """Show a settlement with its payments and what is still to be paid."""
    circle = access.get_circle_or_404(name).circle
    return _settlement_page(circle, get_settlement_or_404(circle, settlement_token))


@blueprint.get("/circles/<name>/payments")
def all_payments(name: str) -> str:
    """List a circle's payments, newest first; with `?before=<number>`, an older page of them."""
    circle = access.get_circle_or_404(name).circle
    found = payment_history.list_payments(circle, before=parse_id(request.args.get("before")))
    return render_template(
        "money/payments.html",
        circle=circle,
        payments=show_payments(found, withdrawn={payment.withdraws for payment in found}),
        oldest=found[-1].number if len(found) == payment_history.PAGE else None,
    )


@blueprint.get("/circles/<name>/settlement/why")
def explanation(name: str) -> str:
    """Explain the balances behind a payment: those of its giver and its taker, table by table."""
    circle = access.get_circle_or_404(name).circle
    key, account = request.args.get("of", ""), request.args.get("account", "")
    scope, settlement = parse_key_or_404(circle, key)
    if not (is_account(account) or has_tables_of(circle, account)):
        abort(404)
    players, ids = read_persons(circle), read_ids_by_token(circle)
    persons = [players.get(ids.get(request.args.get(role, ""), 0)) for role in ("giver", "taker")]
    sources_by_name = {
        person.name: payment_history.list_parts(settlement, person)
        if settlement is not None
        else payment_history.list_sources(circle, scope, account, person)
        for person in persons
        if person is not None
    }
    return render_template(
        "money/explanation.html",
        circle=circle,
        account=account,
        sources=sources_by_name,
        names=_name_settlements(sources_by_name.values(), settlement),
        back_url=make_url(name, key),
    )


def _name_settlements(sources: Iterable[Sequence[BalanceSource]], explained: Settlement | None) -> dict[int, str]:
    """Return the names of settlements that took over a part of a balance, or from which a part of it is."""
    found = [source.settlement for parts in sources for source in parts if source.settlement is not None]
    return {
        each.id: name_of_settlement(each, "moved-to" if explained and each.id > explained.id else "unpaid-from")
        for each in found
    }


@blueprint.post("/circles/<name>/payments")
def pay(name: str) -> Response | tuple[str, int]:
    """Record a payment that was made."""
    browser = access.get_circle_or_404(name, SCORE)
    form = PaymentForm()
    key, page_key = form.of.data or "", form.at.data or ""
    scope, settlement = parse_key_or_404(browser.circle, key)
    if not (is_account(form.account.data or "") or has_tables_of(browser.circle, form.account.data or "")):
        abort(404)
    if page_key != key:
        parse_key_or_404(browser.circle, page_key)
    if not form.validate():
        return _rejection_page(name, Rejection(form)), 422
    ids = read_ids_by_token(browser.circle)
    payment = PaymentRequest(
        account=form.account.data,
        giver=ids.get(form.giver.data or "", 0),
        taker=ids.get(form.taker.data or "", 0),
        amount=form.subunits,
        scope=scope,
        settlement=settlement,
        last_number=_last_number(browser.circle, form),
        key=form.read_key(),
    )
    result = payments.pay(browser.circle, payment, browser)
    if isinstance(result, Done):
        return redirect(make_url(name, page_key, paid=result.value), 303)
    if isinstance(result, Stale):
        return _rejection_page(name, Rejection(form, since=result.current)), 409
    if isinstance(result, Conflict):
        return _rejection_page(name, Rejection(form, earlier=result.earlier)), 409
    for problem in result.problems:
        form.add_problem(_with_amount(problem, payment.account))
    return _rejection_page(name, Rejection(form)), 422


def _with_amount(problem: Problem, account: str) -> Problem:
    """Format the amount that a problem names."""
    most = problem.params.get("most")
    return (
        problem if most is None else problem._replace(params={**problem.params, "most": format_amount(account, most)})
    )


@blueprint.post("/circles/<name>/payments/<int:number>/withdraw")
def withdraw(name: str, number: int) -> Response:
    """Withdraw a payment that was not made after all."""
    browser = access.get_circle_or_404(name, SCORE)
    payment = payment_numbered(browser.circle, number)
    if payment is None or payment.withdraws is not None:
        abort(404)
    require_shown(payment)
    payments.withdraw(browser.circle, number, browser)
    return redirect(url_for("settlements.all_payments", name=name), 303)


class BankerForm(Form):
    banker = StringField()


@blueprint.post("/circles/<name>/banker")
def banker(name: str) -> Response:
    """Choose the circle's banker; an empty choice is nobody."""
    browser = access.get_circle_or_404(name, SCORE)
    chosen = BankerForm().banker.data
    if chosen is None:
        abort(400)
    id_ = read_ids_by_token(browser.circle).get(chosen, 0)
    if chosen and read_persons(browser.circle).get(id_) is None:
        abort(404)
    set_banker(browser.circle, id_, browser)
    return redirect(url_for("settlements.everything", name=name), 303)


class RoundingForm(Form):
    currency = HiddenField(default="")
    cash = SwitchField()


@blueprint.post("/circles/<name>/rounding")
def rounding(name: str) -> Response:
    """Set whether amounts in a currency are rounded to coins."""
    host = access.get_circle_or_404(name, HOST)
    form = RoundingForm()
    if set_in_cash(host.circle, form.currency.data or "", form.cash.read(), host) is not None:
        abort(400)
    return redirect(url_for("settlements.everything", name=name), 303)


# --- rendering ---------------------------------------------------------------------------------------------


class PaymentForm(ProblemForm, WriteForm):
    """A payment that was made; `seen` is the ETag of the last payment that the page showed.

    `of` is the key of what the payment settles, `at` that of the page it was entered on: see `make_key`.
    """

    of = HiddenField()
    at = HiddenField()
    account = HiddenField()
    giver = HiddenField()
    taker = HiddenField()
    amount = StringField()
    subunits: int  # the amount; set by `validate`

    def validate_amount(self, field: StringField) -> None:
        """Parse the amount in the account's unit."""
        subunits = parse_payment(self.account.data, field.data)
        if isinstance(subunits, Problem):
            raise ValidationError(subunits)
        self.subunits = subunits


@dataclass(frozen=True)
class Rejection:
    """A payment that was sent and not recorded: its form, with the problems, or what it conflicts with."""

    form: PaymentForm
    since: Sequence[Payment] = ()
    earlier: Payment | None = None


def _open_page(
    circle: Circle, scope: Scope, table: TableState | None = None, rejection: Rejection | None = None
) -> str:
    page_key, common = make_key(scope), _common_variables(circle, read_persons(circle), rejection)
    wider = balances.find_wider_settlements(circle, scope)
    made = [] if scope.is_everything else payment_history.list_payments_in(circle, scope)
    waiting = [payment for payment in read_waiting_payments(circle) if scope.contains(payment.settlement)]
    plans = Plans(circle, page_key, common["people"], common["banker"])
    accounts = []
    for account in _shown_accounts(circle, scope):
        is_untouched = table is not None and account.key == table.game.slug and not (made or wider or waiting)
        key, hand_overs = make_key(scope, account.game), _hand_overs(table, plans, account) if is_untouched else ()
        title = name_account(circle, scope, account, table)
        accounts.append(ShownAccount(account, key, title, plans.show(account, key, hand_overs)))
    return render_template(
        "money/open.html",
        circle=circle,
        scope=scope,
        page_key=page_key,
        table=table,
        accounts=accounts,
        main=next((account.due[0] for account in accounts if account.due), None),
        events=events_in(circle, scope),
        form_keys={(account.key, account.account.key) for account in accounts},
        wider_settlements=show_wider(wider),
        payments_made=show_payments(reversed(made)),
        pairwise_payments=_pairwise_payments(table) if table is not None and not made else [],
        roundings=list_roundings(circle) if scope.is_everything and may(g.browser.right, HOST) else [],
        **_waiting_variables(circle, waiting),
        **common,
    )


def _shown_accounts(circle: Circle, scope: Scope) -> list[Account]:
    """Return the scope's accounts with what was won and paid; of everything, those in which anything is open."""
    accounts = balances.read_all_accounts(circle, scope).values()
    return [account for account in accounts if not scope.is_everything or any(account.subunits.values())]


def _hand_overs(table: TableState | None, plans: Plans, account: Account) -> Sequence[object]:
    return table.standing.settlement_hand_overs(account.plan(plans.banker), table.names) if table is not None else ()


def _waiting_variables(circle: Circle, waiting: Sequence[Payment]) -> dict[str, Any]:
    """Return the payments that wait for a confirmation, and the numbers of those that this browser may confirm."""
    return {"waiting": waiting, "confirmable": confirmations.confirmable(circle, g.browser, waiting)}


def _settlement_page(circle: Circle, settlement: Settlement, rejection: Rejection | None = None) -> str:
    players, payments = read_persons(circle), payment_history.list_payments_for(settlement)
    waiting = [payment for payment in read_waiting_payments(circle) if payment.settlement_id == settlement.id]
    unpaid = balances.make_unpaid_account(settlement, balances.get_names(players), waiting)
    withdrawn = {payment.withdraws for payment in payments}
    return render_template(
        "money/settlement.html",
        circle=circle,
        settlement=settlement,
        title=name_of_settlement(settlement),
        page_key=f"settlement:{settlement.token}",
        due=sorted(((name, due) for name, due in unpaid.due.items() if due), key=lambda item: item[0].lower()),
        remainder=say_remainder(unpaid),
        scope_url=_url_of_plan(circle, settlement),
        payments=show_payments(reversed(payments), withdrawn),
        confirmed=next(iter(show_payments(_just_confirmed(payments), withdrawn)), None),
        persons=in_name_order(payment_history.players_in(settlement, players)),
        **_waiting_variables(circle, waiting),
        **_common_variables(circle, players, rejection),
    )


def _just_confirmed(payments: Sequence[Payment]) -> list[Payment]:
    """Return the payment of these that was just confirmed, `?confirmed=<number>`, or was withdrawn just before."""
    number = parse_id(request.args.get("confirmed"))
    return [payment for payment in payments if payment.number == number and payment.withdraws is None]


def _url_of_plan(circle: Circle, settlement: Settlement) -> str:
    """Return the URL of the page that plans how to pay what is unpaid of a settlement."""
    at_event = None
    if settlement.event is not None and may(g.browser.right, SCORE):
        at_event = find_event_url(settlement.event, "money")
    return at_event or make_url(circle.name, make_key(Scope(table=settlement.table, day=settlement.day)))


def _rejection_page(name: str, rejection: Rejection) -> str:
    """Render the page that a payment was sent from as it is now, with what was entered and why it was rejected."""
    circle = access.get_circle_or_404(name, SCORE).circle
    scope, settlement = parse_key_or_404(circle, rejection.form.at.data or "")
    if settlement is not None:
        return _settlement_page(circle, settlement, rejection)
    table = table_access.get_table_or_404(scope.table.token) if scope.table is not None else None
    return _open_page(circle, scope, table, rejection)


def _common_variables(circle: Circle, players: Mapping[int, Player], rejection: Rejection | None) -> dict[str, Any]:
    """Return the template variables of every page with forms; `form` is blank, for a payment that follows."""
    people = {person.id: person for person in players.values()}
    banker = find_banker(people.values())
    earlier = [rejection.earlier] if rejection is not None and rejection.earlier is not None else []
    return {
        "people": in_name_order(people.values()),
        "banker": banker.name if banker is not None else None,
        "form": PaymentForm(formdata=None, seen=find_last_etag(circle)),
        "just_paid": _just_paid(circle),
        "rejection": rejection,
        "earlier": next(iter(show_payments(earlier)), None),
    }


def find_last_etag(circle: Circle) -> str:
    """Return the ETag of the circle's last payment or withdrawal."""
    return next((payment.etag for payment in payment_history.list_payments(circle, limit=1)), NOTHING_SHOWN)


def _last_number(circle: Circle, form: PaymentForm) -> int:
    """Return the number of the last payment that the page showed; −1, which is always stale, if it is not here."""
    seen = form.seen.data or ""
    number = parse_id(seen.partition(".")[0]) or 0
    payment = payment_numbered(circle, number)
    return number if seen == (payment.etag if payment is not None else NOTHING_SHOWN) else -1


def _just_paid(circle: Circle) -> Payment | None:
    """Return the payment that was just recorded, `?paid=<number>`, to be confirmed on the page."""
    number = parse_id(request.args.get("paid"))
    return payment_numbered(circle, number) if number is not None else None


def _pairwise_payments(table: TableState) -> list[Transfer]:
    """Return what each has to pay each other by the rules, added up over the deals, in subunits.

    Only of sides whose winners are paid by the player on their left, as the page says.
    """
    sums: dict[tuple[str, str], int] = {}
    if not (table.game.in_sides and table.stored.has_stakes and _is_paid_from_left(table)):
        return []
    per_counter = subunits_per_counter(table.game, table.value)
    for row in table.standing.rows:
        for entry in row.entries:
            if entry.is_payment and entry.giver is not POT and entry.taker is not POT:
                pair = table.names[entry.giver], table.names[entry.taker]
                sums[pair] = sums.get(pair, 0) + entry.amount * per_counter
    return [Transfer(giver, taker, amount) for (giver, taker), amount in sums.items()]


def _is_paid_from_left(table: TableState) -> bool:
    """Return whether every payment of a deal goes to the player whose left the giver sits on."""
    return all(
        entry.taker is not POT and table.standing.seated_as(row).left_of(entry.taker) == entry.giver
        for row in table.standing.rows
        if isinstance(row.fact, table.game.deal)
        for entry in row.entries
        if entry.is_payment
    )


# --- keys that name what is settled, in URLs and forms: all, day:<date>, table:<token> or settlement:<token>


def parse_day_or_404(text: str) -> date:
    """Return an ISO date; 404 for anything else."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        abort(404)


def get_settlement_or_404(circle: Circle, token: str) -> Settlement:
    """Return a settlement of the circle; 404 if it has none with this token."""
    found = balances.find_settlement(circle, token)
    if found is None:
        abort(404)
    return found


def parse_key_or_404(circle: Circle, key: str) -> tuple[Scope, Settlement | None]:
    """Return the scope that a key names, or the settlement with an empty scope; 404 if it is not in this circle."""
    kind, _, value = key.partition(":")
    if kind == "day":
        day, *game = value.split(":")
        return Scope(day=parse_day_or_404(day), game=_parse_game_or_404(circle, game)), None
    if kind == "table":
        table = table_access.get_table_or_404(value).stored
        if table.circle_id != circle.id:
            abort(404)
        return Scope(table=table), None
    if kind == "settlement":
        return Scope(), get_settlement_or_404(circle, value)
    scope, *game = key.split(":")
    if scope != "all":  # never taken for everything
        abort(404)
    return Scope(game=_parse_game_or_404(circle, game)), None


def _parse_game_or_404(circle: Circle, parts: list[str]) -> str | None:
    """Return the game that ends a key, if any; `parts` is what follows in it."""
    if not parts:
        return None
    slug = parts[0]
    if len(parts) > 1 or not (slug in games() or has_tables_of(circle, slug)):
        abort(404)
    return slug


def make_key(scope: Scope, game: str | None = None) -> str:
    """Return the key of a scope, or of a game in it."""
    if scope.table is not None:
        return f"table:{scope.table.token}"
    key = f"day:{scope.day}" if scope.day is not None else "all"
    return key if game is None else f"{key}:{game}"


def make_url(name: str, key: str, paid: int | None = None) -> str:
    """Return the URL of the page about what the key names; `paid` is the number of a payment to confirm on it."""
    kind, _, value = key.partition(":")
    if kind == "settlement":
        return url_for("settlements.settlement", name=name, settlement_token=value, paid=paid)
    if kind == "table":
        return url_for("settlements.of_table", token=value, paid=paid)
    if kind == "day":
        return url_for("settlements.evening", name=name, day=value.partition(":")[0], paid=paid)
    return url_for("settlements.everything", name=name, paid=paid)


# --- confirming payments


@blueprint.post("/circles/<name>/payments/<int:number>/confirm")
def confirm(name: str, number: int) -> Response:
    """Confirm that a payment arrived: its receiver, or a host for a receiver without a phone in the circle."""
    browser = access.get_circle_or_404(name)
    payment = confirmations.payment_numbered(browser.circle, number)
    if payment is not None and number in confirmations.confirmable(browser.circle, browser, [payment]):
        require_shown(payment)
    settlement_token = confirmations.confirm(browser.circle, number, browser)
    if settlement_token is None:
        abort(404)
    return redirect(
        url_for("settlements.settlement", name=name, settlement_token=settlement_token, confirmed=number), 303
    )


def list_open_amounts(circle: Circle, name: str) -> list[str]:
    """Say what is open of the person with this name, in each account."""
    amounts = ((account.key, account.coins.get(name, 0)) for account in read_open_accounts(circle, Scope()).values())
    return [open_amount(key, amount) for key, amount in amounts if amount]
