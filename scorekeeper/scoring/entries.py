"""Entries: payments in counters and marks of points."""

from __future__ import annotations

from typing import NamedTuple

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
