"""Dates as a locale writes them. Code asks for fields (a skeleton of CLDR); their order and signs are the locale's."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from babel import Locale
from babel.dates import format_date, match_skeleton

_FIRST = re.compile(r"\b1\b")  # of a month, which CLDR does not write as French does
_FIELD = re.compile(r"'[^']*'|([A-Za-z])\1*")


def day_in_words(day: date, tag: str, *, has_year: bool) -> str:
    """Format a day with its weekday: Sunday 22 November, Sunday, November 22, dimanche 22 novembre."""
    return _format(day, "yMMMMEEEEd" if has_year else "MMMMEEEEd", tag)


def long_day(day: date, tag: str) -> str:
    """Format a day with its year: 22 November 2026."""
    return _format(day, "yMMMMd", tag)


def short_day(day: date, tag: str) -> str:
    """Format a day in few letters without its year: 22 Nov."""
    return _format(day, "MMMd", tag)


def month_in_words(day: date, tag: str) -> str:
    """Format a day's month: November 2026."""
    return _format(day, "yMMMM", tag)


def short_month(day: date, tag: str) -> str:
    """Format a day's month in few letters: Nov 2026."""
    return _format(day, "yMMM", tag)


def _format(day: date, skeleton: str, tag: str) -> str:
    text = format_date(day, _pattern(skeleton, tag), locale=tag)
    return _FIRST.sub("1er", text, count=1) if tag.startswith("fr") and day.day == 1 else text


@lru_cache(maxsize=256)
def _pattern(skeleton: str, tag: str) -> str:
    """Return the locale's pattern for these fields: its own, or the nearest one with its names as long as asked."""
    skeletons = Locale.parse(tag).datetime_skeletons
    nearest = skeleton if skeleton in skeletons else match_skeleton(skeleton, skeletons)
    if nearest is None:  # in no locale of CLDR today
        return "long"
    widths = {match[1]: len(match[0]) for match in _FIELD.finditer(skeleton)}
    return _FIELD.sub(lambda match: _widened(match, widths), skeletons[nearest].pattern)


def _widened(match: re.Match[str], widths: dict[str, int]) -> str:
    """Return a field of a pattern in the width asked for, if it is a name: `MMM` as `MMMM`, but a number unchanged."""
    field, letter = match[0], match[1]
    is_name = letter in ("E", "c") or (letter in ("M", "L") and len(field) >= 3)
    wanted = widths.get({"c": "E", "L": "M"}.get(letter or "", letter or ""), 0)
    return letter * wanted if is_name and wanted > len(field) else field
