"""The two sides of the four-handed games, and totals that are shared between them."""

from __future__ import annotations

from collections.abc import Mapping

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
