"""Fields and validators of the app's forms. What is wrong is a `Problem`, which pages say in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wtforms import (
    DateField,
    Field,
    HiddenField,
    IntegerField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import ValidationError

from ..limits import parse_day
from ..scoring.problems import Problem
from ..scoring.values import clean_lines, clean_name
from .numbers import ambiguity, parse_int

MAX_DIGITS = 9  # of a number in an address: such numbers fit the integers of every database
_MAX_REPEATED = 40  # characters of what was typed that a message repeats


class MaxLength:
    """Refuse a text of more than `most` characters; browsers stop there.

    One that is stored may be longer, since placeholders have replaced erased names: it stays if nobody changes it.
    """

    def __init__(self, most: int, key: str = "long-text") -> None:
        self.most = most
        self.key = key
        self.field_flags = {"maxlength": most}

    def __call__(self, _form: object, field: Field) -> None:
        if field.data != field.object_data and len(field.data or "") > self.most:
            raise ValidationError(Problem(field.name, self.key, {"most": self.most}))


# --- what is typed or chosen -------------------------------------------------------------------------------


class TextField(StringField):
    """One line of text, without spaces around it or invisible characters."""

    def process_formdata(self, valuelist: list[str]) -> None:
        self.data = clean_name(next(iter(valuelist), ""))


class LinesField(TextAreaField):
    """Several lines of text, each cleaned as that of a `TextField`. The page shows it again as it was typed."""

    def process_formdata(self, valuelist: list[str]) -> None:
        self.data = clean_lines(next(iter(valuelist), ""))

    def _value(self) -> str:
        return "".join(self.raw_data) if self.raw_data else self.data or ""


class ParsedField(StringField):
    """A text that is stored as `parse` returns it, None if it is blank; or shown as it was typed, with the problem."""

    data: Any

    def __init__(self, *, parse: Callable[[str], str | Problem], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.parse = parse

    def process_formdata(self, valuelist: list[str]) -> None:
        parsed = self.parse(next(iter(valuelist), ""))
        self.data = None
        if isinstance(parsed, Problem):
            raise ValueError(parsed)
        self.data = parsed or None

    def _value(self) -> str:
        return str(self.raw_data[0]) if self.raw_data else self.data or ""


class NumberField(IntegerField):
    """A whole number from `least` to `most`, with the digits and separators of any language; None if it is blank."""

    data: Any

    def __init__(self, *args: Any, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.least = least
        self.most = most

    def process_formdata(self, valuelist: list[str]) -> None:
        typed = next(iter(valuelist), "").strip()
        self.raw_data = [typed]  # for InputRequired, to which spaces would be input
        number = parse_int(typed)
        self.data = number if isinstance(number, int) else None
        if typed and (self.data is None or not self.least <= self.data <= self.most):
            limits = Problem(self.name, "number-between", {"least": self.least, "most": self.most})
            raise ValueError(ambiguity(self.name, typed, 0) or limits)


class DayField(DateField):
    """A day in ISO format, as browsers send it; None if it is blank."""

    data: Any
    raw_data: Any

    def process_formdata(self, valuelist: list[str]) -> None:
        typed = clean_name(next(iter(valuelist), ""))
        if not typed:
            self.raw_data = []  # for InputRequired, to which spaces would be input
        self.data = parse_day(typed)
        if typed and self.data is None:
            raise ValueError(Problem(self.name, "date", {"found": typed[:_MAX_REPEATED]}))


class ChoiceField(SelectField):
    """One of the choices, from a list. A page from before the choices changed may send another: it is refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        unknown = Problem("", "not-among-choices")
        super().__init__(*args, invalid_value_message=unknown, invalid_choice_message=unknown, **kwargs)


class TapField(ChoiceField, RadioField):
    """One of the choices, each a cell to tap."""


class ChoicesField(ChoiceField, SelectMultipleField):
    """Any number of the choices."""

    def pre_validate(self, _form: object) -> None:
        """Refuse what is not among the choices; WTForms would format a text with it."""
        values = {choice.value for choice in self.iter_choices()}
        if self.validate_choice and not values.issuperset(self.data or ()):
            raise ValidationError(Problem(self.name, "not-among-choices"))


# --- what a page has put into its form ---------------------------------------------------------------------


def parse_digits(text: str | None) -> int | None:
    """Return the number in an address or a hidden field; None unless it has one to nine ASCII digits."""
    text = text or ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else None


class DigitsField(HiddenField):
    """A number, or None; invalid unless it has one to nine ASCII digits, or none."""

    data: Any

    def process_formdata(self, valuelist: list[str]) -> None:
        text = next(iter(valuelist), "")
        self.data = parse_digits(text)
        if text and self.data is None:
            raise ValueError(text)


class SwitchField(HiddenField):
    """What a button turns on or off: "yes" or "no". One of them must be sent."""

    data: Any

    def process_formdata(self, valuelist: list[str]) -> None:
        self.data = {"yes": True, "no": False}.get(next(iter(valuelist), ""))

    def pre_validate(self, _form: object) -> None:
        if self.data is None:
            raise ValidationError("neither yes nor no")
