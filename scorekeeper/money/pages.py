"""The forms that write payments, and the settings of money."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, url_for
from werkzeug.wrappers import Response
from wtforms import HiddenField, StringField

from ..circles import access
from ..db.outcome import Conflict, Done, Stale
from ..limits import MAX_KEY_LENGTH
from ..models import HOST, SCORE
from ..people.people import set_office
from ..people.players import read_ids_by_token, read_persons
from ..scoring.problems import Problem
from ..site.forms import Form, SwitchField
from . import payments
from .forms import OUTSIDE, Outcome, PaymentForm
from .open import render_open
from .scopes import ALL, CASH_BOX, make_url, parse_key_or_404
from .statements import render_box

blueprint = Blueprint("payments", __name__)


@blueprint.post("/circles/<name>/payments")
def pay(name: str) -> Response | tuple[str, int]:
    """Record a payment that was made."""
    membership, form = access.get_circle_or_404(name, SCORE), PaymentForm()
    circle = membership.circle
    parse_key_or_404(circle, form.of.data or "")
    if form.at.data != CASH_BOX:
        parse_key_or_404(circle, form.at.data or "")
    if OUTSIDE in (form.giver.data, form.taker.data) and CASH_BOX not in (form.giver.data, form.taker.data):
        form.validate()
        form.add_problem(Problem("taker", "outside-the-circle"))
        return _render_page(name, Outcome(form=form)), 422
    if not form.validate():
        return _render_page(name, Outcome(form=form)), 422
    result = payments.pay(circle, form.read(circle), form.seen.data or "", membership)
    return _respond(name, form, result)


def _respond(name: str, form: PaymentForm, result: payments.PaymentResult) -> Response | tuple[str, int]:
    if isinstance(result, Done):
        tokens = ".".join(payment.token for payment in result.value)
        return redirect(make_url(name, form.at.data or "", form.of.data or "", paid=tokens), 303)
    if isinstance(result, Stale):
        return _render_page(name, Outcome(form=form, since=result.current)), 409
    if isinstance(result, Conflict):
        return _render_page(name, Outcome(form=form, earlier=result.earlier)), 409
    for problem in result.problems:
        form.add_problem(problem)
    return _render_page(name, Outcome(form=form)), 422


class PlanForm(PaymentForm):
    """That everybody has paid: `plan` is the hash of the payments that the page has shown."""

    plan = HiddenField()


@blueprint.post("/circles/<name>/payments/all")
def pay_all(name: str) -> Response | tuple[str, int]:
    """Record all payments of a plan."""
    membership, form = access.get_circle_or_404(name, SCORE), PlanForm()
    scope = parse_key_or_404(membership.circle, form.of.data or "")
    if len(form.read_key()) > MAX_KEY_LENGTH - len(f"-{payments.MAX_PLANNED}"):
        abort(400)
    result = payments.pay_plan(membership.circle, scope, form.plan.data or "", form.read_key(), membership)
    return _respond(name, form, result)


def _render_page(name: str, outcome: Outcome) -> str:
    """Render the page that a payment was sent from as it is now, with what was entered and what became of it."""
    circle = access.get_circle_or_404(name, SCORE).circle
    of, at = (outcome.form.of.data or ALL, outcome.form.at.data or ALL) if outcome.form is not None else (ALL, ALL)
    return render_box(circle, outcome) if at == CASH_BOX else render_open(circle, of, at, outcome)


@blueprint.post("/circles/<name>/payments/<payment_token>/withdraw")
def withdraw(name: str, payment_token: str) -> Response:
    """Take back a payment that was not made after all."""
    membership = access.get_circle_or_404(name, SCORE)
    if not payments.withdraw(membership.circle, payment_token, membership):
        abort(404)
    return redirect(url_for("statements.payment", name=name, payment_token=payment_token), 303)


@blueprint.post("/circles/<name>/payments/<payment_token>/confirm")
def confirm(name: str, payment_token: str) -> Response:
    """Confirm that a payment arrived: its receiver, or a host for a receiver without a phone in the circle."""
    membership = access.get_circle_or_404(name)
    if not payments.confirm(membership.circle, payment_token, membership):
        abort(404)
    return redirect(url_for("statements.payment", name=name, payment_token=payment_token, confirmed="yes"), 303)


# --- settings ------------------------------------------------------------------------------------------------


class RoundingForm(Form):
    currency = HiddenField(default="")
    cash = SwitchField()


@blueprint.post("/circles/<name>/rounding")
def rounding(name: str) -> Response:
    """Set whether amounts in a currency are rounded to coins."""
    host, form = access.get_circle_or_404(name, HOST), RoundingForm()
    if not payments.set_in_cash(host.circle, form.currency.data or "", form.cash.read(), host):
        abort(400)
    return redirect(url_for("money.everything", name=name), 303)


class OfficeForm(Form):
    person = StringField()


@blueprint.post("/circles/<name>/<any(banker, cashier):office>")
def choose(name: str, office: str) -> Response:
    """Choose the circle's banker or cashier; an empty choice is nobody."""
    membership, chosen = access.get_circle_or_404(name, SCORE), OfficeForm().person.data
    if chosen is None:
        abort(400)
    id_ = read_ids_by_token(membership.circle).get(chosen, 0)
    if chosen and read_persons(membership.circle).get(id_) is None:
        abort(404)
    set_office(membership.circle, "is_banker" if office == "banker" else "is_cashier", id_, membership)
    return redirect(url_for("money.everything" if office == "banker" else "statements.cash_box", name=name), 303)
