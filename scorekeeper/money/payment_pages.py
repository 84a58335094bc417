"""Recording payments, the list of them, receipts, and the choice of the banker and the cashier."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from ..circles import access
from ..db.outcome import Done, Stale
from ..models import HOST, SCORE, TRANSFER, WATCH, Payment
from ..people.reading import find_person, list_persons
from ..people.writing import set_banker, set_cashier
from ..scoring.problems import Problem, Refusal
from ..site.fields import parse_digits
from ..site.forms import WriteForm
from . import payments
from .forms import FormOutcome, OfficeForm, PaymentForm, PlanForm, UndoForm
from .reading import find_payment, list_latest_payments, read_ledger
from .scopes import ALL, BOX_KEY, make_url, name_purpose, parse_key_or_404
from .settle_up import render_open
from .statements import render_box

blueprint = Blueprint("payments", __name__)

PAGE = 50  # payments on a page of them


@blueprint.post("/circles/<circle_token>/payments")
def record(circle_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE)
    circle = membership.circle
    form = PaymentForm(read_ledger(circle), list_persons(circle))
    if form.validate():
        outcome = payments.record(circle, form.read(), form.seen.data or "", membership)
        return _answer(circle_token, form, outcome)
    return _render_page(circle_token, form), 422


@blueprint.post("/circles/<circle_token>/payments/all")
def record_plan(circle_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE)
    circle = membership.circle
    plan = PlanForm()
    plan.require_valid()
    outcome = payments.record_plan(
        circle,
        plan.read_scope(circle),
        plan.plan.data or "",
        plan.seen.data or "",
        plan.read_key(),
        membership,
        in_cash=plan.method.data != TRANSFER,
    )
    values = {"of": plan.of.data, "at": plan.at.data, "method": plan.method.data}
    blank = PaymentForm(read_ledger(circle), list_persons(circle), formdata=None, **values)
    return _answer(circle_token, blank, outcome)


def _answer(circle_token: str, form: PaymentForm, outcome: payments.PaymentResult) -> ResponseReturnValue:
    if isinstance(outcome, Done):
        key = outcome.value[0].entry_key or ""
        paid = key if len(outcome.value) == 1 else key.rpartition("-")[0]  # what the keys of one tap have in common
        by = TRANSFER if form.method.data == TRANSFER else None
        return redirect(make_url(circle_token, form.at.data or "", form.of.data or "", paid=paid, by=by), 303)
    if isinstance(outcome, Stale):
        return _render_page(circle_token, form, outcome.current), 409
    form.add_problems(outcome.problems)
    return _render_page(circle_token, form), 422


def _render_page(circle_token: str, form: PaymentForm, unseen: Sequence[Payment] | None = None) -> str:
    """Render the page that a payment was sent from as it is now, with what was entered and what became of it."""
    circle = access.get_membership_or_404(circle_token, SCORE).circle
    outcome = FormOutcome(form, unseen=unseen)
    page_key = form.at.data or ALL
    if page_key == BOX_KEY:
        return render_box(circle, outcome)
    shown = parse_key_or_404(circle, form.of.data or ALL)
    return render_open(circle, shown, parse_key_or_404(circle, page_key), outcome)


@blueprint.post("/circles/<circle_token>/payments/undo")
def undo(circle_token: str) -> Response:
    """Take back payments that were just recorded, but for those that were changed since."""
    membership = access.get_membership_or_404(circle_token, SCORE)
    circle = membership.circle
    form = UndoForm()
    form.require_valid()
    form.read_scope(circle)
    tokens, states = (form.paid.data or "").split("."), (form.seen.data or "").split(".")
    if len(tokens) != len(states):
        abort(400)
    undone = 0
    for token, state in zip(tokens, states, strict=True):
        payment = find_payment(circle, token)
        undone += payment is not None and isinstance(payments.withdraw(payment, state, membership), Done)
    return redirect(make_url(circle_token, form.at.data or "", form.of.data or "", undone=str(undone)), 303)


# --- payments that were recorded ---------------------------------------------------------------------------


@blueprint.get("/circles/<circle_token>/payments")
def show_all(circle_token: str) -> str:
    """List a circle's payments, the latest day first; with `?before=<number>`, those that follow it."""
    circle = access.get_membership_or_404(circle_token).circle
    before = parse_digits(request.args.get("before"))
    found = list_latest_payments(circle, PAGE + 1, before)
    oldest = found[PAGE - 1].number if len(found) > PAGE else None
    return render_template("money/payments.html", circle=circle, shown=found[:PAGE], oldest=oldest)


@blueprint.get("/circles/<circle_token>/payments/<payment_token>")
def receipt(circle_token: str, payment_token: str, *, problem: Problem | None = None, is_stale: bool = False) -> str:
    """Show the receipt of a payment; `is_stale`: it was changed meanwhile, and nothing was done."""
    circle = access.get_membership_or_404(circle_token).circle
    found = find_payment(circle, payment_token) or abort(404)
    return render_template(
        "money/payment.html",
        circle=circle,
        payment=found,
        purpose=name_purpose(found.table, found.event, found.evening),
        receiver=payments.find_receiver(circle, found),
        may_confirm=found.is_waiting and found.number in payments.list_confirmable(circle, g.membership, [found]),
        problem=problem,
        is_stale=is_stale,
    )


CHANGES = {"confirm": payments.confirm, "withdraw": payments.withdraw, "restore": payments.restore}


@blueprint.post("/circles/<circle_token>/payments/<payment_token>/<any(confirm, withdraw, restore):act>")
def change(circle_token: str, payment_token: str, act: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE if act == "restore" else WATCH)
    payment = find_payment(membership.circle, payment_token) or abort(404)
    result = CHANGES[act](payment, WriteForm().seen.data or "", membership)
    if isinstance(result, Stale):
        return receipt(circle_token, payment_token, is_stale=True), 409
    if isinstance(result, Refusal):
        return receipt(circle_token, payment_token, problem=result.first), 403
    return redirect(url_for("payments.receipt", circle_token=circle_token, payment_token=payment_token, done=act), 303)


# --- offices -----------------------------------------------------------------------------------------------


@blueprint.post("/circles/<circle_token>/<any(banker, cashier):office>")
def choose_officer(circle_token: str, office: str) -> Response:
    host = access.get_membership_or_404(circle_token, HOST)
    circle = host.circle
    form = OfficeForm(circle, list_persons(circle))
    form.require_valid()
    person = find_person(circle, form.person.data or "")
    id_ = person.id if person is not None else 0
    if office == "banker":
        set_banker(circle, id_, host)
        return redirect(url_for("money.everything", circle_token=circle_token), 303)
    set_cashier(circle, id_, host)
    return redirect(url_for("statements.cash_box", circle_token=circle_token), 303)
