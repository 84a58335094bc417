"""Problems in a sheet or a deal, as values. Their messages are looked up where they are shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

_MAX_SHOWN = 40  # characters of an invalid value that a message repeats


class Problem(NamedTuple):
    """One thing wrong with a value.

    `field` is the path of the JSON key (`welche.player`), `key` the message's key, `params` the message's parameters.
    """

    field: str
    key: str
    params: Mapping[str, Any] = MappingProxyType({})


class Refusal(NamedTuple):
    """Why a sheet is refused: all problems of its head, or of the first deal that cannot be scored.

    `number` is the place of that deal in the sheet's list of deals, from 1; None for the head.
    """

    number: int | None
    problems: tuple[Problem, ...]

    @property
    def first(self) -> Problem:
        return self.problems[0]


def check_bounds(field: str, number: int, least: int, most: int) -> Problem | None:
    is_between = least <= number <= most
    return None if is_between else Problem(field, "number-between", {"least": least, "most": most})


def refuse(problems: Iterable[Problem], *, number: int | None = None) -> Refusal:
    return Refusal(number, tuple(problems))


def first_duplicate(names: Iterable[str]) -> str | None:
    earlier: set[str] = set()
    for name in names:
        if name in earlier:
            return name
        earlier.add(name)
    return None


def abbreviate_key(key: str) -> str:
    """Return a key from the input as it may appear in `Problem.field`; a long one is quoted and shortened."""
    return _escape_surrogates(key) if len(key) <= _MAX_SHOWN else abbreviate_value(key)


class QuotedText(str):
    """A text that a message repeats, between JSON's quotation marks, for which it has its language's own."""


def abbreviate_value(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        # An integer with thousands of digits, or arrays nested too deeply.
        return "…"
    if len(text) > _MAX_SHOWN:
        return _escape_surrogates(text[: _MAX_SHOWN - 1] + "…")
    return (QuotedText if isinstance(value, str) else str)(_escape_surrogates(text))


def _escape_surrogates(text: str) -> str:
    """Write lone surrogates as `\\ud800`, since they cannot be encoded as UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
