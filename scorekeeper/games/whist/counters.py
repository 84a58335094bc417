"""How a side lays out its four counters to show its points in the manche.

The arrangement is the commonest one according to the source (Le Whist, 6.1).
"""

from __future__ import annotations

from typing import NamedTuple


class CounterLayout(NamedTuple):
    """The number of counters in each row, from the middle of the table towards the player.

    A counter is worth 3, 1 or 5 points, depending on its row.
    """

    threes: int
    ones: int
    fives: int


NO_COUNTERS = CounterLayout(0, 0, 0)
LAYOUTS = {
    1: CounterLayout(0, 1, 0),
    2: CounterLayout(0, 2, 0),
    3: CounterLayout(0, 3, 0),
    4: CounterLayout(0, 4, 0),
    5: CounterLayout(1, 2, 0),
    6: CounterLayout(1, 3, 0),
    7: CounterLayout(0, 2, 1),
    8: CounterLayout(0, 3, 1),
    9: CounterLayout(1, 1, 1),
}


def counter_layout(points: int) -> CounterLayout:
    """Return the layout for a side's points: no counters at 0, nor from 10 on, when the manche has been won."""
    return LAYOUTS.get(points, NO_COUNTERS)
