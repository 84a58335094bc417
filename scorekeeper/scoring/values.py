"""Types of the values in a sheet, their limits, and text as it is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, NamedTuple
from unicodedata import category, combining, normalize

from .problems import Problem

Player = Annotated[str, "player"]
Side = Annotated[str, "side"]
Party = Annotated[str, "party"]  # a player or a side
Newcomer = Annotated[str, "newcomer"]  # anybody's name

# Decoded JSON. Only the schema knows which types the values of an object may have.
JsonObject = dict[str, Any]
Facts = Mapping[str, Any]  # of a deal, complete or not; keys as in the sheet

MAX_AMOUNT = 1_000_000_000  # points or counters in one number of a sheet


class Range(NamedTuple):
    low: int
    high: int


class MultipleOf(NamedTuple):
    step: int


class Items(NamedTuple):
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


class Value(NamedTuple):
    currency: str  # ISO 4217
    unit: str  # the name of one counter of a unit of the game: "fiche"
    amount: Decimal  # of money, for one counter

    def dump(self) -> dict[str, str]:
        return self._asdict() | {"amount": str(self.amount)}


class Seats(NamedTuple):
    """The names a sheet may use."""

    players: tuple[str, ...]  # in order of turn
    sides: tuple[str, ...]  # empty in games without partners
    parties: tuple[str, ...]  # players and sides
    names: tuple[Mapping[str, str], ...] = ({}, {}, {})  # other names by which these are to be read

    def renamed(self, names: Mapping[str, str]) -> Seats:
        """Return the seats with which players are read by other names. A party that is a side keeps its name."""
        return self._replace(names=(names, {}, {name: names[name] for name in names if name not in self.sides}))


NO_SEATS: Final = Seats((), (), ())  # of what names nobody
PARTIES = {Player: ("player", 0), Side: ("side", 1), Party: ("party", 2)}  # the key of a problem, the index into Seats


def is_text(value: str) -> bool:
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


# Invisible characters outside Unicode's categories Cc and Cf.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
MAX_CLEANED = 1_000  # characters; NFC takes quadratic time on a run of combining marks
_JOINERS = "\u200c\u200d"  # needed by Persian, Hindi and emoji
_BLACK_FLAG = "\U0001f3f4"
_TAGS = frozenset(map(chr, range(0xE0020, 0xE0080)))  # after a black flag, they say whose flag it is
_VARIATION_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


def single_line(text: str) -> str:
    """Replace control characters, which a name may contain, by spaces. No-break spaces stay."""
    return "".join(sign if sign.isprintable() or sign in "\u202f\u00a0" else " " for sign in text)


def without_accents(text: str) -> str:
    return "".join(sign for sign in normalize("NFKD", text).casefold() if not combining(sign))


def clean_name(text: str | None, most: int = MAX_CLEANED) -> str:
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


def clean_lines(text: str | None, most: int = 4 * MAX_CLEANED) -> str:
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


# Turkish has an i with and one without a dot, in both cases. Phones and computers type different apostrophes, hyphens.
_ALIKE = str.maketrans({"İ": "i", "ı": "i", "’": "'", "ʼ": "'", "‐": "-"})


def make_name_key(name: str) -> str:
    """Return what is equal for all ways to type one name: capitals, spaces and Unicode forms do not matter.

    It is Unicode's caseless compatibility form (NFKC and case folding), in which Straße is STRASSE; and İ, I, ı and i
    are one letter. Accents matter, and so do joiners and tags, which make other emoji.
    """
    folded = normalize("NFKC", name).translate(_ALIKE).casefold()
    return " ".join(normalize("NFKC", folded).replace("i\u0307", "i").translate(_ALIKE).split())
