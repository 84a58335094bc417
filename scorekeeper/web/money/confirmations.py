"""Confirming payments."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, g, redirect, request, url_for
from werkzeug.wrappers import Response

from ...models import Circle, Payment
from ...services.money import confirmations
from ..support import access
from ..support.forms import parse_id, require_shown

blueprint = Blueprint("confirmations", __name__)


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
