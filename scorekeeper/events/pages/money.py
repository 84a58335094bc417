"""What people still pay for an event, what they are paid, and the taps that record it: fees and prizes."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Blueprint, g, url_for
from flask.typing import ResponseReturnValue
from wtforms import HiddenField, IntegerField
from wtforms.validators import InputRequired
from wtforms.widgets import HiddenInput

from ...db.outcome import Done
from ...money import payments
from ...money.reading import find_payment
from ...people.reading import read_ids_by_token
from ...site.fields import DigitsField, SwitchField
from ...site.forms import WriteForm
from .. import event_money
from ..access import get_event_or_404
from ..event_money import FREE, read_money
from ..phones import DIRECT
from .rendering import Written, render_event, respond_to

blueprint = Blueprint("event_money", __name__, url_prefix="/events/<token>/money")


class FeeForm(WriteForm):
    """A button beside an entrant's fee, or of a payment of the plan, which is nobody's fee."""

    number = DigitsField()  # of the entrant


class PayForm(FeeForm):
    person = HiddenField()  # by their token
    subunits = IntegerField(widget=HiddenInput(), validators=[InputRequired()])  # above 0 if they pay the cash box


class UndoForm(FeeForm):
    """A fee's payment to take back, by its token; `seen` is its state."""

    payment = HiddenField(validators=[InputRequired()])


class WaiveForm(FeeForm):
    number = DigitsField(validators=[InputRequired()])
    free = SwitchField()


def _render(token: str, form: FeeForm | None = None, *, is_stale: bool = False) -> str:
    """Render the page; `form` is a button's that recorded nothing."""
    event = get_event_or_404(token, DIRECT)
    money = read_money(event)
    return render_event(
        "events/money.html",
        money.state,
        form=form or FeeForm(None),
        is_stale=is_stale,
        event_money=money,
        owing=[row for row in money.fees if row.state != FREE],
    )


def _respond(token: str, form: FeeForm, outcome: Written) -> ResponseReturnValue:
    """Redirect to the fee of the form's entrant, or to the top of the page: a payment of the plan is made."""
    number = form.number.data
    at: dict[str, Any] = {"done": "paid"} if number is None else {"_anchor": f"fee-{number}"}
    return respond_to(form, outcome, partial(_render, token), url_for("event_money.show", token=token, **at))


@blueprint.get("")
def show(token: str) -> str:
    return _render(token)


@blueprint.post("/payments")
def pay(token: str) -> ResponseReturnValue:
    event, form = get_event_or_404(token, DIRECT), PayForm()
    form.require_valid()
    person = read_ids_by_token(event.circle).get(form.person.data or "", 0)
    outcome = event_money.pay(event, person, form.subunits.data or 0, form.read_key(), g.membership)
    return _respond(token, form, outcome)


@blueprint.post("/payments/undo")
def undo_payment(token: str) -> ResponseReturnValue:
    event, form = get_event_or_404(token, DIRECT), UndoForm()
    form.require_valid()
    payment = find_payment(event.circle, form.payment.data or "")
    outcome = payments.withdraw(payment, form.seen.data, g.membership) if payment is not None else Done(None)
    return _respond(token, form, outcome)


@blueprint.post("/waivers")
def waive(token: str) -> ResponseReturnValue:
    event, form = get_event_or_404(token, DIRECT), WaiveForm()
    form.require_valid()
    outcome = event_money.waive_fee(event, form.number.data, form.free.data, g.membership)
    return _respond(token, form, outcome)
