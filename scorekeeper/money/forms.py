"""The form of a payment, and what becomes of it, as several pages have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from flask import g, request
from wtforms import DateField, HiddenField, StringField, TextAreaField, ValidationError
from wtforms.validators import Optional

from ..models import EXPENSE, INCOME, METHODS, PAYMENT, Circle, Payment, Player
from ..people.players import read_ids_by_token
from ..scoring.currency import is_currency
from ..scoring.problems import Problem
from ..scoring.values import clean_lines
from ..site.amounts import account_name, format_amount, local_currency, parse_payment
from ..site.currencies import list_used_currencies
from ..site.forms import ProblemForm, WriteForm
from ..site.language import find_evening, t
from ..site.time_zones import now
from ..tables.opening import read_names as read_game_names
from .ledger import EVERYTHING
from .payments import PaymentRequest
from .reading import Ledger, build_seen, list_payments
from .scopes import CASH_BOX, is_account_of, parse_key_or_404

OUTSIDE = "outside"  # whom a form names besides people and the cash box


class PaymentForm(ProblemForm, WriteForm):
    """A payment that was made; `of` is the key of what it was made for, `at` that of the page it was entered on."""

    of = HiddenField()
    at = HiddenField()
    account = StringField()
    giver = StringField()
    taker = StringField()
    amount = StringField()
    paid_on = DateField(validators=[Optional()])
    method = StringField()
    note = TextAreaField()
    subunits: int  # the amount; set by `validate`

    def validate_account(self, field: StringField) -> None:
        if not is_account_of(g.membership.circle, field.data or ""):
            raise ValidationError(Problem("account", "not-among-choices"))

    def validate_amount(self, field: StringField) -> None:
        """Parse the amount in the account's unit."""
        subunits = parse_payment(self.account.data, field.data) if not self.account.errors else 1
        if isinstance(subunits, Problem):
            raise ValidationError(subunits)
        self.subunits = subunits

    def validate_paid_on(self, field: DateField) -> None:
        if field.raw_data and field.raw_data[0] and field.data is None:
            field.errors = []
            raise ValidationError(Problem("paid_on", "date", {"found": field.raw_data[0][:40]}))

    @property
    def kind(self) -> str:
        return EXPENSE if self.taker.data == OUTSIDE else INCOME if self.giver.data == OUTSIDE else PAYMENT

    def read(self, circle: Circle) -> PaymentRequest:
        ids: dict[str, int | None] = {**read_ids_by_token(circle), CASH_BOX: None, OUTSIDE: None}
        return PaymentRequest(
            account=self.account.data or "",
            giver=ids.get(self.giver.data or "", 0),
            taker=ids.get(self.taker.data or "", 0),
            amount=self.subunits,
            key=self.read_key(),
            kind=self.kind,
            paid_on=self.paid_on.data,
            method=self.method.data or None,
            note=clean_lines(self.note.data or ""),
            scope=parse_key_or_404(circle, self.of.data or ""),
        )


@dataclass(frozen=True)
class Choices:
    """What the form of a payment offers: values with their words."""

    givers: list[tuple[str, str]]
    takers: list[tuple[str, str]]
    units: list[tuple[str, str]]
    methods: list[tuple[str, str]]
    today: date


def make_choices(ledger: Ledger, people: Iterable[Player], *, outside: bool = False) -> Choices:
    """Return the choices of a circle's form; with `outside`, also expenses and income of the cash box."""
    circle, names = ledger.circle, read_game_names(ledger.circle)
    parties = [(person.token, person.name) for person in people] + [(CASH_BOX, t("cash-box.party"))]
    open_in = sorted({entry.account for entry in ledger.entries})
    used = (*open_in, *list_used_currencies(circle.id), local_currency())
    return Choices(
        givers=parties + ([(OUTSIDE, t("cash-box.income"))] if outside else []),
        takers=parties + ([(OUTSIDE, t("cash-box.expense"))] if outside else []),
        units=[(key, key if is_currency(key) else account_name(key, names)) for key in dict.fromkeys(used)],
        methods=[(method, t(f"payment.method.{method}")) for method in METHODS],
        today=find_evening(now(), circle),
    )


def make_form(circle: Circle, key: str, at: str | None = None) -> PaymentForm:
    """Return a blank form for a payment in a scope, entered on the page `at`, by default that of the scope."""
    return PaymentForm(formdata=None, seen=build_seen(circle), of=key, at=at or key)


@dataclass(frozen=True)
class Outcome:
    """What became of a payment that was just sent: it is recorded, or its form was refused, stale or sent before."""

    paid: Sequence[Payment] = ()
    ahead: str = ""
    form: PaymentForm | None = None
    since: Sequence[Payment] = ()
    earlier: Payment | None = None


def read_outcome(circle: Circle, ledger: Ledger) -> Outcome:
    """Return the payments that were just recorded, `?paid=<tokens>`, and whether somebody is ahead by them."""
    tokens = request.args.get("paid", "").split(".")
    standing = Payment.token.in_(tokens), Payment.withdrawn_at.is_(None)
    found = list_payments(circle, *standing) if tokens != [""] else []
    ahead = ""
    if len(found) == 1 and found[0].giver is not None:
        account = ledger.read_accounts(EVERYTHING).get(found[0].account)
        name = found[0].giver.person.name
        amount = account.open.get(name, 0) if account is not None else 0
        ahead = t("settlement.ahead", who=name, amount=format_amount(found[0].account, amount)) if amount > 0 else ""
    return Outcome(paid=found, ahead=ahead)
