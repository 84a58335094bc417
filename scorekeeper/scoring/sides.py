"""The two sides of the four-handed games, and numbers that they share between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .remarks import Remark

NS, EW = "ns", "ew"
SIDES = (NS, EW)  # the first and third player, the second and fourth


def other_side(side: str) -> str:
    return EW if side == NS else NS


def held_by(side: str, told: Mapping[str, int], total: int) -> int:
    """What a side has of a total that the two sides share, told of either of them."""
    return told[side] if side in told else total - told[other_side(side)]


def sum_faults(at: str, told: Mapping[str, int], total: int) -> list[Remark]:
    """The fault of two sides' numbers that do not make the total; one side's number alone cannot be wrong here."""
    if len(told) == 1 or (found := sum(told.values())) == total:
        return []
    return [Remark(at, "sum", {"found": found, "must": total})]


def spelled_out(facts: dict[str, Any], key: str, total: int) -> dict[str, Any]:
    """The facts with the number of the side left unsaid filled in."""
    told = facts.get(key)
    if not isinstance(told, dict) or len(told) != 1:
        return facts
    return facts | {key: {side: held_by(side, told, total) for side in SIDES}}
