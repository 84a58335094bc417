"""The locales that are offered, the choice of one for a reader, and the order of names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache
from typing import TypeVar
from unicodedata import combining, normalize

from babel import Locale
from babel.dates import format_date, format_skeleton

from .catalogues import LANGUAGES


def day_in_words(day: date, tag: str, *, has_year: bool) -> str:
    """Format a day with its weekday: Sunday 22 November, Sunday, November 22, dimanche 22 novembre."""
    pattern = re.sub("(?<=EEEE),(?= d M)", "", Locale.parse(tag).date_formats["full"].pattern)  # as most write it
    return _format(day, pattern if has_year else re.sub(",? y$", "", pattern), tag)


def long_day(day: date, tag: str) -> str:
    """Format a day with its year: 22 November 2026."""
    return _format(day, "long", tag)


def short_day(day: date, tag: str) -> str:
    """Format a day in few letters without its year: 22 Nov."""
    return _first(format_skeleton("MMMd", day, locale=tag), day, tag)


def month_in_words(day: date, tag: str) -> str:
    """Format a day's month: November 2026."""
    return format_skeleton("yMMMM", day, locale=tag)


def short_month(day: date, tag: str) -> str:
    """Format a day's month in few letters: Nov 2026."""
    return format_skeleton("yMMM", day, locale=tag)


def _format(day: date, pattern: str, tag: str) -> str:
    return _first(format_date(day, pattern, locale=tag), day, tag)


def _first(text: str, day: date, tag: str) -> str:
    """Write the first of a month as French does, which CLDR does not."""
    return re.sub(r"\b1\b", "1er", text, count=1) if tag.startswith("fr") and day.day == 1 else text


T = TypeVar("T")

# A language with each of its regions, the usual one first. Texts are those of the language, fr_CA has some of its own;
# numbers and dates are those of the region.
LOCALES = ("en_GB", "en_US", "en_CA", "fr_FR", "fr_CH", "fr_CA", "de_DE", "de_AT", "de_CH")
_MAX_TAG = 40  # characters
_DIGITS = re.compile(r"(\d+)")
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ı": "i"})


def find_language(tag: str) -> str:
    """Return the language of a locale: fr for fr_CA."""
    return tag.partition("_")[0]


def list_locales(tag: str) -> tuple[str, ...]:
    """Return the locales of a tag's language."""
    return tuple(other for other in LOCALES if find_language(other) == find_language(tag))


def is_offered(tag: str | None) -> bool:
    """Return whether a tag can be chosen; a language without a region stands for its usual one."""
    return tag in LOCALES or tag in LANGUAGES


def choose_locale(wanted: Iterable[str]) -> str:
    """Return the best locale for these language tags, which are ordered by preference. Default: English.

    A tag may be that of HTTP (fr-CA) or a terminal's setting (fr_CA.UTF-8).
    """
    return _choose(tuple(tag for tag in wanted if len(tag) <= _MAX_TAG))


@lru_cache(maxsize=1024)
def _choose(wanted: tuple[str, ...]) -> str:
    tags = [_normalise(tag) for tag in wanted]
    language = next((find_language(tag) for tag in tags if find_language(tag) in LANGUAGES), LANGUAGES[0])
    return next((tag for tag in tags if tag in list_locales(language)), list_locales(language)[0])


def _normalise(tag: str) -> str:
    language, *rest = re.split("[-_.@]", tag)
    region = next((part for part in rest if len(part) == len("CA")), "")
    return f"{language.lower()}_{region.upper()}"


def html_tag(tag: str) -> str:
    """Return the tag as HTML and HTTP write it: fr-CA."""
    return tag.replace("_", "-")


def language_name(language: str) -> str:
    """Return a language's name in that language."""
    return Locale(language).get_display_name(language) or language


def region_name(tag: str) -> str:
    """Return the name of a locale's region in its language."""
    locale = Locale.parse(tag)
    return locale.get_territory_name(locale) or ""


def sorted_by_name(items: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """Sort items by their names: by the letters without accents, Player 9 before Player 10."""
    return sorted(items, key=lambda item: _sort_key(name_of(item)))


def _sort_key(name: str) -> tuple[list[str | int], str]:
    folded = normalize("NFKD", name).casefold()
    letters = "".join(char for char in folded.translate(_LETTERS) if not combining(char))
    return [int(part) if part.isdecimal() else part for part in _DIGITS.split(letters)], folded
