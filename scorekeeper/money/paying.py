"""The page that shows how to make a planned payment. The app itself sends no money."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, abort, redirect, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from ..circles import access
from ..models import Circle, Player
from ..people.payment_details import PLACEHOLDER, PaymentDetails, fill_in, group_iban, read_payment_details
from ..people.players import read_ids_by_token, read_persons
from ..scoring import currency
from ..scoring.currency import is_currency, to_money
from ..site.amounts import amount_for_input, format_amount
from ..site.language import find_evening, money, name_of_game, t
from ..site.qr_codes import MAX_TRANSFER, MIN_TRANSFER, transfer_code
from ..site.time_zones import now
from .forms import make_form
from .ledger import BOX, Scope
from .payments import list_planned
from .scopes import CASH_BOX, find_table, is_account_of, make_url, parse_key_or_404

blueprint = Blueprint("how_to_pay", __name__, url_prefix="/circles/<name>")

EUROS = "EUR"  # the currency of the QR code of a transfer
_UNUSUAL = re.compile(r"[^\w /?:().,'+-]+")  # in a transfer's reference, banks refuse them


class PlannedPayment(NamedTuple):
    """A payment of a scope's plan: `account` is a currency, `amount` in its subunits."""

    giver: Player | None  # None is the cash box
    taker: Player
    account: str
    amount: int
    scope: Scope

    @property
    def due(self) -> SimpleNamespace:
        """The payment as the form of a plan names it."""
        typed = amount_for_input(self.account, self.amount)
        giver = self.giver.token if self.giver is not None else CASH_BOX
        return SimpleNamespace(giver_token=giver, taker_token=self.taker.token, typed=typed)

    @property
    def money(self) -> Decimal:
        """The amount in the currency's units."""
        return to_money(self.amount, currency.places(self.account))


@blueprint.get("/pay")
def pay(name: str) -> str | Response:
    """Show how to make a planned payment; redirect to the plan if it no longer has it, so that nobody pays twice."""
    circle, key = access.get_circle_or_404(name).circle, request.args.get("of", "")
    payment = _planned_payment(circle, parse_key_or_404(circle, key))
    details = read_payment_details(circle).get(payment.taker.id) if payment is not None else None
    if payment is None or details is None:
        return redirect(make_url(name, key), 303)
    reference = _reference(circle, key, payment.scope.day)
    link = fill_in(details.link, payment.money, currency.places(payment.account)) if details.link else ""
    return render_template(
        "money/pay.html",
        circle=circle,
        payment=payment,
        amount=format_amount(payment.account, payment.amount),
        due=payment.due,
        details=details,
        iban=group_iban(details.iban) if details.iban else None,
        reference=reference,
        code=_code(payment, details, reference),
        code_limits=_code_limits(payment.account),
        link=link,
        host=urlsplit(link).hostname or "",
        takes_amount=details.link is not None and PLACEHOLDER in details.link,
        back_url=make_url(name, key),
        form=make_form(circle, key),
    )


def _planned_payment(circle: Circle, scope: Scope) -> PlannedPayment | None:
    """Return the payment that the query names, as it is planned now; None if it is not, or not in money."""
    account = request.args.get("account", "")
    if not is_account_of(circle, account):
        abort(404)
    persons, ids = read_persons(circle), read_ids_by_token(circle)
    giver, taker = (persons.get(ids.get(request.args.get(role, ""), 0)) for role in ("giver", "taker"))
    is_box = request.args.get("giver") == CASH_BOX
    if (giver is None and not is_box) or taker is None or not is_currency(account):
        return None
    for key, *parties, amount in list_planned(circle, scope):
        if key == account and parties == [giver.name if giver is not None else BOX, taker.name]:
            return PlannedPayment(giver, taker, account, amount, scope)
    return None


def _reference(circle: Circle, key: str, day: date | None) -> str:
    """Return what a transfer is for: the circle or the app, the table's game if it is for one, and the evening."""
    table = find_table(key)
    words = [circle.title or t("app.name"), name_of_game(table.stored) if table is not None else ""]
    words.append(str(table.stored.day if table is not None else day or find_evening(now())))
    return " ".join(_UNUSUAL.sub(" ", " ".join(words)).split())


def _code(payment: PlannedPayment, details: PaymentDetails, reference: str) -> Markup | None:
    if payment.account != EUROS or details.iban is None:
        return None
    return transfer_code(payment.taker.name, details.iban, payment.money, reference)


def _code_limits(account: str) -> dict[str, str] | None:
    """Return the least and the most that a QR code can hold; None for an account whose payments have none."""
    if account != EUROS:
        return None
    return {"least": money(MIN_TRANSFER, account), "most": money(MAX_TRANSFER, account)}
