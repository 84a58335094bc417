"""Settling up: what is open at a table, of an evening or in all; plans that clear it; the payments that were made."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from .. import currency
from ..book import SCORE, payments, settling
from ..book.payments import Overtaken, Paid, Paying
from ..book.people import banker_of, name_banker, persons
from ..book.settling import Scope
from ..games import games
from ..scoring.accounts import grains_of_a_counter, is_currency, to_grains
from ..scoring.ledger import POT
from ..scoring.remarks import Remark
from ..scoring.settlement import Payment as Planned
from ..store import Circle, Player, Settlement
from ..table import Open
from . import access
from .forms import PaymentForm, told_number

blueprint = Blueprint("settling", __name__)

MOST_DIGITS = 18  # in an amount that is typed


@blueprint.get("/circles/<name>/settlement")
def everything(name: str) -> str:
    return _page(access.circle_or_not_yours(name).circle, Scope())


@blueprint.get("/circles/<name>/evenings/<day>/settlement")
def evening(name: str, day: str) -> str:
    return _page(access.circle_or_not_yours(name).circle, Scope(day=_day(day)))


@blueprint.get("/tables/<token>/settlement")
def of_table(token: str) -> str:
    table = access.table_or_not_yours(token)
    return _page(table.table.circle, Scope(table=table.table), table)


@blueprint.get("/circles/<name>/settlements/<int:id_>")
def made(name: str, id_: int) -> str:
    circle = access.circle_or_not_yours(name).circle
    return _page_of_made(circle, _settlement(circle, id_))


@blueprint.get("/circles/<name>/payments")
def all_payments(name: str) -> str:
    circle = access.circle_or_not_yours(name).circle
    found = settling.payments_of(circle, before=told_number(request.args.get("before")))
    return render_template(
        "settlement/payments.html", circle=circle, payments=found, **_people(circle, persons(circle))
    )


@blueprint.get("/circles/<name>/settlement/why")
def why(name: str) -> str:
    """What the balances of the two players of a payment are made of, table by table."""
    circle = access.circle_or_not_yours(name).circle
    scope, settlement = _told_scope(circle, request.args.get("of", ""))
    account = request.args.get("account", "")
    if not _is_account(account):
        abort(404)
    people = {str(id_): person for id_, person in persons(circle).items()}
    both = [people.get(request.args.get(role, "")) for role in ("giver", "taker")]
    asked = [person for person in both if person is not None]
    found = {
        person.name: settling.parts_of(settlement, person)
        if settlement is not None
        else settling.sources_of(circle, scope, account, person)
        for person in asked
    }
    back = _address(circle, request.args.get("of", ""))
    return render_template(
        "settlement/why.html", circle=circle, account=account, sources=found, of=settlement, back=back
    )


@blueprint.post("/circles/<name>/payments")
def pay(name: str) -> Response | tuple[str, int]:
    me = access.circle_or_not_yours(name, SCORE)
    form = PaymentForm()
    scope, settlement = _told_scope(me.circle, form.of.data or "")
    account = form.account.data or ""
    if not _is_account(account):
        abort(404)
    amount = _told_amount(account, form.amount.data or "")
    if isinstance(amount, Remark):
        return _again(me.circle, form, remarks=(amount,)), 422
    paying = Paying(
        account=account,
        giver=_number(form.giver.data),
        taker=_number(form.taker.data),
        amount=amount,
        scope=scope,
        settlement=settlement,
        seen=form.has_seen,
        key=form.key.data or "",
    )
    result = payments.pay(me.circle, paying, me)
    if isinstance(result, Paid):
        return redirect(_address(me.circle, form.at.data or "", paid=result.payment.number), 303)
    if isinstance(result, Overtaken):
        return _again(me.circle, form, overtaken=result), 409
    return _again(me.circle, form, remarks=result.remarks), 422


@blueprint.post("/circles/<name>/payments/<int:number>/withdraw")
def withdraw(name: str, number: int) -> Response:
    me = access.circle_or_not_yours(name, SCORE)
    if payments.withdraw(me.circle, number, me) is None:
        abort(404)
    return redirect(url_for("settling.all_payments", name=name), 303)


@blueprint.post("/circles/<name>/banker")
def banker(name: str) -> Response:
    """Through whom all is paid from now on; nobody, where no player of the circle is told."""
    circle = access.circle_or_not_yours(name, SCORE).circle
    name_banker(circle, _number(request.form.get("banker")))
    return redirect(url_for("settling.everything", name=name), 303)


# --- what is asked for -------------------------------------------------------------------------------------


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        abort(404)


def _number(text: str | None) -> int:
    """A player's number; 0, which is nobody's, for anything else."""
    return told_number(text) or 0


def _settlement(circle: Circle, id_: int) -> Settlement:
    found = settling.settlement_of(circle, id_)
    if found is None:
        abort(404)
    return found


def _is_account(account: str) -> bool:
    return account in games() or (is_currency(account) and len(account) == 3 and account.isalpha())


def _told_scope(circle: Circle, told: str) -> tuple[Scope, Settlement | None]:
    kind, _, which = told.partition(":")
    if kind == "day":
        return Scope(day=_day(which)), None
    if kind == "table":
        table = access.table_or_not_yours(which).table
        if table.circle_id != circle.id:
            abort(404)
        return Scope(table=table), None
    if kind == "settlement":
        return Scope(), _settlement(circle, _number(which))
    return Scope(), None


def _told_amount(account: str, typed: str) -> int | Remark:
    """Grains. Money with at most the currency's decimal places, or whole counters; above 0."""
    places = currency.places(account) if is_currency(account) else 0
    wrong = Remark("amount", "payment-amount" if places else "payment-counters", {"places": places})
    try:
        amount = Decimal("".join(typed.split()).replace(",", "."))
    except InvalidOperation:
        return wrong
    if not amount.is_finite() or amount <= 0 or len(typed) > MOST_DIGITS or amount != round(amount, places):
        return wrong
    return to_grains(amount) if is_currency(account) else int(amount)


# --- what is shown -----------------------------------------------------------------------------------------


def _page(circle: Circle, scope: Scope, table: Open | None = None, **more: Any) -> str:
    accounts = settling.open_accounts(circle, scope)
    players = persons(circle)
    names = settling.names_of(players)
    unpaid = [] if scope.is_everything else settling.settlements_of(circle, scope)
    return render_template(
        "settlement/open.html",
        circle=circle,
        scope=scope,
        at=_of(scope),
        table=table,
        accounts=accounts,
        under_way=[(one, settling.left_of(one, names)) for one in unpaid],
        custom=_as_they_fell(table) if table is not None and table.game.in_sides else [],
        **_people(circle, players),
        **more,
    )


def _page_of_made(circle: Circle, settlement: Settlement, **more: Any) -> str:
    players = persons(circle)
    return render_template(
        "settlement/made.html",
        circle=circle,
        settlement=settlement,
        at=f"settlement:{settlement.id}",
        left=settling.left_of(settlement, settling.names_of(players)),
        paid=settling.payments_for(settlement),
        concerned=settling.concerned_in(settlement, players),
        **_people(circle, players),
        **more,
    )


def _again(circle: Circle, form: PaymentForm, **more: Any) -> str:
    """The page a payment was told on, with what was typed still there and what is wrong with it."""
    scope, settlement = _told_scope(circle, form.at.data or "")
    if settlement is not None:
        return _page_of_made(circle, settlement, told=form, **more)
    table = access.table_or_not_yours(scope.table.token) if scope.table is not None else None
    return _page(circle, scope, table, told=form, **more)


def _people(circle: Circle, players: Mapping[int, Player]) -> dict[str, Any]:
    """What every page of payments needs: the players, the banker, and a form that has seen the last payment."""
    people = {person.id: person for person in players.values()}
    banker = banker_of(people.values())
    return {
        "people": sorted(people.values(), key=lambda person: person.name),
        "ids": {person.name: person.id for person in people.values()},
        "banker": banker.name if banker is not None else None,
        "form": PaymentForm(formdata=None, seen=settling.last_number(circle)),
        "just_paid": told_number(request.args.get("paid")),
    }


def _of(scope: Scope) -> str:
    if scope.table is not None:
        return f"table:{scope.table.token}"
    return f"day:{scope.day}" if scope.day is not None else "all"


def _address(circle: Circle, at: str, paid: int | None = None) -> str:
    """The page that is called so in forms and links."""
    scope, settlement = _told_scope(circle, at)
    if settlement is not None:
        return url_for("settling.made", name=circle.name, id_=settlement.id, paid=paid)
    if scope.table is not None:
        return url_for("settling.of_table", token=scope.table.token, paid=paid)
    if scope.day is not None:
        return url_for("settling.evening", name=circle.name, day=scope.day, paid=paid)
    return url_for("settling.everything", name=circle.name, paid=paid)


def _as_they_fell(table: Open) -> list[Planned]:
    """What each player has to give each other by the rules themselves, robre by robre, added up; in grains."""
    due: dict[tuple[str, str], int] = {}
    each = grains_of_a_counter(table.game, table.value)
    for row in table.standing.rows:
        for entry in row.entries:
            if entry.is_payment and entry.giver is not POT and entry.taker is not POT:
                pair = table.names[entry.giver], table.names[entry.taker]
                due[pair] = due.get(pair, 0) + entry.amount * each
    return [Planned(giver, taker, amount) for (giver, taker), amount in due.items()]
