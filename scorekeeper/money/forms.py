"""The form of a payment, and what becomes of it, as several pages have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flask import request
from wtforms import HiddenField, SelectField, StringField, TextAreaField, ValidationError

from ..models import CASH, EXPENSE, INCOME, METHODS, PAYMENT, Circle, Payment, Player, new_token, now
from ..people.reading import read_ids_by_token
from ..scoring.currency import is_currency
from ..scoring.problems import Problem
from ..scoring.values import clean_lines
from ..site.amounts import account_name, list_used_currencies, local_currency, parse_payment
from ..site.fields import DayField, parse_digits
from ..site.forms import WriteForm
from ..site.language import find_evening, t
from ..tables.named_games import read_game_names
from .ledger import Scope
from .payments import PaymentRequest
from .reading import Ledger, build_seen, list_valid_payments
from .scopes import BOX_KEY, parse_key_or_404

OUTSIDE = "outside"  # whom a form names besides people and the cash box


class ScopeForm(WriteForm):
    """Payments in the scope whose key is `of`, sent from the page whose key is `at`."""

    of = HiddenField()
    at = HiddenField()

    def read_scope(self, circle: Circle) -> Scope:
        """Return the scope; 404 if it or what the page shows is not in this circle."""
        if self.at.data != BOX_KEY:
            parse_key_or_404(circle, self.at.data or "")
        return parse_key_or_404(circle, self.of.data or "").scope


class PaymentForm(ScopeForm):
    """A payment that was made. The form parses what was typed, and the service checks it."""

    account = SelectField(validate_choice=False)
    giver = SelectField(validate_choice=False)
    taker = SelectField(validate_choice=False)
    amount = StringField()
    paid_on = DayField()
    method = SelectField(validate_choice=False)
    note = TextAreaField()
    planned = HiddenField()  # "yes" for a payment that the page has planned
    subunits: int  # the amount; set by `validate`

    def validate_amount(self, field: StringField) -> None:
        subunits = parse_payment(self.account.data or "", field.data, in_cash=self.method.data == CASH)
        if isinstance(subunits, Problem):
            raise ValidationError(subunits)
        self.subunits = subunits

    def read(self, circle: Circle) -> PaymentRequest:
        ids: dict[str, int | None] = {**read_ids_by_token(circle), BOX_KEY: None}
        kind = EXPENSE if self.taker.data == OUTSIDE else INCOME if self.giver.data == OUTSIDE else PAYMENT
        return PaymentRequest(
            account=self.account.data or "",
            giver=ids.get(self.giver.data or "", 0) if kind != INCOME else None,
            taker=ids.get(self.taker.data or "", 0) if kind != EXPENSE else None,
            amount=self.subunits,
            key=self.read_key(),
            kind=kind,
            paid_on=self.paid_on.data,
            method=self.method.data or None,
            note=clean_lines(self.note.data or ""),
            scope=self.read_scope(circle),
            is_planned=self.planned.data == "yes",
        )

    def prepare(self, ledger: Ledger, people: Iterable[Player], *, has_outside: bool = False) -> PaymentForm:
        """Fill in what the page shows: choices, the payments it has seen, a new key.

        `has_outside` offers expenses and income.
        """
        circle = ledger.circle
        names = read_game_names(circle)
        parties = [("", ""), *((person.token, person.name) for person in people), (BOX_KEY, t("cash-box.party"))]
        self.giver.choices = parties + ([(OUTSIDE, t("cash-box.income"))] if has_outside else [])
        self.taker.choices = parties + ([(OUTSIDE, t("cash-box.expense"))] if has_outside else [])
        open_in = sorted({entry.account for entry in ledger.entries})
        used = dict.fromkeys((*open_in, *list_used_currencies(circle.id), local_currency()))
        self.account.choices = [(key, key if is_currency(key) else account_name(key, names)) for key in used]
        self.method.choices = [("", ""), *((method, t(f"payment.method.{method}")) for method in METHODS)]
        self.seen.data = build_seen(circle)
        self.key.data = new_token()
        self.paid_on.data = self.paid_on.data or find_evening(now(), circle)
        return self


@dataclass(frozen=True)
class FormOutcome:
    """What became of payments that were just sent: they are recorded, or undone, or the form was refused, or stale.

    `unseen`: if the form was stale, the payments that its page had not shown; empty if only what is open has changed.
    """

    form: PaymentForm | None = None
    paid: Sequence[Payment] = ()
    undone: int = 0
    unseen: Sequence[Payment] | None = None


def read_form_outcome(circle: Circle) -> FormOutcome:
    """Return the payments that were just recorded, `?paid=<tokens>`, or how many were undone, `?undone=<number>`."""
    if "paid" not in request.args:
        return FormOutcome(undone=parse_digits(request.args.get("undone")) or 0)
    return FormOutcome(paid=list_valid_payments(circle, request.args["paid"].split(".")))
