"""The page that shows how to make a planned payment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from urllib.parse import urlsplit

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from ..circles import access
from ..models import Circle, Player, now
from ..people.payment_details import PLACEHOLDER, PaymentDetails, fill_in, group_iban, read_payment_details
from ..people.reading import list_persons
from ..scoring.currency import decimal_places, to_money
from ..site.amounts import format_amount
from ..site.language import money, name_of_game, t
from ..site.qr_codes import MAX_TRANSFER, MIN_TRANSFER, transfer_code
from ..site.time_zones import find_evening
from ..tables.state import TableState
from .forms import PaymentForm
from .ledger import Scope
from .open_accounts import Due, list_due
from .reading import Ledger, read_ledger
from .scopes import make_url, parse_key_or_404

blueprint = Blueprint("how_to_pay", __name__)

EUROS = "EUR"  # the currency of the QR code of a transfer
_UNUSUAL = re.compile(r"[^\w /?:().,'+-]+")  # in a transfer's reference, banks refuse them


@blueprint.get("/circles/<circle_token>/pay")
def show(circle_token: str) -> str | Response:
    """Show how to make a planned payment; redirect to the plan if it no longer has it, so that nobody pays twice.

    The app itself sends no money.
    """
    circle = access.get_membership_or_404(circle_token).circle
    key, scope, table = parse_key_or_404(circle, request.args.get("of", ""))
    people = list_persons(circle)
    ledger = read_ledger(circle)
    all_details = read_payment_details(circle)
    due = _find_requested_due(ledger, scope, people, all_details)
    if due is None or not due.is_payable:
        return redirect(make_url(circle_token, key), 303)
    taker = next(person for person in people if person.token == due.taker_token)
    details = all_details[taker.id]
    amount = to_money(due.amount, decimal_places(due.account))
    link = fill_in(details.link, amount, decimal_places(due.account)) if details.link else ""
    reference = _make_reference(circle, table, scope.day)
    is_code = due.account == EUROS and details.iban is not None
    return render_template(
        "money/how_to_pay.html",
        circle=circle,
        due=due,
        amount=format_amount(due.account, due.amount),
        details=details,
        iban=group_iban(details.iban) if details.iban else None,
        reference=reference,
        code=transfer_code(taker.name, details.iban, amount, reference) if is_code and details.iban else None,
        code_limits={"least": money(MIN_TRANSFER, EUROS), "most": money(MAX_TRANSFER, EUROS)} if is_code else None,
        link=link,
        host=urlsplit(link).hostname or "",
        takes_amount=details.link is not None and PLACEHOLDER in details.link,
        back_url=make_url(circle_token, key),
        form=PaymentForm(ledger, people, formdata=None, of=key, at=key).renew(),
    )


def _find_requested_due(
    ledger: Ledger, scope: Scope, people: Sequence[Player], details: Mapping[int, PaymentDetails]
) -> Due | None:
    """Return the planned payment that the query names by its account, giver and taker."""
    account = ledger.read_accounts(scope, in_cash=False).get(request.args.get("account", ""))
    if account is None or ledger.find_due_scope(scope) != scope:
        return None
    parties = [request.args.get(role) for role in ("giver", "taker")]
    planned = list_due(account, account.plan(ledger.banker), people, details)
    return next((each for each in planned if [each.giver_token, each.taker_token] == parties), None)


def _make_reference(circle: Circle, table: TableState | None, day: date | None) -> str:
    """Return what a transfer is for: the circle or the app, the table's game if it is for one, and the evening."""
    if table is not None:
        day = table.stored.day
    parts = [circle.title or t("app.name"), name_of_game(table.stored) if table is not None else ""]
    return " ".join(_UNUSUAL.sub(" ", " ".join([*parts, str(day or find_evening(now(), circle.time_zone))])).split())
