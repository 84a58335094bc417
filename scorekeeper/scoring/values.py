"""Types of the values in a sheet, and the readers that check a single value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, NamedTuple
from unicodedata import category, combining, normalize

from .problems import Problem, abbreviate_value

Player = Annotated[str, "player"]
Side = Annotated[str, "side"]
Party = Annotated[str, "party"]  # a player or a side
Newcomer = Annotated[str, "newcomer"]  # anybody's name

# Decoded JSON. Only the schema knows which types the values of an object may have.
JsonObject = dict[str, Any]
Facts = Mapping[str, Any]  # of a deal, complete or not; keys as in the sheet

MAX_AMOUNT = 1_000_000_000  # points or counters in one number of a sheet


class Range(NamedTuple):
    """The smallest and largest integer allowed, both included."""

    low: int
    high: int


class MultipleOf(NamedTuple):
    """An integer that must be a multiple of `step`."""

    step: int


class Items(NamedTuple):
    """How many items a list may have."""

    most: int
    least: int = 0


class Text(NamedTuple):
    """A text of at most `most` characters without U+0000, which PostgreSQL cannot store.

    pattern: what all of it has to match; None if any character that is no space will do.
    problem: the key of the problem with a text of another form.
    clean: returns the text as it is stored, cut to a number of characters; None if it is stored as it is.
    check: returns what is wrong with a text beyond its form, if anything.
    """

    most: int
    pattern: str | None = None
    problem: str = "blank-text"
    clean: Callable[[str, int], str] | None = None
    check: Callable[[str], Problem | None] = lambda _text: None


class Cleaned(NamedTuple):
    """An object that is stored as `clean` returns it; the same object if there is nothing to clean."""

    clean: Callable[[JsonObject], JsonObject]


class Seats(NamedTuple):
    """The names a sheet may use: players in order of turn, sides (empty in games without partners), and both."""

    players: tuple[str, ...]
    sides: tuple[str, ...]
    parties: tuple[str, ...]


NO_SEATS: Final = Seats((), (), ())  # of what names nobody

INVALID: Final = object()  # returned by a reader in place of a value it has reported a problem for

Reader = Callable[[Any, Seats, list[Problem]], Any]


def is_text(value: str) -> bool:
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


# Invisible characters outside Unicode's categories Cc and Cf.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_MAX_CLEANED = 1_000  # characters; NFC takes quadratic time on a run of combining marks
_JOINERS = "\u200c\u200d"  # needed by Persian, Hindi and emoji
_BLACK_FLAG = "\U0001f3f4"
_TAGS = frozenset(map(chr, range(0xE0020, 0xE0080)))  # after a black flag, they say whose flag it is
_VARIATION_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


def single_line(text: str) -> str:
    """Replace control characters, which a name may contain, by spaces. No-break spaces stay."""
    return "".join(sign if sign.isprintable() or sign in "\u202f\u00a0" else " " for sign in text)


def without_accents(text: str) -> str:
    return "".join(sign for sign in normalize("NFKD", text).casefold() if not combining(sign))


def clean_name(text: str | None, most: int = _MAX_CLEANED) -> str:
    """Normalize a name, title or reason for storage, so that names that look the same are equal.

    The result is in NFC with single spaces. Control and invisible characters are removed, among them those that
    reverse the direction of the text after them. Joiners, variation selectors and tags stay where they change what is
    displayed. Text after the first `most` characters is dropped.
    """
    chars: list[str] = []
    base = ""  # the last character that is not a combining mark
    for char in normalize("NFC", (text or "")[:most]):
        if char.isspace() or _is_visible(char, base, chars[-1:]):
            chars.append(char)
            if char not in _JOINERS and char not in _TAGS and not category(char).startswith("M"):
                base = char
    words = (word.strip(_JOINERS) for word in "".join(chars).split())
    return normalize("NFC", " ".join(filter(None, words)))


def clean_lines(text: str | None, most: int = 4 * _MAX_CLEANED) -> str:
    """Clean each line as a name is cleaned; at most one of several blank lines stays, none at the beginning or end."""
    lines = [clean_name(line, most) for line in (text or "")[:most].splitlines()]
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    return "\n".join(kept).strip()


def _is_visible(char: str, base: str, previous: list[str]) -> bool:
    """Return whether a character changes what is displayed after `base` and `previous` (at most one character)."""
    if char in _JOINERS:
        return base >= "\u0300" and previous[0] not in _JOINERS  # Latin letters are never joined
    if char in _VARIATION_SELECTORS:
        return base >= "\u2000" and previous[0] not in _VARIATION_SELECTORS  # letters of alphabets have no variants
    if char in _TAGS:
        return base == _BLACK_FLAG  # the flags of Scotland and Wales
    return category(char) not in ("Cc", "Cf", "Cs") and char not in _INVISIBLE


def predicate_reader(path: str, problem_key: str, is_valid: Callable[[Any], bool], **params: Any) -> Reader:
    """Make a reader that accepts the values for which `is_valid` is true; `params` are those of the problem."""

    def read(value: Any, _seats: Seats, problems: list[Problem]) -> Any:
        if is_valid(value):
            return value
        problems.append(Problem(path, problem_key, {"found": abbreviate_value(value), **params}))
        return INVALID

    return read


# annotation → (problem key, index into Seats)
PARTIES = {Player: ("player", 0), Side: ("side", 1), Party: ("party", 2)}


def party_reader(path: str, problem_key: str, index: int) -> Reader:
    def read(value: Any, seats: Seats, problems: list[Problem]) -> Any:
        if type(value) is str and value in seats[index]:
            return value
        problems.append(Problem(path, problem_key, {"found": abbreviate_value(value), "parties": seats[index]}))
        return INVALID

    return read


def integer_reader(path: str, metadata: tuple[Any, ...]) -> Reader:
    """Make a reader for an integer limited by the `Range` and, if present, the `MultipleOf` in `metadata`."""
    low, high = next(m for m in metadata if isinstance(m, Range))
    step = next((m.step for m in metadata if isinstance(m, MultipleOf)), 1)
    key = "whole-number" if step == 1 else "multiple"

    def is_valid(value: Any) -> bool:  # `isinstance` would accept True and False
        return type(value) is int and low <= value <= high and value % step == 0

    return predicate_reader(path, key, is_valid, low=low, high=high, step=step)


def text_reader(path: str, text: Text) -> Reader:
    pattern = re.compile(text.pattern or r"(?s:.*\S.*)")

    def find_problem(value: Any) -> Problem | None:
        if type(value) is not str or not is_text(value) or "\0" in value:
            return Problem(path, "text", {"found": abbreviate_value(value)})
        problem = text.check(value)
        if problem is not None:
            return problem._replace(field=path)
        if pattern.fullmatch(value) is None:
            return Problem(path, text.problem, {"found": abbreviate_value(value), "most": text.most})
        return Problem(path, "long-text", {"most": text.most}) if len(value) > text.most else None

    def read(value: Any, _seats: Seats, problems: list[Problem]) -> Any:
        if text.clean is not None and type(value) is str:
            value = text.clean(value, max(_MAX_CLEANED, 2 * text.most))
        problem = find_problem(value)
        if problem is None:
            return value
        problems.append(problem)
        return INVALID

    return read


def literal_reader(path: str, choices: tuple[Any, ...]) -> Reader:
    """Make a reader for one of `choices`, which are all strings or all integers."""
    kind, allowed = type(choices[0]), frozenset(choices)
    return predicate_reader(path, "one-of", lambda value: type(value) is kind and value in allowed, choices=choices)
