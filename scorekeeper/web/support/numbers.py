"""Parsing of numbers as people type them, in the reader's language; an ambiguous number is never guessed."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple
from unicodedata import decimal as digit_value

from babel.numbers import NumberFormatError, format_decimal, get_group_symbol, parse_decimal
from flask import g

from ...scoring.problems import Problem, abbreviate_value

MAX_INPUT = 40  # characters of a number
MAX_WHOLE_DIGITS = 12  # of an amount; a sheet takes no more either
_NARROW_SPACE, _APOSTROPHE = "\u202f", "’"  # what Babel expects between thousands in French and in Switzerland
_LOOKALIKES = str.maketrans({"−": "-", "－": "-", "'": _APOSTROPHE, "ʼ": _APOSTROPHE, "٫": ".", "．": ".", "，": ","})
_NUMBER = re.compile(rf"[+-]?[0-9.,{_APOSTROPHE}{_NARROW_SPACE}]+")
# How the world writes numbers: 1,234.5 · 1.234,5 · 1 234,5 · 1’234.5
_CONVENTIONS = ("en", "de", "fr", "de_CH")


def choose_keyboard(low: int | None) -> str:
    """Return the `inputmode` of a field for whole numbers from `low`: None has no limit.

    The keyboard of digits alone has no minus sign on an iPhone.
    """
    return "numeric" if low is not None and low >= 0 else "text"


class AmbiguousNumber(NamedTuple):
    """A number with two common readings, such as 1,000: one, or a thousand."""

    small: Decimal
    large: Decimal


def parse_number(typed: str | None, places: int) -> Decimal | AmbiguousNumber | None:
    """Parse a number of at most `places` decimal places; return None if the text is not one.

    Digits of any script are accepted, and spaces, points, commas or apostrophes between thousands; decimals follow a
    comma or a point. A single comma or point before exactly three digits is ambiguous: it is resolved only if the
    reading of the reader's language is the only one with few enough decimal places.
    """
    text = _in_ascii_digits(typed or "")
    if len(text) > MAX_INPUT or not _NUMBER.fullmatch(text):
        return None
    text = text.removeprefix("+")
    readings = _readings(text)
    fitting = [number for number in readings if _fits(number, places)]
    if len(readings) > 1 and fitting != [_reading(text, g.language)]:
        return AmbiguousNumber(readings[0], readings[-1])
    return round(fitting[0], min(places, _decimals(fitting[0]))) if fitting else None


def _in_ascii_digits(typed: str) -> str:
    """Replace digits of other scripts and lookalike characters by the usual ones."""
    text = typed.strip()[: MAX_INPUT + 1].translate(_LOOKALIKES)
    return "".join(_NARROW_SPACE if char.isspace() else str(digit_value(char, char)) for char in text)


def _readings(text: str) -> list[Decimal]:
    """Return the number's values under the conventions in which it is well-formed, the smallest first."""
    texts = {text, text.replace(".", ",")} if _NARROW_SPACE in text else {text}  # 1 000.50 is 1 000,50
    readings = {_reading(variant, language) for variant in texts for language in _CONVENTIONS}
    return sorted((number for number in readings if number is not None and _is_in_bounds(number)), key=abs)


def _reading(text: str, language: str) -> Decimal | None:
    space = get_group_symbol(language)
    written = text.replace(_NARROW_SPACE, space) if space.isspace() else text
    try:
        return parse_decimal(written, locale=language, strict=True)
    except NumberFormatError:
        return None


def _is_in_bounds(number: Decimal) -> bool:
    return number.adjusted() < MAX_WHOLE_DIGITS


def _fits(number: Decimal, places: int) -> bool:
    return number == round(number, places)


def _decimals(number: Decimal) -> int:
    return max(0, -int(number.as_tuple().exponent))


# --- numbers of one kind -------------------------------------------------------------------------------------


def parse_amount(field: str, typed: str | None, places: int) -> Decimal | Problem:
    number = parse_number(typed, places)
    if isinstance(number, Decimal) and number > 0:
        return number
    params = {"found": _quoted(typed), "places": places, "example": format_for_input(Decimal("1.50"))}
    return ambiguity(field, typed, places) or Problem(field, "typed-amount" if places else "typed-whole-amount", params)


def parse_int(typed: str | None) -> int | str:
    """Parse an integer; return other text stripped, so that the domain can refuse and quote it."""
    number = parse_number(typed, 0)
    return int(number) if isinstance(number, Decimal) else (typed or "").strip()


def ambiguity(field: str, typed: str | None, places: int) -> Problem | None:
    """Return the problem of a number with two readings, which shows how to write each; None for any other text."""
    number = parse_number(typed, places)
    if not isinstance(number, AmbiguousNumber):
        return None
    large = _formatted(number.large, "0.######")
    small = format_for_input(number.small if places else round(number.small, 0))
    choices = (small, large) if _fits(number.small, places) else (large,)
    params = {"found": _quoted(typed), "small": _formatted(number.small, "0.######"), "large": large}
    return Problem(field, "two-readings", params | {"choices": choices})


def _quoted(typed: str | None) -> str:
    return abbreviate_value((typed or "").strip())


def format_for_input(number: Decimal) -> str:
    """Format a number as the value of an input: never with three decimals, which would be ambiguous."""
    decimals = _decimals(number)
    if decimals == 3:
        decimals = 2 if _fits(number, 2) else 4
    return _formatted(number, f"0.{'0' * decimals}" if decimals else "0")


def _formatted(number: Decimal, pattern: str) -> str:
    return format_decimal(number, pattern, locale=g.language)
