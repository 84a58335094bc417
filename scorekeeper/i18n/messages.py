"""The choice of a locale; messages with their parameters filled in, numbers, dates and the order of names in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeVar
from unicodedata import combining, normalize

from babel import Locale
from babel.dates import format_date, format_skeleton
from babel.lists import format_list
from babel.numbers import format_decimal

from ..games import find_game, games
from ..scoring.problems import Problem
from .catalogues import LANGUAGES, Name, catalogue

T = TypeVar("T")

# A language with each of its regions, the usual one first. Texts are those of the language, fr_CA has some of its own;
# numbers and dates are those of the region.
LOCALES = ("en_GB", "en_US", "en_CA", "fr_FR", "fr_CH", "fr_CA", "de_DE", "de_AT", "de_CH")
_MAX_TAG = 40  # characters
_DIGITS = re.compile(r"(\d+)")
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ı": "i"})


def day_in_words(day: date, tag: str, *, has_year: bool) -> str:
    """Format a day with its weekday: Sunday 22 November, Sunday, November 22, dimanche 22 novembre."""
    pattern = re.sub("(?<=EEEE),(?= d M)", "", Locale.parse(tag).date_formats["full"].pattern)  # as most write it
    return _first(format_date(day, pattern if has_year else re.sub(",? y$", "", pattern), locale=tag), day, tag)


def long_day(day: date, tag: str) -> str:
    """Format a day with its year: 22 November 2026."""
    return _first(format_date(day, "long", locale=tag), day, tag)


def short_day(day: date, tag: str) -> str:
    """Format a day in few letters without its year: 22 Nov."""
    return _first(format_skeleton("MMMd", day, locale=tag), day, tag)


def month_in_words(day: date, tag: str) -> str:
    """Format a day's month: November 2026."""
    return format_skeleton("yMMMM", day, locale=tag)


def short_month(day: date, tag: str) -> str:
    """Format a day's month in few letters: Nov 2026."""
    return format_skeleton("yMMM", day, locale=tag)


def _first(text: str, day: date, tag: str) -> str:
    """Write the first of a month as French does, which CLDR does not."""
    return re.sub(r"\b1\b", "1er", text, count=1) if tag.startswith("fr") and day.day == 1 else text


def find_language(tag: str) -> str:
    return tag.partition("_")[0]


def list_locales(tag: str) -> tuple[str, ...]:
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
    return tag.replace("_", "-")


def language_name(language: str) -> str:
    return Locale(language).get_display_name(language) or language


def region_name(tag: str) -> str:
    locale = Locale.parse(tag)
    return locale.get_territory_name(locale) or ""


def sorted_by_name(items: Iterable[T], name_of: Callable[[T], str]) -> list[T]:
    """Sort items by their names: by the letters without accents, Player 9 before Player 10."""
    return sorted(items, key=lambda item: _sort_key(name_of(item)))


def _sort_key(name: str) -> tuple[list[str | int], str]:
    folded = normalize("NFKD", name).casefold()
    letters = "".join(char for char in folded.translate(_LETTERS) if not combining(char))
    return [int(part) if part.isdecimal() else part for part in _DIGITS.split(letters)], folded


Names = Callable[[str], str]

_OPERAND = re.compile(r"(?<=[+−×]\s)\{(\w+)\}")  # a placeholder after a sign

_MAX_LISTED = 3  # consecutive numbers, of which more are written as a range


def has_message(language: str, key: str) -> bool:
    """Whether a key has a message, in the language or in English."""
    return key in catalogue(language).keys


def translate(language: str, key: str, /, names: Names | None = None, **params: Any) -> str:
    """Return the message of a key with its parameters filled in; the key itself if there is no message.

    The name of a game that is not installed, which has no messages, is its slug.

    Args:
        names: names the sides and players among the parameters.
        params: values of the placeholders. An integer `count` selects the plural form, whatever its sign.
    """
    messages = catalogue(language)
    count = params.get("count")
    text = messages.ngettext(key, key, abs(count)) if isinstance(count, int) else messages.gettext(key)
    if text == key:
        text = messages.gettext(key)
    if text == key:
        text = key.removesuffix(".name")
    if not params:
        return text
    return _set_brackets(text, params).format_map(
        {name: Name.of(_format_param(language, name, value, names), language) for name, value in params.items()}
    )


def own_key(language: str, slug: str, key: str) -> str:
    """Return the key of a game's own message for a shared key, if it has one; else the shared key."""
    own = f"{slug}.{key}"
    return own if has_message(language, own) else key


def _set_brackets(text: str, params: Mapping[str, Any]) -> str:
    """Return a message with brackets around its placeholders of numbers below 0 that follow a sign: 12 − (−5)."""
    below_zero = {name for name, value in params.items() if isinstance(value, int | Decimal) and value < 0}
    if not below_zero:
        return text
    return _OPERAND.sub(lambda found: f"({found[0]})" if found[1] in below_zero else found[0], text)


def game_name(language: str, slug: str, house_rules: Mapping[str, Any]) -> str:
    """Return what is played under these house rules: the name they give it, if they describe the game, or its own."""
    if slug not in games():
        return slug
    return find_game(slug).find_name(house_rules) or translate(language, f"{slug}.name")


def unit_text(language: str, slug: str, key: str, unit: str, /, names: Names | None = None, **params: Any) -> str:
    """Return a message about a game's counters: `count` of them, or their name for the key `unit`.

    That is the game's own message for the unit, or the shared one, or the shared one for any unit, in which the
    counters are the parameter `counters`.
    """
    for own in (f"{slug}.{key}.{unit}", f"{key}.{unit}"):
        if has_message(language, own):
            return translate(language, own, names, **params)
    if key == "unit":
        return unit
    if key in ("unit.within", "why"):  # a unit within a sentence, or after its amount
        return unit_text(language, slug, "unit.within" if key == "why" else "unit", unit)
    params["unit"] = unit_text(language, slug, "unit.within", unit)
    if key != "count":
        params["counters"] = unit_text(language, slug, "count", unit, count=params.pop("count", 1))
    return translate(language, f"{key}.any", names, **params)


def _format_param(language: str, name: str, value: Any, names: Names | None) -> str:
    if isinstance(value, bool):
        return translate(language, "yes" if value else "no")
    if isinstance(value, int | Decimal):
        return digits(language, value)
    if isinstance(value, tuple | list):
        if not value:
            return translate(language, "choice.none")
        is_run = isinstance(value[0], int) and [*value] == [*range(value[0], value[0] + len(value))]
        if is_run and len(value) > _MAX_LISTED:
            return f"{digits(language, value[0])}–{digits(language, value[-1])}"
        items = [_format_param(language, "party" if name in ("parties", "all") else "", item, names) for item in value]
        return format_list(items, style="standard" if name == "all" else "or", locale=language)
    if name in ("party", "giver", "taker") and isinstance(value, str):
        return (names or party_namer(language))(value)
    return str(value)


def party_namer(language: str, names: Mapping[str, str] | None = None) -> Names:
    """Return a function that translates sides, and maps other keys to players' names if `names` has them."""
    names_by_key = names or {}

    def name(party: str) -> str:
        if party in ("ns", "ew"):
            return translate(language, f"side.{party}")
        return names_by_key.get(party, party)

    return name


@lru_cache(maxsize=4096)
def digits(language: str, value: int | Decimal) -> str:
    """Format a number. Cached, since Babel is slow and pages repeat the same small numbers."""
    return format_decimal(value, locale=language).replace("-", "−")


def problem_text(problem: Problem, language: str, names: Names | None = None) -> str:
    key = problem.key if "." in problem.key else f"problem.{problem.key}"
    params = {name: _set_quotation_marks(language, value) for name, value in problem.params.items()}
    return translate(language, key, names, field=problem.field, **params)


def _set_quotation_marks(language: str, value: Any) -> Any:
    """Return a text that was written as JSON, "C", with the quotation marks of a language."""
    if isinstance(value, str) and len(value) > 1 and value.startswith('"') and value.endswith('"'):
        return translate(language, "quotation", text=value[1:-1])
    return value
