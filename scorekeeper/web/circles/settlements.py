"""Settlement pages: open balances of a table, an evening or everything, plans that clear them, and payments made.

URLs and forms name a scope in the fields `of` and `at`: all, day:<date>, table:<token> or settlement:<id>.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...models import Circle, Payment, Player, Settlement
from ...scoring.accounts import subunits_per_counter
from ...scoring.entries import POT
from ...scoring.problems import Problem
from ...scoring.settlement import Transfer
from ...services import SCORE
from ...services.people import banker_of, persons_by_player_id, set_banker
from ...services.settlements import balances, payments
from ...services.settlements.balances import Scope
from ...services.settlements.payments import ConflictingPayment, Paid, PaymentRequest, StalePayment
from ...tables.state import TableState
from ..support import access
from ..support.amounts import is_account, read_payment
from ..support.forms import PaymentForm, parse_id

blueprint = Blueprint("settlements", __name__)


@blueprint.get("/circles/<name>/settlement")
def everything(name: str) -> str:
    """Show all open balances of a circle."""
    return _page(access.get_circle_or_404(name).circle, Scope())


@blueprint.get("/circles/<name>/evenings/<day>/settlement")
def evening(name: str, day: str) -> str:
    """Show the open balances of an evening."""
    return _page(access.get_circle_or_404(name).circle, Scope(day=_day(day)))


@blueprint.get("/tables/<token>/settlement")
def of_table(token: str) -> str:
    """Show the open balances of a table."""
    table = access.get_table_or_404(token)
    return _page(table.table.circle, Scope(table=table.table), table)


@blueprint.get("/circles/<name>/settlements/<int:id_>")
def made(name: str, id_: int) -> str:
    """Show a settlement with its payments and what is still to be paid."""
    circle = access.get_circle_or_404(name).circle
    return _page_of_made(circle, _settlement(circle, id_))


@blueprint.get("/circles/<name>/payments")
def all_payments(name: str) -> str:
    """List a circle's payments, newest first; with `?before=<number>`, an older page of them."""
    circle = access.get_circle_or_404(name).circle
    found = balances.payments_of(circle, before=parse_id(request.args.get("before")))
    return render_template(
        "circles/settlements/payments.html",
        circle=circle,
        payments=found,
        **_people(circle, persons_by_player_id(circle)),
    )


@blueprint.get("/circles/<name>/settlement/why")
def why(name: str) -> str:
    """Explain the balances behind a payment: those of its giver and its taker, table by table."""
    circle = access.get_circle_or_404(name).circle
    scope, settlement = _told_scope(circle, request.args.get("of", ""))
    account = request.args.get("account", "")
    if not is_account(account):
        abort(404)
    people = {str(id_): person for id_, person in persons_by_player_id(circle).items()}
    both = [people.get(request.args.get(role, "")) for role in ("giver", "taker")]
    asked = [person for person in both if person is not None]
    found = {
        person.name: balances.parts_of(settlement, person)
        if settlement is not None
        else balances.sources_of(circle, scope, account, person)
        for person in asked
    }
    back = _address(name, request.args.get("of", ""))
    return render_template(
        "circles/settlements/why.html", circle=circle, account=account, sources=found, of=settlement, back=back
    )


@blueprint.post("/circles/<name>/payments")
def pay(name: str) -> Response | tuple[str, int]:
    """Record a payment that was made."""
    me = access.get_circle_or_404(name, SCORE)
    form = PaymentForm()
    scope, settlement = _told_scope(me.circle, form.of.data or "")
    account, at = form.account.data or "", form.at.data or ""
    if not is_account(account):
        abort(404)
    if at != form.of.data:
        _told_scope(me.circle, at)  # it is there
    amount = read_payment(account, form.amount.data)
    if isinstance(amount, Problem):
        return _again(name, form, problems=(amount,)), 422
    paying = PaymentRequest(
        account=account,
        giver=_number(form.giver.data),
        taker=_number(form.taker.data),
        amount=amount,
        scope=scope,
        settlement=settlement,
        last_number=form.has_seen,
        key=form.entry_key,
    )
    result = payments.pay(me.circle, paying, me)
    if isinstance(result, Paid):
        return redirect(_address(name, at, paid=result.number), 303)
    if isinstance(result, StalePayment):
        return _again(name, form, overtaken=result), 409
    if isinstance(result, ConflictingPayment):
        return _again(name, form, different=result, amount=amount), 409
    return _again(name, form, problems=result.problems), 422


@blueprint.post("/circles/<name>/payments/<int:number>/withdraw")
def withdraw(name: str, number: int) -> Response:
    """Withdraw a payment that was not made after all."""
    me = access.get_circle_or_404(name, SCORE)
    if payments.withdraw(me.circle, number, me) is None:
        abort(404)
    return redirect(url_for("settlements.all_payments", name=name), 303)


@blueprint.post("/circles/<name>/banker")
def banker(name: str) -> Response:
    """Choose the circle's banker; without a player's id, there is none."""
    me = access.get_circle_or_404(name, SCORE)
    set_banker(me.circle, _number(request.form.get("banker")), me)
    return redirect(url_for("settlements.everything", name=name), 303)


# --- what is asked for -------------------------------------------------------------------------------------


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        abort(404)


def _number(text: str | None) -> int:
    """A player's number; 0, which is nobody's, for anything else."""
    return parse_id(text) or 0


def _settlement(circle: Circle, id_: int) -> Settlement:
    found = balances.settlement_of(circle, id_)
    if found is None:
        abort(404)
    return found


def _told_scope(circle: Circle, told: str) -> tuple[Scope, Settlement | None]:
    kind, _, which = told.partition(":")
    if kind == "day":
        return Scope(day=_day(which)), None
    if kind == "table":
        table = access.get_table_or_404(which).table
        if table.circle_id != circle.id:
            abort(404)
        return Scope(table=table), None
    if kind == "settlement":
        return Scope(), _settlement(circle, _number(which))
    return Scope(), None


# --- what is shown -----------------------------------------------------------------------------------------


def _page(circle: Circle, scope: Scope, table: TableState | None = None, **more: Any) -> str:
    accounts = balances.open_accounts(circle, scope)
    players = persons_by_player_id(circle)
    names = balances.names_of(players)
    unpaid = [] if scope.is_everything else balances.settlements_of(circle, scope)
    return render_template(
        "circles/settlements/open.html",
        circle=circle,
        scope=scope,
        at=_of(scope),
        table=table,
        accounts=accounts,
        under_way=[(one, balances.unpaid_account(one, names)) for one in unpaid],
        custom=_as_they_fell(table) if table is not None and table.game.in_sides else [],
        **_people(circle, players),
        **more,
    )


def _page_of_made(circle: Circle, settlement: Settlement, **more: Any) -> str:
    players = persons_by_player_id(circle)
    return render_template(
        "circles/settlements/made.html",
        circle=circle,
        settlement=settlement,
        at=f"settlement:{settlement.id}",
        left=balances.unpaid_account(settlement, balances.names_of(players)),
        paid=balances.payments_for(settlement),
        concerned=balances.players_in(settlement, players),
        **_people(circle, players),
        **more,
    )


def _again(name: str, form: PaymentForm, **more: Any) -> str:
    """The page a payment was told on as it is now, with what was typed still there and what is wrong with it."""
    circle = access.get_circle_or_404(name, SCORE).circle
    scope, settlement = _told_scope(circle, form.at.data or "")
    if settlement is not None:
        return _page_of_made(circle, settlement, told=form, **more)
    table = access.get_table_or_404(scope.table.token) if scope.table is not None else None
    return _page(circle, scope, table, told=form, **more)


def _people(circle: Circle, players: Mapping[int, Player]) -> dict[str, Any]:
    """What every page of payments needs: the players, the banker, and a form that has seen the last payment."""
    people = {person.id: person for person in players.values()}
    banker = banker_of(people.values())
    return {
        "people": sorted(people.values(), key=lambda person: person.name),
        "ids": {person.name: person.id for person in people.values()},
        "banker": banker.name if banker is not None else None,
        "form": PaymentForm(formdata=None, seen=balances.last_number(circle)),
        "just_paid": _just_paid(circle),
    }


def _just_paid(circle: Circle) -> Payment | None:
    """Return the payment that was just recorded, `?paid=<number>`, to be confirmed on the page."""
    number = parse_id(request.args.get("paid"))
    newest = balances.payments_of(circle, before=number + 1, limit=1) if number is not None else []
    return next((payment for payment in newest if payment.number == number), None)


def _of(scope: Scope) -> str:
    if scope.table is not None:
        return f"table:{scope.table.token}"
    return f"day:{scope.day}" if scope.day is not None else "all"


def _address(name: str, at: str, paid: int | None = None) -> str:
    """The page that is called so in forms and links, which `_told_scope` has found."""
    kind, _, which = at.partition(":")
    if kind == "settlement":
        return url_for("settlements.made", name=name, id_=_number(which), paid=paid)
    if kind == "table":
        return url_for("settlements.of_table", token=which, paid=paid)
    if kind == "day":
        return url_for("settlements.evening", name=name, day=which, paid=paid)
    return url_for("settlements.everything", name=name, paid=paid)


def _as_they_fell(table: TableState) -> list[Transfer]:
    """What each player has to give each other by the rules themselves, robre by robre, added up; in grains."""
    due: dict[tuple[str, str], int] = {}
    each = subunits_per_counter(table.game, table.value)
    for row in table.standing.rows:
        for entry in row.entries:
            if entry.is_payment and entry.giver is not POT and entry.taker is not POT:
                pair = table.names[entry.giver], table.names[entry.taker]
                due[pair] = due.get(pair, 0) + entry.amount * each
    return [Transfer(giver, taker, amount) for (giver, taker), amount in due.items()]
