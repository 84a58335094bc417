"""The values that facts are made of: what an annotation means, and how one value is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, NamedTuple
from unicodedata import category

from .remarks import Remark, shown

Player = Annotated[str, "player"]
Side = Annotated[str, "side"]
Party = Annotated[str, "party"]  # a player or a side

MOST = 1_000_000_000  # points or counters in one number of a sheet: far past any evening, well short of harm


class Between(NamedTuple):
    """The least and the most that a whole number may be, both included."""

    low: int
    high: int


class MultipleOf(NamedTuple):
    step: int


class Seats(NamedTuple):
    """Who may be named: the players in order of turn, the sides (none where each plays for himself), and all."""

    players: tuple[str, ...]
    sides: tuple[str, ...]
    parties: tuple[str, ...]


BROKEN: Final = object()  # read in place of a value that a remark was made on

Reader = Callable[[Any, Seats, list[Remark]], Any]


def is_text(value: str) -> bool:
    """Whether the string can be written out at all: half a surrogate pair cannot."""
    return value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


_JOINERS = "\u200c\u200d"  # which Persian, Hindi and emoji are written with
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0"  # letters that show nothing


def one_line(text: str | None) -> str:
    """What was typed, without needless spaces, control characters, and signs that are not seen: two names that look
    the same are the same, none looks like nothing, and none turns the writing after it round."""
    kept: list[str] = []
    for sign in text or "":
        joins = sign in _JOINERS and bool(kept) and kept[-1] >= "\u0300"  # after anything but a Latin letter
        if joins or sign.isspace() or not (category(sign) in ("Cc", "Cf") or sign in _BLANKS):
            kept.append(sign)
    words = (word.rstrip(_JOINERS) for word in "".join(kept).split())
    return " ".join(filter(None, words))


def checked(path: str, remark: str, holds: Callable[[Any], bool]) -> Reader:
    def read(value: Any, _seats: Seats, remarks: list[Remark]) -> Any:
        if holds(value):
            return value
        remarks.append(Remark(path, remark, {"found": shown(value)}))
        return BROKEN

    return read


PARTIES = {
    Player: ("player", 0),
    Side: ("side", 1),
    Party: ("party", 2),
}  # the remark, and which of the Seats


def party(path: str, kind: str, which: int) -> Reader:
    def read(value: Any, seats: Seats, remarks: list[Remark]) -> Any:
        if type(value) is str and value in seats[which]:
            return value
        remarks.append(Remark(path, kind, {"found": shown(value), "parties": seats[which]}))
        return BROKEN

    return read


def number(path: str, metadata: tuple[Any, ...]) -> Reader:
    low, high = next(m for m in metadata if isinstance(m, Between))
    step = next((m.step for m in metadata if isinstance(m, MultipleOf)), 1)
    key = "whole-number" if step == 1 else "multiple"

    def read(value: Any, _seats: Seats, remarks: list[Remark]) -> Any:
        # True is an int to Python, and not to the players.
        if type(value) is int and low <= value <= high and (step == 1 or value % step == 0):
            return value
        remarks.append(Remark(path, key, {"found": shown(value), "low": low, "high": high, "step": step}))
        return BROKEN

    return read


def literal(path: str, choices: tuple[Any, ...]) -> Reader:
    kind = type(choices[0])  # of all the choices: words, or numbers
    allowed = frozenset(choices)

    def read(value: Any, _seats: Seats, remarks: list[Remark]) -> Any:
        if type(value) is kind and value in allowed:
            return value
        remarks.append(Remark(path, "one-of", {"found": shown(value), "choices": choices}))
        return BROKEN

    return read
