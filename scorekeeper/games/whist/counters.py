"""How a side lays its four counters for its points in the manche: the commonest way, by the source (Le Whist, 6.1)."""

from __future__ import annotations

from typing import NamedTuple


class Laid(NamedTuple):
    """How many counters lie in each row, from the middle of the table towards the player: each counts 3, 1 or 5."""

    threes: int
    ones: int
    fives: int


NONE = Laid(0, 0, 0)
LAID = {
    1: Laid(0, 1, 0),
    2: Laid(0, 2, 0),
    3: Laid(0, 3, 0),
    4: Laid(0, 4, 0),
    5: Laid(1, 2, 0),
    6: Laid(1, 3, 0),
    7: Laid(0, 2, 1),
    8: Laid(0, 3, 1),
    9: Laid(1, 1, 1),
}


def laid(points: int) -> Laid:
    """None at 0, nor from 10 on: the manche is won then, and the counters are taken up."""
    return LAID.get(points, NONE)
