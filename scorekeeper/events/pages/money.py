"""What people still pay for an event, what they are paid, and the taps that record it: fees and prizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from flask import Blueprint, g, url_for
from wtforms import HiddenField
from wtforms.validators import InputRequired, Regexp

from ...db.outcome import Done
from ...models import new_token
from ...money import payments
from ...money.reading import find_payment
from ...people.reading import read_ids_by_token
from ...scoring.problems import Problem
from ...site.fields import DigitsField, SwitchField
from ...site.forms import Form, WriteForm
from .. import event_money
from ..access import get_event_or_404
from ..event_money import FREE, read_money
from ..phones import DIRECT
from .rendering import Answer, Sent, render_event, respond

blueprint = Blueprint("event_money", __name__, url_prefix="/events/<token>/money")


def _render(token: str, *, problems: Sequence[Problem] = (), is_stale: bool = False) -> str:
    event = get_event_or_404(token, DIRECT)
    money = read_money(event)
    return render_event(
        "events/money.html",
        money.state,
        key=new_token(),
        problems=problems,
        is_stale=is_stale,
        event_money=money,
        owing=[row for row in money.fees if row.state != FREE],
    )


def _respond(token: str, outcome: Sent, number: int | None) -> Answer:
    """Redirect to the fee of the entrant with this number, or to the top of the page: a payment of the plan is made."""
    at: dict[str, Any] = {"done": "paid"} if number is None else {"_anchor": f"fee-{number}"}
    return respond(outcome, partial(_render, token), url_for("event_money.show", token=token, **at))


@blueprint.get("")
def show(token: str) -> str:
    return _render(token)


class PayForm(WriteForm):
    number = DigitsField()  # of the entrant whose fee it is, if it is one
    person = HiddenField()
    subunits = HiddenField(validators=[Regexp(r"-?[0-9]{1,40}\Z")])  # above 0 if the person pays the cash box


class WaiveForm(Form):
    number = DigitsField(validators=[InputRequired()])  # of the entrant
    free = SwitchField()


@blueprint.post("/payments")
def pay(token: str) -> Answer:
    event, form = get_event_or_404(token, DIRECT), PayForm()
    form.require_valid()
    person = read_ids_by_token(event.circle).get(form.person.data or "", 0)
    outcome = event_money.pay(event, person, int(form.subunits.data or ""), form.read_key(), g.membership)
    return _respond(token, outcome, form.number.data)


class UndoForm(WriteForm):
    """A fee's payment to take back, by its token; `seen` is its state."""

    number = DigitsField()
    payment = HiddenField()


@blueprint.post("/payments/undo")
def undo_payment(token: str) -> Answer:
    event, form = get_event_or_404(token, DIRECT), UndoForm()
    payment = find_payment(event.circle, form.payment.data or "")
    outcome = payments.withdraw(payment, form.seen.data, g.membership) if payment is not None else Done(None)
    return _respond(token, outcome, form.number.data)


@blueprint.post("/waivers")
def waive(token: str) -> Answer:
    event, form = get_event_or_404(token, DIRECT), WaiveForm()
    form.require_valid()
    outcome = event_money.waive_fee(event, form.number.data, form.free.data, g.membership)
    return _respond(token, outcome, form.number.data)
