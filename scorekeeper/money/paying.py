"""How people want to be paid, and the page that shows how to make a planned payment. The app itself sends no money."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response
from wtforms import StringField, ValidationError

from ..circles import access
from ..models import SCORE, Circle, Player
from ..people.payment_details import (
    EXAMPLE_LINK,
    PLACEHOLDER,
    PaymentDetails,
    fill_in,
    group_iban,
    may_change,
    parse_iban,
    parse_payment_link,
    read_payment_details,
    set_payment_details,
)
from ..people.players import find_banker, read_ids_by_token, read_persons
from ..scoring import currency
from ..scoring.currency import is_currency, to_money
from ..scoring.problems import Problem
from ..scoring.settlement import Transfer
from ..site.amounts import amount_for_input, format_amount, is_account
from ..site.forms import ProblemForm
from ..site.language import find_evening, money, name_of_game, t
from ..site.qr_codes import MAX_TRANSFER, MIN_TRANSFER, transfer_code
from ..site.time_zones import now
from ..tables.reading import has_tables_of
from . import balances
from .scopes import Scope
from .settlements import PaymentForm, find_last_etag, make_url, parse_key_or_404

blueprint = Blueprint("paying", __name__, url_prefix="/circles/<name>")

EUROS = "EUR"  # the currency of the QR code of a transfer
_UNUSUAL = re.compile(r"[^\w /?:().,'+-]+")  # in a transfer's reference, banks refuse them


# --- how somebody wants to be paid -------------------------------------------------------------------------


class PaymentDetailsForm(ProblemForm):
    """How a person wants to be paid; blank for what they leave open. The fields keep what was typed."""

    iban = StringField()
    payment_link = StringField()
    parsed_iban: str  # as they are stored; set by `validate`
    parsed_link: str

    def validate_iban(self, field: StringField) -> None:
        result = parse_iban(field.data)
        if isinstance(result, Problem):
            raise ValidationError(result)
        self.parsed_iban = result

    def validate_payment_link(self, field: StringField) -> None:
        result = parse_payment_link(field.data)
        if isinstance(result, Problem):
            raise ValidationError(result)
        self.parsed_link = result


@blueprint.get("/players/<player_token>/paying")
def details(name: str, player_token: str) -> str | Response:
    """Show how a person wants to be paid; a merged player's URL redirects to the person."""
    circle = access.get_circle_or_404(name).circle
    person = _get_person_or_404(circle, player_token)
    if person.token != player_token:
        return redirect(url_for("paying.details", name=name, player_token=person.token))
    return _details_page(circle, person)


@blueprint.post("/players/<player_token>/paying")
def change(name: str, player_token: str) -> Response | tuple[str, int]:
    """Set how a person wants to be paid."""
    browser = access.get_circle_or_404(name, SCORE)
    person = _get_person_or_404(browser.circle, player_token)
    if person.token != player_token:  # merged since: what was entered is not the other person's
        abort(404)
    form = PaymentDetailsForm()
    if not form.validate():
        return _details_page(browser.circle, person, form), 422
    problem = set_payment_details(person, PaymentDetails(form.parsed_iban or None, form.parsed_link or None), browser)
    if problem is None:
        return redirect(url_for("paying.details", name=name, player_token=player_token, saved="yes"), 303)
    circle = access.get_circle_or_404(name).circle
    return _details_page(circle, _get_person_or_404(circle, player_token), problem=problem), 422


def _get_person_or_404(circle: Circle, player_token: str) -> Player:
    """Return the person that a player is; 404 if their name is erased."""
    person = read_persons(circle).get(read_ids_by_token(circle).get(player_token, 0))
    if person is None or person.erased_at is not None:
        abort(404)
    return person


def _details_page(
    circle: Circle, person: Player, form: PaymentDetailsForm | None = None, problem: Problem | None = None
) -> str:
    """Render a person's details: `form` as it was sent and refused, or what is stored; `problem`: why nothing was."""
    found = read_payment_details(circle).get(person.id, PaymentDetails(None, None))
    shown = {"iban": group_iban(found.iban) if found.iban else "", "payment_link": found.link or ""}
    return render_template(
        "money/payment_details.html",
        circle=circle,
        person=person,
        iban=shown["iban"],
        link=shown["payment_link"],
        form=form or PaymentDetailsForm(formdata=None, **shown),
        problem=problem,
        may_change=may_change(g.browser, person),
        example_link=EXAMPLE_LINK,
        placeholder=PLACEHOLDER,
    )


# --- a planned payment -------------------------------------------------------------------------------------


class PlannedPayment(NamedTuple):
    """A payment of a scope's plan: `account` is a currency, `amount` in its subunits."""

    giver: Player
    taker: Player
    account: str
    amount: int
    scope: Scope

    @property
    def money(self) -> Decimal:
        """The amount in the currency's units."""
        return to_money(self.amount, currency.places(self.account))


@blueprint.get("/pay")
def pay(name: str) -> str | Response:
    """Show how to make a planned payment; redirect to the plan if it no longer has it, so that nobody pays twice."""
    circle = access.get_circle_or_404(name).circle
    key, page_key = request.args.get("of", ""), request.args.get("at", "")
    parse_key_or_404(circle, page_key)
    payment = _planned_payment(circle, key)
    details = read_payment_details(circle).get(payment.taker.id) if payment is not None else None
    if payment is None or details is None:
        return redirect(make_url(name, page_key), 303)
    reference = _reference(circle, payment.scope)
    link = fill_in(details.link, payment.money, currency.places(payment.account)) if details.link else ""
    return render_template(
        "money/pay.html",
        circle=circle,
        payment=payment,
        amount=format_amount(payment.account, payment.amount),
        typed=amount_for_input(payment.account, payment.amount),
        details=details,
        iban=group_iban(details.iban) if details.iban else None,
        reference=reference,
        code=_code(payment, details, reference),
        code_limits=_code_limits(payment.account),
        link=link,
        host=urlsplit(link).hostname or "",
        takes_amount=details.link is not None and PLACEHOLDER in details.link,
        key=key,
        page_key=page_key,
        back_url=make_url(name, page_key),
        form=PaymentForm(formdata=None, seen=find_last_etag(circle)),
    )


def _planned_payment(circle: Circle, key: str) -> PlannedPayment | None:
    """Return the payment that the query names, as it is planned now; None if it is not, or not in money."""
    scope, settlement = parse_key_or_404(circle, key)
    account = request.args.get("account", "")
    if not (is_account(account) or has_tables_of(circle, account)):
        abort(404)
    persons, ids = read_persons(circle), read_ids_by_token(circle)
    giver, taker = (persons.get(ids.get(request.args.get(role, ""), 0)) for role in ("giver", "taker"))
    if giver is None or taker is None or not is_currency(account) or settlement is not None:
        return None
    names, banker = (giver.name, taker.name), find_banker(persons.values())
    for planned in _plan(circle, scope, account, banker.name if banker is not None else None):
        if (planned.giver, planned.taker) == names:
            return PlannedPayment(giver, taker, account, planned.amount, scope)
    return None


def _plan(circle: Circle, scope: Scope, account: str, banker: str | None) -> list[Transfer]:
    found = balances.read_open_accounts(circle, scope).values()
    return [payment for open_account in found if open_account.key == account for payment in open_account.plan(banker)]


def _reference(circle: Circle, scope: Scope) -> str:
    """Return what a transfer is for: the circle or the app, the game if there is one, and the evening."""
    table = scope.table
    game = t(f"{scope.game}.name") if scope.game is not None else ""
    day = table.day if table is not None else scope.day or find_evening(now())
    words = [circle.title or t("app.name"), name_of_game(table) if table is not None else game, day.isoformat()]
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
