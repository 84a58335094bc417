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
from werkzeug.exceptions import BadRequest
from wtforms import BooleanField, HiddenField, RadioField, StringField

from ...scoring import values
from ...scoring.game import Game
from ...scoring.problems import Problem
from ...tables.revisions import RevisionLike
from .numbers import ambiguity, read_amount, read_whole

CURRENCIES = ("EUR", "CHF", "CAD", "GBP", "USD")
MAX_SEATS = 5
MAX_DIGITS = 9  # of a count or an id: what any database's integers take
MAX_KEY_LENGTH = 100  # of an entry's key; a page of ours makes at most 60 characters
MAX_REASON_LENGTH = 200  # letters; the field takes no more
VALUE_PLACES = 6  # decimal places of what a counter is worth

one_line = values.clean_name  # of what is typed into any form


def parse_id(text: str | None) -> int | None:
    """Return a count or an id from a URL or a hidden field; None unless it has one to nine ASCII digits."""
    told = text or ""
    return int(told) if told.isascii() and told.isdecimal() and len(told) <= MAX_DIGITS else None


def is_typed(typed: str, words: str) -> bool:
    """Return whether the words were typed to confirm something; case and Unicode composition do not matter."""
    return normalize("NFC", typed).casefold() == normalize("NFC", one_line(words)).casefold()


def new_key() -> str:
    """Return a random idempotency key: a form that is sent twice is recorded once."""
    return secrets.token_urlsafe(12)


def checked_key(key: str | None) -> str:
    """Return the idempotency key that a form sent.

    Raises:
        BadRequest: it is missing, or not one that the app's pages could have sent.
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


def _not_too_long(key: str | None) -> str | None:
    """Raises BadRequest for a key that no page of ours has made; a database's index takes no text of any length."""
    if key is not None and len(key) > MAX_KEY_LENGTH:
        raise BadRequest
    return key


class WriteForm(Form):
    """The hidden fields of every write to a table: the last revision its page showed, and an idempotency key."""

    seen = HiddenField()
    key = HiddenField(default=new_key)

    @property
    def entry_key(self) -> str:
        """The idempotency key; raises BadRequest as `checked_key` does."""
        return checked_key(self.key.data)

    def see(self, seen: int, since: Iterable[RevisionLike] = ()) -> None:
        """Send so many revisions seen from now on; and another key, if one of `since` was recorded under this one."""
        self.seen.data = str(seen)
        if any(revision.entry_key == self.key.data for revision in since):
            self.key.data = new_key()

    @property
    def has_seen(self) -> int:
        """The revisions seen; −1, which is always stale, where that is not told."""
        told = parse_id(self.seen.data)
        return -1 if told is None else told


class AdjustmentForm(WriteForm):
    """An adjustment. `kind` is "points", given to a party, or "counters", from one player to another."""

    kind = HiddenField()
    giver = RadioField(validate_choice=False)
    to = RadioField(validate_choice=False)
    unit = RadioField(validate_choice=False)
    amount = StringField()
    reason = StringField()

    @property
    def counted_in(self) -> str:
        """The key of the amount in a sheet: points, fiches or jetons."""
        return (self.unit.data or "fiches") if self.kind.data == "counters" else "points"

    @property
    def unclear(self) -> Problem | None:
        return ambiguity(f"adjustment.{self.counted_in}", self.amount.data, 0)

    def facts(self) -> dict[str, Any]:
        """Return the facts as a sheet stores them, not yet validated."""
        told: dict[str, Any] = {"to": self.to.data}
        if self.kind.data == "counters":
            told["from"] = self.giver.data
        told[self.counted_in] = read_whole(self.amount.data)
        told = {key: value for key, value in told.items() if value is not None}
        reason = one_line(self.reason.data)[:MAX_REASON_LENGTH]
        return {"adjustment": told | ({"reason": reason} if reason else {})}


class PaymentForm(WriteForm):
    """A payment that was made."""

    of = HiddenField()
    at = HiddenField()
    account = HiddenField()
    giver = HiddenField()
    taker = HiddenField()
    amount = StringField()


class LeavingForm(WriteForm):
    """Whether to close the table `like`, which the players leave to open another."""

    like = HiddenField()
    close = BooleanField(default=True)


class PadForm(WriteForm):
    """The dealer and the taps. Each group of the pad is a field, which the pad knows and this form does not."""

    dealer = RadioField(validate_choice=False)

    @property
    def taps(self) -> dict[str, str]:
        """Every submitted field that is not empty; the pad ignores those that are not groups of its own."""
        return {name: value for name, value in request.form.items() if value}


# --- opening a table ---------------------------------------------------------------------------------------

SWITCH, CHOICE, NUMBER = "switch", "choice", "number"


@dataclass(frozen=True)
class OptionField:
    """A field for a house rule. A rule of several numbers has a field for each of them."""

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
    def at(self) -> str:
        """The field name of problems with this value."""
        return f"house_rules.{self.option}.{self.part}" if self.part else f"house_rules.{self.option}"


def option_fields(game: Game) -> list[OptionField]:
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

    def told_names(self) -> dict[str, str]:
        """The names by seat, empty seats left out."""
        typed = {str(n): one_line(self[f"seat-{n}"].data) for n in range(1, MAX_SEATS + 1)}
        return {seat: name for seat, name in typed.items() if name}

    def told_value(self) -> dict[str, str] | None:
        """What a unit is worth, or None where the table does not play for money.

        The amount is empty, and so refused, where what was typed is not an amount, or may be two.
        """
        if not (self.amount.data or "").strip():
            return None
        found = read_amount("value.amount", self.amount.data, VALUE_PLACES)
        amount = "" if isinstance(found, Problem) else f"{found:f}"
        return {"currency": self.currency.data or "", "unit": self.unit.data or "fiche", "amount": amount}

    def in_other_words(self, problem: Problem, game: Game) -> Problem:
        """What a problem of the domain says of a number, for one who typed it into a field and not into a sheet."""
        if problem.field == "value.amount":
            found = read_amount(problem.field, self.amount.data, VALUE_PLACES)
            return found if isinstance(found, Problem) else problem
        field = next((field for field in option_fields(game) if field.at == problem.field), None)
        typed = self[field.name].data if field is not None and field.kind == NUMBER else None
        return ambiguity(problem.field, typed, 0) or problem

    def told_house_rules(self, game: Game) -> dict[str, Any]:
        """Every house rule as it was set; a rule of several numbers is left out where none of them is typed."""
        rules: dict[str, Any] = {}
        for field in option_fields(game):
            data = self[field.name].data
            if not field.part:
                rules[field.option] = _as_told(field, data)
            elif (data or "").strip():
                rules.setdefault(field.option, {})[field.part] = read_whole(data)
        return rules


def _as_told(field: OptionField, data: Any) -> Any:
    if field.kind == SWITCH:
        return bool(data)
    is_number = field.kind == NUMBER or isinstance(field.default, int)
    return read_whole(data) if is_number else data


def opening_form(game: Game, currency: str) -> type[OpeningForm]:
    """Return a form class with fields for the seats and for the game's house rules."""
    form = type("GameOpeningForm", (OpeningForm,), {})
    setattr(form, "currency", StringField(default=currency))  # noqa: B010  # as every field of a form made here
    for number in range(1, MAX_SEATS + 1):
        setattr(form, f"seat-{number}", StringField())
    for field in option_fields(game):
        shown = "" if field.default is None else str(field.default)
        made = BooleanField(default=field.default) if field.kind == SWITCH else StringField(default=shown)
        setattr(form, field.name, made)
    return form
