"""The app's forms. A game's options become fields; facts are validated by the game, not by WTForms.

Fields keep submitted values unchanged: the game rejects an impossible choice with a reason, and the page shows both.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints
from unicodedata import normalize

from flask import abort, request
from flask_wtf import FlaskForm
from wtforms import BooleanField, HiddenField, RadioField, StringField

from ...scoring.game import AnyGame
from ...scoring.problems import Problem
from ...scoring.values import clean_name
from ...tables.revisions import RevisionLike
from .numbers import ambiguity, parse_amount, parse_int

CURRENCIES = ("EUR", "CHF", "CAD", "GBP", "USD")
MAX_SEATS = 5
MAX_DIGITS = 9  # of a count or an id: such numbers fit the integers of every database
MAX_KEY_LENGTH = 100  # characters of an entry key; the app's pages send at most 60
MAX_REASON_LENGTH = 200  # characters, like the input's maxlength
VALUE_PLACES = 6  # decimal places of what a counter is worth


def parse_id(text: str | None) -> int | None:
    """Return a count or an id from a URL or a hidden field; None unless it has one to nine ASCII digits."""
    text = text or ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else None


def is_confirmed(typed: str, expected: str) -> bool:
    """Return whether the expected words were typed to confirm something; case and Unicode composition do not matter."""
    return normalize("NFC", typed).casefold() == normalize("NFC", clean_name(expected)).casefold()


def new_key() -> str:
    """Return a random idempotency key: a form that is sent twice is recorded once."""
    return secrets.token_urlsafe(12)


def validate_key(key: str | None) -> str:
    """Return the idempotency key that a form sent.

    Raises:
        BadRequest: the key is missing, or not one that the app's pages could have sent.
    """
    if not key or len(key) > MAX_KEY_LENGTH or not key.isprintable():
        abort(400)
    return key


class Form(FlaskForm):
    """Base of the forms. They have no CSRF field of their own, because CSRFProtect checks every POST."""

    class Meta(FlaskForm.Meta):
        csrf = False

        def wrap_formdata(self, form: FlaskForm, formdata: Any) -> Any:
            """Read text fields only. Flask-WTF would also accept an uploaded file, or JSON, as a field's text."""
            return request.form or None if formdata is not None and form.is_submitted() else None


class WriteForm(Form):
    """The hidden fields of every write to a table: the last revision its page showed, and an idempotency key."""

    seen = HiddenField()
    key = HiddenField(default=new_key)

    @property
    def entry_key(self) -> str:
        """The idempotency key; raises BadRequest as `validate_key` does."""
        return validate_key(self.key.data)

    def set_version(self, version: int, since: Iterable[RevisionLike] = ()) -> None:
        """Set the last revision that the page shows; and another key, if one of `since` was recorded under this one."""
        self.seen.data = str(version)
        if any(revision.entry_key == self.key.data for revision in since):
            self.key.data = new_key()

    @property
    def seen_version(self) -> int:
        """The last revision that the page showed; without a valid one −1, which is always stale."""
        version = parse_id(self.seen.data)
        return -1 if version is None else version


class AdjustmentForm(WriteForm):
    """An adjustment. `kind` is "points", given to a party, or "counters", from one player to another."""

    kind = HiddenField()
    giver = RadioField(validate_choice=False)
    to = RadioField(validate_choice=False)
    unit = RadioField(validate_choice=False)
    amount = StringField()
    reason = StringField()

    @property
    def amount_key(self) -> str:
        """The key of the amount in a sheet: points, fiches or jetons."""
        return (self.unit.data or "fiches") if self.kind.data == "counters" else "points"

    @property
    def ambiguity(self) -> Problem | None:
        """The problem of an amount with two readings, or None."""
        return ambiguity(f"adjustment.{self.amount_key}", self.amount.data, 0)

    def facts(self) -> dict[str, Any]:
        """Return the facts as a sheet stores them, not yet validated."""
        facts: dict[str, Any] = {"to": self.to.data}
        if self.kind.data == "counters":
            facts["from"] = self.giver.data
        facts[self.amount_key] = parse_int(self.amount.data)
        facts = {key: value for key, value in facts.items() if value is not None}
        reason = clean_name(self.reason.data)[:MAX_REASON_LENGTH]
        return {"adjustment": facts | ({"reason": reason} if reason else {})}


class LeavingForm(WriteForm):
    """Whether to close the table with the token `like`, which the players leave to open another."""

    like = HiddenField()
    close = BooleanField(default=True)


class PadForm(WriteForm):
    """The dealer and the taps. Each choice group of the pad is a field; the pad validates it, not this form."""

    dealer = RadioField(validate_choice=False)

    @property
    def taps(self) -> dict[str, str]:
        """Every submitted field that is not empty; the pad ignores fields that are not its groups."""
        return {name: value for name, value in request.form.items() if value}


# --- opening a table ---------------------------------------------------------------------------------------

SWITCH, CHOICE, NUMBER = "switch", "choice", "number"


@dataclass(frozen=True)
class OptionField:
    """A field for a house rule. A rule of several numbers has a field for each of them.

    Attributes:
        option: the name of the house rule.
        part: the name of the number in a rule of several; else empty.
        kind: SWITCH, CHOICE or NUMBER.
    """

    option: str
    part: str
    kind: str
    choices: tuple[Any, ...]
    default: Any

    @property
    def name(self) -> str:
        """The name of the form field."""
        return f"rule-{self.option}-{self.part}" if self.part else f"rule-{self.option}"

    @property
    def problem_field(self) -> str:
        """The field name of problems with this value."""
        return f"house_rules.{self.option}.{self.part}" if self.part else f"house_rules.{self.option}"


def option_fields(game: AnyGame) -> list[OptionField]:
    """Return the fields of a game's house rules, in their order."""
    hints = get_type_hints(game.options, include_extras=True)
    return [field for f in fields(game.options) for field in _option_fields(f.name, hints[f.name], f.default)]


def _option_fields(option: str, annotation: Any, default: Any) -> list[OptionField]:
    if annotation is bool:
        return [OptionField(option, "", SWITCH, (), default)]
    if get_origin(annotation) is Literal:
        return [OptionField(option, "", CHOICE, get_args(annotation), default)]
    parts = next((a for a in get_args(annotation) if isinstance(a, type) and is_dataclass(a)), None)
    if parts is not None:
        return [OptionField(option, part.name, NUMBER, (), None) for part in fields(parts)]
    return [OptionField(option, "", NUMBER, (), default)]


class OpeningForm(Form):
    """The form that opens a table: seats, first dealer, value of a counter, house rules; see `opening_form`."""

    opening_key = HiddenField(default=new_key)
    dealer = RadioField(validate_choice=False, default="1")
    currency = StringField()
    unit = RadioField(validate_choice=False)
    amount = StringField()

    def names(self) -> dict[str, str]:
        """Return the names by seat, without empty seats."""
        names = {str(n): clean_name(self[f"seat-{n}"].data) for n in range(1, MAX_SEATS + 1)}
        return {seat: name for seat, name in names.items() if name}

    def counter_value(self) -> dict[str, str] | None:
        """Return what a counter is worth as a sheet stores it; None at a table without stakes.

        The amount is empty, which the domain refuses, if the text is not an amount or has two readings.
        """
        if not (self.amount.data or "").strip():
            return None
        parsed = parse_amount("value.amount", self.amount.data, VALUE_PLACES)
        amount = "" if isinstance(parsed, Problem) else f"{parsed:f}"
        return {"currency": self.currency.data or "", "unit": self.unit.data or "fiche", "amount": amount}

    def specify(self, problem: Problem, game: AnyGame) -> Problem:
        """Return the problem that explains how to type the number, if a problem of the domain is about one."""
        if problem.field == "value.amount":
            parsed = parse_amount(problem.field, self.amount.data, VALUE_PLACES)
            return parsed if isinstance(parsed, Problem) else problem
        field = next((field for field in option_fields(game) if field.problem_field == problem.field), None)
        typed = self[field.name].data if field is not None and field.kind == NUMBER else None
        return ambiguity(problem.field, typed, 0) or problem

    def house_rules(self, game: AnyGame) -> dict[str, Any]:
        """Return every house rule as submitted. A rule of several numbers is left out if all of them are empty."""
        rules: dict[str, Any] = {}
        for field in option_fields(game):
            data = self[field.name].data
            if not field.part:
                rules[field.option] = _option_value(field, data)
            elif (data or "").strip():
                rules.setdefault(field.option, {})[field.part] = parse_int(data)
        return rules


def _option_value(field: OptionField, data: Any) -> Any:
    if field.kind == SWITCH:
        return bool(data)
    is_number = field.kind == NUMBER or isinstance(field.default, int)
    return parse_int(data) if is_number else data


def opening_form(game: AnyGame, currency: str) -> type[OpeningForm]:
    """Return a form class with fields for the seats and for the game's house rules."""
    form = type("GameOpeningForm", (OpeningForm,), {})
    setattr(form, "currency", StringField(default=currency))  # noqa: B010  # as for the fields below
    for number in range(1, MAX_SEATS + 1):
        setattr(form, f"seat-{number}", StringField())
    for field in option_fields(game):
        text = "" if field.default is None else str(field.default)
        form_field = BooleanField(default=field.default) if field.kind == SWITCH else StringField(default=text)
        setattr(form, field.name, form_field)
    return form
