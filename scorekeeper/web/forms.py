"""WTForms made from what a game says of itself: its pad, its options. Facts are checked by the domain, not here.

What was sent is kept as it was sent: a choice that cannot be is refused by the game, with its reason.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints
from unicodedata import normalize

from flask import request
from flask_wtf import FlaskForm
from wtforms import BooleanField, HiddenField, RadioField, StringField

from ..scoring import values
from ..scoring.game import Game

CURRENCIES = ("EUR", "CHF", "CAD", "GBP", "USD")
MOST_SEATS = 5
MOST_DIGITS = 9  # of a count or an id: what any database's integers take
MOST_IN_REASON = 200  # letters; the field takes no more
_WHOLE = re.compile(r"[+\-−]?[0-9]{1,15}")

one_line = values.one_line  # of what is typed into any form


def whole(text: str | None) -> int | str:
    """The whole number that was typed, or what was typed instead, for the domain to remark on."""
    typed = (text or "").strip()
    return int(typed.replace("−", "-")) if _WHOLE.fullmatch(typed) else typed


def told_number(text: str | None) -> int | None:
    """The number that an address or a hidden field tells: a count or an id, of nine digits at most; else None."""
    told = text or ""
    return int(told) if told.isdecimal() and len(told) <= MOST_DIGITS else None


def is_typed(typed: str, words: str) -> bool:
    """Whether these words were typed, whatever the keyboard made of their letters and capitals."""
    return normalize("NFC", typed).casefold() == normalize("NFC", one_line(words)).casefold()


class Form(FlaskForm):
    """Without a CSRF token of its own: CSRFProtect asks one of every POST, whatever is sent by it."""

    class Meta(FlaskForm.Meta):
        csrf = False


class WriteForm(Form):
    """What every write to a table sends: how many revisions its page had seen, and the key of the entry."""

    seen = HiddenField()
    key = HiddenField(default=lambda: secrets.token_urlsafe(12))

    @property
    def has_seen(self) -> int:
        """The revisions seen; −1, which is always stale, where that is not told."""
        told = told_number(self.seen.data)
        return -1 if told is None else told


class AdjustmentForm(WriteForm):
    """Points to a party, or counters from a player to another; which of the two is `kind`."""

    kind = HiddenField()
    giver = RadioField(validate_choice=False)
    to = RadioField(validate_choice=False)
    unit = RadioField(validate_choice=False)
    amount = StringField()
    reason = StringField()

    def facts(self) -> dict[str, Any]:
        told: dict[str, Any] = {"to": self.to.data}
        if self.kind.data == "counters":
            told |= {"from": self.giver.data, (self.unit.data or "fiches"): whole(self.amount.data)}
        else:
            told["points"] = whole(self.amount.data)
        told = {key: value for key, value in told.items() if value is not None}
        reason = one_line(self.reason.data)[:MOST_IN_REASON]
        return {"adjustment": told | ({"reason": reason} if reason else {})}


class PaymentForm(WriteForm):
    """A payment that was made. `of` says what for: all, day:…, table:… or settlement:…; `at` likewise on which page.

    `amount` is as it was typed.
    """

    of = HiddenField()
    at = HiddenField()
    account = HiddenField()
    giver = HiddenField()
    taker = HiddenField()
    amount = StringField()


class LeavingForm(WriteForm):
    """Whether the table that the players come from is closed when they sit down at another."""

    like = HiddenField()
    close = BooleanField(default=True)


class PadForm(WriteForm):
    """Who dealt, and the taps: each group of the pad sends a field of its name; the pad knows them, not the form."""

    dealer = RadioField(validate_choice=False)

    @property
    def taps(self) -> dict[str, str]:
        """All that was sent; the pad heeds what its groups know."""
        return {name: told for name, told in request.form.items() if told}


# --- opening a table ---------------------------------------------------------------------------------------

SWITCH, CHOICE, NUMBER = "switch", "choice", "number"


@dataclass(frozen=True)
class OptionField:
    """One thing to set of a house rule: `part` names a number of a rule that is made of several."""

    option: str
    part: str
    kind: str
    choices: tuple[Any, ...]
    default: Any

    @property
    def name(self) -> str:
        return f"rule-{self.option}-{self.part}" if self.part else f"rule-{self.option}"

    @property
    def at(self) -> str:
        """Where a remark on it is located."""
        return f"house_rules.{self.option}.{self.part}" if self.part else f"house_rules.{self.option}"


def option_fields(game: Game) -> list[OptionField]:
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
    """Who sits where, who deals, what is played for; made for a game by `opening_form`."""

    dealer = RadioField(validate_choice=False, default="1")
    currency = StringField()
    unit = RadioField(validate_choice=False)
    amount = StringField()

    def told_names(self) -> dict[str, str]:
        """The names by seat, empty seats left out."""
        typed = {str(n): one_line(self[f"seat-{n}"].data) for n in range(1, MOST_SEATS + 1)}
        return {seat: name for seat, name in typed.items() if name}

    def told_value(self) -> dict[str, str] | None:
        """What a unit is worth, or None where the table does not play for money; a comma may mark the decimals."""
        amount = (self.amount.data or "").strip().replace(",", ".")
        if not amount:
            return None
        return {"currency": self.currency.data or "", "unit": self.unit.data or "fiche", "amount": amount}

    def told_house_rules(self, game: Game) -> dict[str, Any]:
        """Every house rule as it was set; a rule of several numbers is left out where none of them is typed."""
        rules: dict[str, Any] = {}
        for field in option_fields(game):
            data = self[field.name].data
            if not field.part:
                rules[field.option] = _as_told(field, data)
            elif (data or "").strip():
                rules.setdefault(field.option, {})[field.part] = whole(data)
        return rules


def _as_told(field: OptionField, data: Any) -> Any:
    if field.kind == SWITCH:
        return bool(data)
    is_number = field.kind == NUMBER or isinstance(field.default, int)
    return whole(data) if is_number else data


def opening_form(game: Game, currency: str) -> type[OpeningForm]:
    form = type("GameOpeningForm", (OpeningForm,), {})
    setattr(form, "currency", StringField(default=currency))  # noqa: B010  # as every field of a form made here
    for number in range(1, MOST_SEATS + 1):
        setattr(form, f"seat-{number}", StringField())
    for field in option_fields(game):
        shown = "" if field.default is None else str(field.default)
        made = BooleanField(default=field.default) if field.kind == SWITCH else StringField(default=shown)
        setattr(form, field.name, made)
    return form
