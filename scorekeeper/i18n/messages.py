"""Messages by key with their parameters filled in, and numbers as a language writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from babel.lists import format_list
from babel.numbers import format_decimal

from ..games import find_game, games
from ..scoring.problems import Problem
from .catalogues import Name, catalogue

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
    """Return the translated message of a problem."""
    key = problem.key if "." in problem.key else f"problem.{problem.key}"
    params = {name: _set_quotation_marks(language, value) for name, value in problem.params.items()}
    return translate(language, key, names, field=problem.field, **params)


def _set_quotation_marks(language: str, value: Any) -> Any:
    """Return a text that was written as JSON, "C", with the quotation marks of a language."""
    if isinstance(value, str) and len(value) > 1 and value.startswith('"') and value.endswith('"'):
        return translate(language, "quotation", text=value[1:-1])
    return value
