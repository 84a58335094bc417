"""The forms of payments, and what becomes of a payment, as several pages have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flask import request
from wtforms import HiddenField, StringField
from wtforms.validators import AnyOf, DataRequired, ValidationError

from ..limits import MAX_NOTE_LENGTH, find_day_problem
from ..models import CASH, EXPENSE, INCOME, METHODS, PAYMENT, TRANSFER, Circle, Payment, Player, new_token, now
from ..people.reading import find_person
from ..scoring.currency import is_currency
from ..scoring.problems import Problem
from ..site.amounts import account_name, parse_payment
from ..site.currencies import list_used_currencies, local_currency
from ..site.fields import ChoiceField, DayField, LinesField, MaxLength, parse_digits
from ..site.forms import Form, WriteForm
from ..site.language import t
from ..site.time_zones import find_evening, local_time
from ..tables.named_games import read_game_names
from .ledger import Scope
from .open_accounts import Due
from .payments import PaymentRequest
from .reading import Ledger, build_seen, list_valid_payments
from .scopes import ALL, BOX_KEY, parse_key_or_404

OUTSIDE = "outside"  # whom a form names besides people and the cash box
Choice = tuple[str, str]  # a value, and its words


class PersonField(ChoiceField):
    """A person of the circle, by token, or another of the choices."""

    data: Any

    def offer(self, circle: Circle, people: Iterable[Player], *, first: Choice, last: Sequence[Choice] = ()) -> None:
        self.choices = [first, *((person.token, person.name) for person in people), *last]
        # A page from before players were merged may name one who is not offered any more.
        person = find_person(circle, self.data) if self.data else None
        if person is not None:
            self.data = person.token


class OfficeForm(Form):
    """Who is the banker or the cashier; nobody if it is blank. `nobody` says so."""

    person = PersonField()

    def __init__(self, circle: Circle, people: Iterable[Player], nobody: str = "", **values: Any) -> None:
        super().__init__(**values)
        self.person.offer(circle, people, first=("", nobody))


class ScopeForm(WriteForm):
    """Payments in the scope whose key is `of`, sent from the page whose key is `at`."""

    of = HiddenField(default=ALL)
    at = HiddenField(default=ALL)

    def read_scope(self, circle: Circle) -> Scope:
        """Return the scope; 404 if it or what the page shows is not in this circle."""
        if self.at.data != BOX_KEY:
            parse_key_or_404(circle, self.at.data or "")
        return parse_key_or_404(circle, self.of.data or "").scope


class PlanForm(ScopeForm):
    """All planned payments were made: `plan` is the hash of those that the page has shown."""

    plan = HiddenField(validators=[DataRequired()])
    method = HiddenField(default="", validators=[AnyOf(("", TRANSFER))])


class DueForm(ScopeForm):
    """The button which says that a planned payment was made. It is sent as a `PaymentForm`."""

    account = HiddenField()
    giver = HiddenField()
    taker = HiddenField()
    method = HiddenField()
    planned = HiddenField(default="yes")
    amount = StringField()


class UndoForm(ScopeForm):
    """The payments that one tap has recorded, by token; `seen` are the states of them that the page has shown."""

    paid = HiddenField(validators=[DataRequired()])


class PaymentForm(ScopeForm):
    """A payment that was made. The page of the cash box offers expenses and income, too."""

    account = ChoiceField()
    giver = PersonField(validators=[DataRequired(Problem("giver", "who-pays"))])
    taker = PersonField(validators=[DataRequired(Problem("taker", "who-is-paid"))])
    method = ChoiceField(default="")
    amount = StringField()
    paid_on = DayField()
    note = LinesField(validators=[MaxLength(MAX_NOTE_LENGTH)])
    planned = HiddenField()  # "yes" for a payment that the page has planned
    subunits: int  # the amount; set by `validate`

    def __init__(self, ledger: Ledger, people: Iterable[Player], **values: Any) -> None:
        self.circle = circle = ledger.circle
        super().__init__(paid_on=find_evening(now(), circle.time_zone), **values)
        names = read_game_names(circle)
        open_in = sorted({entry.account for entry in ledger.entries})
        used = dict.fromkeys((*open_in, *list_used_currencies(circle.id), local_currency()))
        self.account.choices = [(key, key if is_currency(key) else account_name(key, names)) for key in used]
        for field, outside in ((self.giver, "cash-box.income"), (self.taker, "cash-box.expense")):
            beyond = [(OUTSIDE, t(outside))] if self.at.data == BOX_KEY else []
            field.offer(circle, people, first=("", ""), last=[(BOX_KEY, t("cash-box.party")), *beyond])
        self.method.choices = [("", ""), *((method, t(f"payment.method.{method}")) for method in METHODS)]

    def validate_taker(self, field: PersonField) -> None:
        parties = (self.giver.data, field.data)
        if parties == (BOX_KEY, BOX_KEY):
            raise ValidationError(Problem("taker", "pays-themselves", {"giver": t("cash-box.party.first")}))
        if OUTSIDE in parties and BOX_KEY not in parties and not field.errors:
            raise ValidationError(Problem("taker", "outside-the-circle"))

    def validate_amount(self, field: StringField) -> None:
        if self.account.errors or self.method.errors:
            return  # what is typed has no meaning yet
        subunits = parse_payment(self.account.data, field.data, in_cash=self.method.data == CASH)
        if isinstance(subunits, Problem):
            raise ValidationError(subunits)
        self.subunits = subunits

    def validate_paid_on(self, field: DayField) -> None:
        if field.data is not None:
            today = local_time(now(), self.circle.time_zone).date()
            if key := "future-payment" if field.data > today else find_day_problem(field.data, today):
                raise ValidationError(Problem("paid_on", key))

    def read(self) -> PaymentRequest:
        kind = EXPENSE if self.taker.data == OUTSIDE else INCOME if self.giver.data == OUTSIDE else PAYMENT
        giver, taker = (find_person(self.circle, field.data) for field in (self.giver, self.taker))
        return PaymentRequest(
            account=self.account.data,
            giver=giver.id if giver is not None else None,
            taker=taker.id if taker is not None else None,
            amount=self.subunits,
            key=self.read_key(),
            kind=kind,
            paid_on=self.paid_on.data,
            method=self.method.data or None,
            note=self.note.data or "",
            scope=self.read_scope(self.circle),
            is_planned=self.planned.data == "yes",
        )

    def renew(self) -> PaymentForm:
        """Make the form ready to be sent: its page shows all payments so far, and has a new key."""
        self.seen.data = build_seen(self.circle)
        self.key.data = new_token()
        return self

    def make_button(self, due: Due) -> DueForm:
        """Return the form for a planned payment of the page."""
        return DueForm(
            formdata=None,
            of=self.of.data,
            at=self.at.data,
            seen=self.seen.data,
            account=due.account,
            giver=due.giver_token,
            taker=due.taker_token,
            method=due.method or "",
            amount=due.typed,
        )


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
    """Return the payments that were just recorded, `?paid=<key>`, or how many were undone, `?undone=<number>`."""
    if "paid" not in request.args:
        return FormOutcome(undone=parse_digits(request.args.get("undone")) or 0)
    return FormOutcome(paid=list_valid_payments(circle, request.args["paid"]))
