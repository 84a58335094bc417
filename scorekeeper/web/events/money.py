"""The director's page about fees and prizes: who has paid, who owes what to whom, and settling it."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...models import Event
from ...scoring.problems import Problem
from ...services.circles.players import read_ids_by_token
from ...services.events.money import (
    CASHIER,
    FREE,
    UNPAID,
    MoneyOutcome,
    MoneyPayment,
    pay,
    read_money,
    read_open_elsewhere,
    set_free,
    settle,
)
from ...services.money.balances import find_wider_settlements
from ...services.money.scopes import Scope
from ...services.outcome import Stale
from ..support.event_access import DIRECT, get_event_or_404
from ..support.forms import is_yes, new_key, read_id, read_key

blueprint = Blueprint("event_money", __name__, url_prefix="/events/<token>/money")

_SAID = ("settled", "paid", "freed")
_MAX_AMOUNT = 40  # digits of an amount that a page sends back


@blueprint.get("")
def show(token: str) -> str:
    """Show fees and prizes, and the payments that follow from them."""
    return _page(get_event_or_404(token, DIRECT))


@blueprint.post("/settle")
def settle_all(token: str) -> Response | tuple[str, int]:
    """Settle what the page has shown as open."""
    event = get_event_or_404(token, DIRECT)
    return _respond(token, settle(event, request.form.get("seen", ""), g.browser), "settled")


@blueprint.post("/payments")
def record(token: str) -> Response | tuple[str, int]:
    """Record that a person has paid the cashier, or the cashier them."""
    event = get_event_or_404(token, DIRECT)
    person, subunits = request.form.get("person"), _subunits_sent()
    if person is None or subunits is None:
        abort(400)
    payment = MoneyPayment(read_ids_by_token(event.circle).get(person, 0), subunits, read_key())
    return _respond(token, pay(event, payment, g.browser), "paid")


@blueprint.post("/waivers")
def waive(token: str) -> Response | tuple[str, int]:
    """Set whether an entrant pays no fee."""
    event = get_event_or_404(token, DIRECT)
    problem = set_free(event, read_id("number"), is_yes("free"), g.browser)
    return _respond(token, problem, "freed")


def _subunits_sent() -> int | None:
    text = request.form.get("subunits", "")
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_AMOUNT else None


def _respond(token: str, outcome: MoneyOutcome | None, done: str) -> Response | tuple[str, int]:
    """Redirect to the page after a write, or show it with what stood in the way."""
    if isinstance(outcome, Problem):
        return _page(get_event_or_404(token, DIRECT), [outcome]), 422
    if isinstance(outcome, Stale):
        return _page(get_event_or_404(token, DIRECT), is_stale=True), 409
    return redirect(url_for("event_money.show", token=token, done=done), 303)


def _page(event: Event, problems: list[Problem] | None = None, *, is_stale: bool = False) -> str:
    money = read_money(event)
    wider = find_wider_settlements(event.circle, Scope(event=event))
    return render_template(
        "events/money.html",
        event=event,
        money=money,
        unpaid=[row for row in money.fees if row.state == UNPAID],
        others=[row for row in money.fees if row.state != UNPAID],
        tokens_by_name={person.name: person.token for person in money.persons.values()},
        can_waive=(UNPAID, FREE),
        cashier_state=CASHIER,
        wider_settlements=wider,
        open_elsewhere=read_open_elsewhere(money, wider),
        problems=problems or [],
        is_stale=is_stale,
        done=request.args.get("done") if request.args.get("done") in _SAID else None,
        key=new_key(),
    )
