"""Settlement pages: open balances of a table, an evening or everything, plans that clear them, and payments made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import HiddenField, StringField, ValidationError

from ..circles import access
from ..db.outcome import Conflict, Done, Stale
from ..games import games
from ..models import HOST, SCORE, Circle, Payment, Player, Settlement, may
from ..people.people import set_banker
from ..people.players import find_banker, read_ids_by_token, read_persons
from ..scoring.problems import Problem
from ..scoring.settlement import Transfer
from ..scoring.sheet import subunits_per_counter
from ..scoring.standing import POT
from ..scoring.values import NOTHING_SHOWN
from ..site.amounts import format_amount, is_account, name_of_settlement, open_amount, parse_payment
from ..site.forms import Form, ProblemForm, SwitchField, WriteForm, make_etag, parse_id, require_shown
from ..site.language import in_name_order
from ..tables import access as table_access
from ..tables.reading import has_tables_of
from ..tables.state import TableState
from . import balances, confirmations, payment_history, payments
from .balances import Account, currencies_to_choose, read_open_accounts, set_in_cash
from .confirmations import payment_numbered, read_waiting_payments
from .payments import PaymentRequest
from .scopes import Scope, events_in, is_settled_apart
from .unpaid import is_in_cash

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
    return render_template(
        "money/payments.html",
        circle=circle,
        payments=payment_history.list_payments(circle, before=parse_id(request.args.get("before"))),
        **_common_variables(circle, read_persons(circle)),
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
        settlement=settlement,
        back_url=make_url(name, key),
    )


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


blueprint.app_template_global()(is_settled_apart)
blueprint.app_template_global()(make_etag)
blueprint.app_template_global()(name_of_settlement)
blueprint.app_template_global()(currencies_to_choose)
blueprint.app_template_global()(is_in_cash)


# --- rendering ---------------------------------------------------------------------------------------------


class PaymentForm(ProblemForm, WriteForm):
    """A payment that was made; `seen` is the ETag of the last payment that the page showed.

    `of` is the key of what the payment settles, `at` that of the page it was entered on: see `settlements.py`.
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
    players = read_persons(circle)
    accounts = _shown_accounts(circle, scope)
    return render_template(
        "money/open.html",
        circle=circle,
        scope=scope,
        page_key=make_key(scope),
        table=table,
        accounts=accounts,
        events=events_in(circle, scope),
        form_keys={(make_key(scope, account.game), account.key) for account in accounts.values()},
        wider_settlements=balances.find_wider_settlements(circle, scope),
        payments_made=[] if scope.is_everything else payment_history.list_payments_in(circle, scope),
        waiting=[payment for payment in read_waiting_payments(circle) if scope.contains(payment.settlement)],
        pairwise_payments=_pairwise_payments(table) if table is not None else [],
        rejection=rejection,
        **_common_variables(circle, players),
    )


def _shown_accounts(circle: Circle, scope: Scope) -> dict[str, Account]:
    """Return the scope's accounts with what was won and paid; of everything, those in which anything is open."""
    accounts = balances.read_all_accounts(circle, scope)
    is_shown = {id_: not scope.is_everything or any(account.subunits.values()) for id_, account in accounts.items()}
    return {id_: account for id_, account in accounts.items() if is_shown[id_]}


def _settlement_page(circle: Circle, settlement: Settlement, rejection: Rejection | None = None) -> str:
    players, payments = read_persons(circle), payment_history.list_payments_for(settlement)
    waiting = [payment for payment in read_waiting_payments(circle) if payment.settlement_id == settlement.id]
    return render_template(
        "money/settlement.html",
        circle=circle,
        settlement=settlement,
        page_key=f"settlement:{settlement.token}",
        unpaid=balances.make_unpaid_account(settlement, balances.get_names(players), waiting),
        waiting=waiting,
        scope_url=_url_of_plan(circle, settlement),
        payments=payments,
        withdrawn={payment.withdraws for payment in payments},
        persons=in_name_order(payment_history.players_in(settlement, players)),
        rejection=rejection,
        **_common_variables(circle, players),
    )


def _url_of_plan(circle: Circle, settlement: Settlement) -> str:
    """Return the URL of the page that plans how to pay what is unpaid of a settlement."""
    if settlement.event is not None and may(g.browser.right, SCORE):
        return url_for("event_director.show_money", token=settlement.event.token)
    return make_url(circle.name, make_key(Scope(table=settlement.table, day=settlement.day)))


def _rejection_page(name: str, rejection: Rejection) -> str:
    """Render the page that a payment was sent from as it is now, with what was entered and why it was rejected."""
    circle = access.get_circle_or_404(name, SCORE).circle
    scope, settlement = parse_key_or_404(circle, rejection.form.at.data or "")
    if settlement is not None:
        return _settlement_page(circle, settlement, rejection)
    table = table_access.get_table_or_404(scope.table.token) if scope.table is not None else None
    return _open_page(circle, scope, table, rejection)


def _common_variables(circle: Circle, players: Mapping[int, Player]) -> dict[str, Any]:
    """Return the template variables of every page with payments; `form` is blank, for a payment that follows."""
    people = {person.id: person for person in players.values()}
    banker = find_banker(people.values())
    return {
        "people": in_name_order(people.values()),
        "tokens_by_name": {person.name: person.token for person in people.values()},
        "banker": banker.name if banker is not None else None,
        "form": PaymentForm(formdata=None, seen=find_last_etag(circle)),
        "just_paid": _just_paid(circle),
    }


def find_last_etag(circle: Circle) -> str:
    """Return the ETag of the circle's last payment or withdrawal."""
    return next(map(make_etag, payment_history.list_payments(circle, limit=1)), NOTHING_SHOWN)


def _last_number(circle: Circle, form: PaymentForm) -> int:
    """Return the number of the last payment that the page showed; −1, which is always stale, if it is not here."""
    seen = form.seen.data or ""
    number = parse_id(seen.partition(".")[0]) or 0
    payment = payment_numbered(circle, number)
    return number if seen == (make_etag(payment) if payment is not None else NOTHING_SHOWN) else -1


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


@blueprint.app_template_global()
def confirmable_numbers(circle: Circle, payments: Sequence[Payment]) -> set[int]:
    """Return the numbers of those of the payments that this browser may confirm."""
    return confirmations.confirmable(circle, g.browser, payments) if payments else set()


@blueprint.app_template_global()
def count_waiting_for_me() -> int:
    """Return how many payments wait for the confirmation of this browser's player."""
    return confirmations.count_waiting_for(g.browser)


@blueprint.app_template_global()
def just_confirmed(payments: Sequence[Payment]) -> Payment | None:
    """Return the payment of these that was just confirmed, `?confirmed=<number>`, or was withdrawn just before."""
    number = parse_id(request.args.get("confirmed"))
    return next((payment for payment in payments if payment.number == number and payment.withdraws is None), None)


def list_open_amounts(circle: Circle, name: str) -> list[str]:
    """Say what is open of the person with this name, in each account."""
    amounts = ((account.key, account.coins.get(name, 0)) for account in read_open_accounts(circle, Scope()).values())
    return [open_amount(key, amount) for key, amount in amounts if amount]
