"""Units: the kinds of counters that a game is paid in, and what they are worth."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .problems import Problem
from .values import JsonObject

NS, EW = "ns", "ew"
SIDES = (NS, EW)  # the first and third player, the second and fourth


def other_side(side: str) -> str:
    """Return the opposing side."""
    return EW if side == NS else NS


def share_of(side: str, numbers: Mapping[str, int], total: int) -> int:
    """Return a side's share of a total, given the numbers of one or both sides."""
    return numbers[side] if side in numbers else total - numbers[other_side(side)]


def tricks_by_side(fact: object, total: int | None) -> tuple[int, int] | None:
    """Return how many of a deal's tricks each side took, if it has a field `tricks` that says it; None otherwise."""
    taken = getattr(fact, "tricks", None)
    if total is None or not isinstance(taken, dict) or taken.keys().isdisjoint(SIDES):
        return None
    first, second = (share_of(side, taken, total) for side in SIDES)
    return first, second


def sum_problems(field: str, numbers: Mapping[str, int], total: int) -> list[Problem]:
    """Check that the numbers of both sides add up to the total. One side's number alone is always accepted."""
    if len(numbers) == 1 or (found := numbers[NS] + numbers[EW]) == total:
        return []
    key = "sum-of-tricks" if field == "tricks" else "sum"
    return [Problem(field, key, {"found": found, "must": total})]


def with_both_sides(facts: JsonObject, key: str, total: int) -> JsonObject:
    """Return the facts with the number of the other side added where `facts[key]` has only one."""
    numbers = facts.get(key)
    if not isinstance(numbers, dict) or len(numbers) != 1:
        return facts
    return facts | {key: {side: share_of(side, numbers, total) for side in SIDES}}


POINTS = "points"
JETONS = "jetons"
FICHES = "fiches"

POT = None  # giver or taker of the counters that are staked and won


class Entry(NamedTuple):
    """A payment in counters or a mark of points.

    A payment (in one of the game's units) goes from a player or the pot to another; its amount is above 0. A mark (unit
    points) has no giver; its taker is a side or, in games without sides, a player; its amount may be negative. `reason`
    is the anchor of a heading in the game's rules.
    """

    giver: str | None
    taker: str | None
    amount: int
    unit: str
    reason: str

    @property
    def is_payment(self) -> bool:
        """Whether the entry moves counters."""
        return self.unit != POINTS


def mark(taker: str, points: int, reason: str) -> Entry:
    """Build a mark of points."""
    return Entry(None, taker, points, POINTS, reason)


SUBUNITS_PER_UNIT = 9_000_000  # of a currency; stored amounts are multiples of 1/9,000,000, so it never changes
MAX_VALUE_UNIT_LENGTH = 8  # characters, as stored

_NAME = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]")
_RESERVED = frozenset({"points", "to", "from", "reason"})  # keys of an adjustment


def value_unit(unit: str) -> str:
    """Return the name of one counter, as the value of a sheet uses it: `fiche` for the unit `fiches`."""
    return unit.removesuffix("s")


def check_units(units: Sequence[str], worth: Mapping[str, int]) -> None:
    """Check how a game declares its units.

    Raises:
        ValueError: A name cannot be a key of a sheet, or a worth is impossible.
    """
    for unit in units:
        if not _NAME.fullmatch(unit) or unit in _RESERVED or keyword.iskeyword(unit):
            raise ValueError(f"units: {unit!r} cannot be the name of a unit")
        if len(value_unit(unit)) > MAX_VALUE_UNIT_LENGTH:
            raise ValueError(f"units: {unit!r} is longer than {MAX_VALUE_UNIT_LENGTH} letters and an s")
    if len({value_unit(unit) for unit in units}) < len(units):
        raise ValueError("units: two have the same name")
    for unit, number in worth.items():
        if unit not in units:
            raise ValueError(f"worth: {unit!r} is not among the units")
        if type(number) is not int or number < 1:
            raise ValueError(f"worth: {unit} must be worth a whole number from 1")
    sizes = [worth.get(unit, 1) for unit in units]
    if sizes[:1] not in ([], [1]):
        raise ValueError(f"worth: {units[0]} is the smallest unit, so it is worth 1")
