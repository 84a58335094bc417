"""Forms of a circle's pages. The errors of their fields are Problems, which templates render with `problem_message`."""

from __future__ import annotations

from typing import Self

from wtforms import HiddenField, SelectField, StringField, ValidationError

from ...payment_details import parse_iban, parse_payment_link
from ...scoring.problems import Problem
from ...scoring.values import clean_name
from ..support.amounts import parse_payment
from ..support.forms import Form, WriteForm, is_confirmed


class ProblemForm(Form):
    """A form that can also show problems found by a service."""

    def add_problem(self, problem: Problem) -> None:
        """Add a problem to the errors of its field, or to those of the form if it has no such field."""
        if problem.field in self:
            field = self[problem.field]
            field.errors = [*field.errors, problem]
        else:
            self.form_errors.append(problem)

    @property
    def problems(self) -> list[Problem]:
        """The problems of the form and of all its fields."""
        return [*self.form_errors, *(problem for field in self for problem in field.errors)]


class TimeZoneForm(ProblemForm):
    """A circle's time zone; blank for the server's."""

    time_zone = StringField(filters=[clean_name])


class ErasureForm(ProblemForm):
    """Confirmation of an erasure: the `phrase` has to be typed."""

    typed = StringField(filters=[clean_name])
    phrase: str

    @classmethod
    def to_confirm(cls, phrase: str) -> Self:
        """Return the form with the phrase that has to be typed."""
        form = cls()
        form.phrase = phrase
        return form

    def confirms(self, phrase: str) -> bool:
        """Return whether this phrase was typed."""
        return is_confirmed(self.typed.data, phrase)

    def validate_typed(self, field: StringField) -> None:
        """Compare what was typed with the phrase."""
        if not is_confirmed(field.data, self.phrase):
            raise ValidationError(Problem("typed", "not-the-words", {"must": self.phrase}))


class PersonErasureForm(ErasureForm):
    """Confirmation that a person's name is to be erased, and former names to erase as well, separated by commas."""

    earlier = StringField(filters=[clean_name])

    @property
    def earlier_names(self) -> list[str]:
        """The former names, some perhaps empty."""
        return [name.strip() for name in self.earlier.data.split(",")]


class RenameForm(ProblemForm):
    """A person's new name."""

    name = StringField(filters=[clean_name])


class PaymentDetailsForm(ProblemForm):
    """How a person wants to be paid; blank for what they leave open. The fields keep what was typed."""

    iban = StringField()
    payment_link = StringField()
    parsed_iban: str  # as they are stored; set by `validate`
    parsed_link: str

    def validate_iban(self, field: StringField) -> None:
        """Check an IBAN."""
        result = parse_iban(field.data)
        if isinstance(result, Problem):
            raise ValidationError(result)
        self.parsed_iban = result

    def validate_payment_link(self, field: StringField) -> None:
        """Check a payment link."""
        result = parse_payment_link(field.data)
        if isinstance(result, Problem):
            raise ValidationError(result)
        self.parsed_link = result


class MergeForm(ProblemForm):
    """The person to merge another one into; the view sets the choices."""

    into = SelectField(validate_choice=False)

    def validate_into(self, field: SelectField) -> None:
        """Require one of the choices, other than the empty one."""
        if not field.data or field.data not in dict(field.choices):
            raise ValidationError(Problem("into", "who-is-it"))


class PaymentForm(ProblemForm, WriteForm):
    """A payment that was made; `seen` is the mark of the last payment that the page showed.

    `of` is the key of what the payment settles, `at` that of the page it was entered on: see `settlements.py`.
    """

    of = HiddenField()
    at = HiddenField()
    account = HiddenField()
    giver = HiddenField()
    taker = HiddenField()
    amount = StringField()
    subunits: int  # the amount; set by `validate`

    def validate_amount(self, field: StringField) -> None:
        """Parse the amount in the account's unit."""
        subunits = parse_payment(self.account.data, field.data)
        if isinstance(subunits, Problem):
            raise ValidationError(subunits)
        self.subunits = subunits
