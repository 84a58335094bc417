"""Entries: who gives how much of what to whom, and why."""

from __future__ import annotations

from typing import NamedTuple

POINTS = "points"
JETONS = "jetons"
FICHES = "fiches"

POT = None  # the giver or taker of what is staked and won in Francion

FICHE = 9  # jetons that a fiche is worth in Francion


class Entry(NamedTuple):
    """One payment in counters, or one mark of points.

    A payment (unit jetons or fiches) has an amount above 0 and goes from a player or the pot to another.
    A mark (unit points) has no giver, a taker who is a side or, in Francion, a player, and may be negative.
    `reason` is the anchor of a heading in the game's rules.
    """

    giver: str | None
    taker: str | None
    amount: int
    unit: str
    reason: str

    @property
    def is_payment(self) -> bool:
        return self.unit != POINTS


def mark(taker: str, points: int, reason: str) -> Entry:
    return Entry(None, taker, points, POINTS, reason)
