"""Numbers as people type them, in any language: parsing them, and formatting them for an input."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple
from unicodedata import decimal as digit_value

from babel.numbers import NumberFormatError, format_decimal, get_group_symbol, parse_decimal
from flask import g

from ..scoring.problems import Problem, abbreviate_value

MAX_INPUT = 40  # characters of a number
MAX_WHOLE_DIGITS = 12  # of an amount; a sheet takes no more either
_NARROW_SPACE, _APOSTROPHE = "\u202f", "’"  # what Babel expects between thousands in French and in Switzerland
_LOOKALIKES = str.maketrans({"−": "-", "－": "-", "'": _APOSTROPHE, "ʼ": _APOSTROPHE, "٫": ".", "．": ".", "，": ","})
_NUMBER = re.compile(rf"[+-]?[0-9.,{_APOSTROPHE}{_NARROW_SPACE}]+")
# How the world writes numbers: 1,234.5 · 1.234,5 · 1 234,5 · 1’234.5
_CONVENTIONS = ("en", "de", "fr", "de_CH")


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
    text = _clean(typed)
    readings = [number for number in _readings(text) if not _is_too_large(number)]
    fitting = [number for number in readings if _fits(number, places)]
    if len(readings) > 1 and fitting != [_reading(text, g.locale)]:
        return AmbiguousNumber(readings[0], readings[-1])
    return round(fitting[0], min(places, _decimals(fitting[0]))) if fitting else None


def _clean(typed: str | None) -> str:
    """Return what may be a number with plain digits and spaces; "" for other text."""
    text = (typed or "").strip()[: MAX_INPUT + 1].translate(_LOOKALIKES)
    text = "".join(_NARROW_SPACE if char.isspace() else str(digit_value(char, char)) for char in text)
    return text.removeprefix("+") if len(text) <= MAX_INPUT and _NUMBER.fullmatch(text) else ""


def _is_too_large(number: Decimal) -> bool:
    return number.adjusted() >= MAX_WHOLE_DIGITS


def _readings(text: str) -> list[Decimal]:
    """Return the number's values under the conventions in which it is well-formed, the smallest first."""
    texts = {text, text.replace(".", ",")} if _NARROW_SPACE in text else {text}  # 1 000.50 is 1 000,50
    readings = {_reading(variant, locale) for variant in texts for locale in _CONVENTIONS}
    return sorted((number for number in readings if number is not None), key=abs)


def _reading(text: str, locale: str) -> Decimal | None:
    space = get_group_symbol(locale)
    written = text.replace(_NARROW_SPACE, space) if space.isspace() else text
    try:
        return parse_decimal(written, locale=locale, strict=True)
    except NumberFormatError:
        return None


def _fits(number: Decimal, places: int) -> bool:
    return number == round(number, places)


def _decimals(number: Decimal) -> int:
    return max(0, -int(number.as_tuple().exponent))


def parse_amount(field: str, typed: str | None, places: int) -> Decimal | Problem:
    number = parse_number(typed, places)
    if isinstance(number, Decimal) and number > 0:
        return number
    found = abbreviate_value((typed or "").strip())
    readings = _readings(_clean(typed))
    if readings and readings[0] > 0 and _is_too_large(readings[0]):
        return Problem(field, "amount-too-large", {"found": found, "most": MAX_WHOLE_DIGITS})
    params = {"found": found, "places": places, "example": format_for_input(Decimal("1.50"))}
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
    params = {"found": abbreviate_value((typed or "").strip()), "large": large}
    if not _fits(number.small, places):
        return Problem(field, "too-many-decimals", params)
    read_as = {"small": _formatted(number.small, "0.######"), "choices": (small, large)}
    return Problem(field, "two-readings", params | read_as)


def format_for_input(number: Decimal) -> str:
    """Format a number as the value of an input: three decimals after 1 or more would be ambiguous."""
    decimals = _decimals(number)
    if decimals == 3 and (abs(number) >= 1 or _fits(number, 2)):
        decimals = 2 if _fits(number, 2) else 4
    return _formatted(number, f"0.{'0' * decimals}" if decimals else "0")


def _formatted(number: Decimal, pattern: str) -> str:
    return format_decimal(number, pattern, locale=g.locale)
