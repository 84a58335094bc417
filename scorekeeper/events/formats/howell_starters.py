"""First rounds of Howell movements, from which all others follow.

The pairs that move, and the sets of boards, are the integers modulo an odd m; 0 is the pair that meets the stationary
one, and the boards that those two play. A starter with an adder is m // 2 tables that have

* each of 1 … m − 1 once as a pair,
* each of 1 … m // 2 once as the difference of the two pairs, in one direction or the other, so that every two pairs
  meet once in m rounds, and
* each of 1 … m − 1 once as a pair minus its table's boards, so that every pair has played every set of boards after m
  rounds.

The boards differ from each other and from 0 where a set is to be at one table only in each round. That is impossible
for m = 3 and 5. A strong starter is one whose sums of the two pairs differ from each other and from 0: they can be
the boards, since a pair minus the sum is minus the other pair.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

MIN_ROOM_SQUARE = 7
MAX_STEPS = 20  # per pair, before the search starts again; most searches need fewer

# For each number of pairs that move, the tables: North-South, East-West, boards. They were searched for balance. Of the
# North-South pairs minus their boards, all differences are equally frequent, or nearly so; then every two pairs hold
# the same cards equally often.
_STORED = {
    7: "4-6-3 3-2-5 5-1-6",
    9: "4-3-1 8-2-4 6-1-5 5-7-8",
    11: "5-8-2 4-2-6 1-6-7 9-10-8 3-7-10",
    13: "5-9-1 11-4-2 2-1-3 8-10-5 7-12-6 6-3-9",
    15: "9-7-1 5-12-2 13-8-6 3-4-7 6-2-8 14-11-10 1-10-11",
    17: "12-6-1 2-1-3 15-7-5 10-13-6 8-3-11 16-14-13 5-9-14 11-4-15",
    19: "4-18-3 10-13-4 8-17-6 14-15-10 9-2-11 7-5-12 3-11-14 1-16-17 12-6-18",
    21: "19-5-3 15-12-6 6-1-7 10-20-9 8-2-10 14-18-11 16-17-12 3-11-14 7-9-16 4-13-17",
    23: "8-19-4 1-6-7 11-20-8 5-4-9 15-18-10 2-9-11 22-14-13 17-21-15 3-16-19 7-13-20 12-10-22",
    25: "9-17-1 19-8-2 16-12-3 18-11-4 3-4-7 1-7-8 13-23-11 5-10-15 2-14-16 20-22-17 21-24-20 15-6-21",
    27: ("4-24-1 3-26-2 25-7-5 14-19-6 13-23-9 21-20-14 2-15-17 8-11-19 16-5-21 10-12-22 1-22-23 18-6-24 9-17-26"),
    29: (
        "23-9-3 12-21-4 26-8-5 15-20-6 5-2-7 27-10-8 4-6-10 17-24-12 25-19-15 18-28-17 7-11-18 3-16-19 1-22-23 13-14-27"
    ),
    31: (
        "13-19-1 7-29-5 16-21-6 26-12-7 6-2-8 10-30-9 24-17-10 15-27-11 8-5-13 22-23-14 14-1-15 20-28-17 "
        "11-9-20 3-18-21 25-4-29"
    ),
    33: (
        "21-13-1 9-26-2 27-14-8 24-19-10 12-2-14 18-30-15 10-6-16 22-29-18 8-11-19 16-7-23 5-20-25 "
        "23-4-27 25-3-28 28-1-29 31-32-30 17-15-32"
    ),
    35: (
        "24-14-3 28-12-5 5-7-12 4-9-13 18-31-14 26-25-16 17-2-19 32-23-20 34-22-21 3-20-23 8-16-24 "
        "15-11-26 33-30-28 1-29-30 21-10-31 13-19-32 27-6-33"
    ),
    37: (
        "31-7-1 28-13-4 10-33-6 25-19-7 6-2-8 23-24-10 18-30-11 15-34-12 29-22-14 21-32-16 4-14-18 "
        "9-11-20 3-20-23 8-16-24 36-27-26 17-12-29 5-26-31 1-35-36"
    ),
    39: (
        "31-9-1 27-16-4 29-15-5 25-22-8 33-17-11 11-1-12 7-6-13 4-10-14 23-32-16 19-38-18 3-18-21 "
        "24-37-22 28-35-24 34-30-25 14-12-26 20-8-28 26-5-31 13-21-34 2-36-38"
    ),
}


class Start(NamedTuple):
    """A table in the first round: its pairs and its boards, modulo the number of pairs that move."""

    north_south: int
    east_west: int
    boards: int


def starter(moving: int) -> tuple[Start, ...]:
    """Return the tables of the first round without that of the stationary pair."""
    if moving < MIN_ROOM_SQUARE:
        return tuple(Start(pair, moving - pair, 0) for pair in range(1, moving // 2 + 1))
    if moving in _STORED:
        return tuple(Start(*map(int, table.split("-"))) for table in _STORED[moving].split())
    return tuple(Start(first, second, (first + second) % moving) for first, second in _HillClimb(moving).climb())


class _HillClimb:
    """A search for a strong starter, which replaces tables and never has fewer than before, until it starts again.

    The method is that of J. H. Dinitz and D. R. Stinson. The search is the same every time.
    """

    def __init__(self, moving: int) -> None:
        self._moving = moving
        self._random = Random(moving).random  # noqa: S311  # no secret

    def climb(self) -> list[tuple[int, int]]:
        """Return the tables of a strong starter."""
        while True:
            self._start()
            for _ in range(MAX_STEPS * self._moving):
                if not self._free_pairs:
                    return [self._tables[difference] for difference in sorted(self._tables)]
                self._step()

    def _start(self) -> None:
        self._tables: dict[int, tuple[int, int]] = {}  # by difference
        self._by_pair: dict[int, int] = {}  # the difference of a pair's table
        self._by_sum: dict[int, int] = {}
        self._free_pairs = list(range(1, self._moving))
        self._free_differences = list(range(1, self._moving // 2 + 1))

    def _step(self) -> None:
        first, difference = self._pick(self._free_pairs), self._pick(self._free_differences)
        second = (first + self._pick([1, -1]) * difference) % self._moving
        if second and (first + second) % self._moving:
            self._try(difference, first, second)

    def _pick(self, of: list[int]) -> int:
        """Return one of these. `Random.choice` may choose differently in another version of Python."""
        return of[int(self._random() * len(of))]

    def _try(self, difference: int, first: int, second: int) -> None:
        """Add a table unless two others are in its way; one other goes."""
        total = (first + second) % self._moving
        in_the_way = {table for table in (self._by_pair.get(second), self._by_sum.get(total)) if table is not None}
        if len(in_the_way) > 1:
            return
        for other in in_the_way:
            self._remove(other)
        self._tables[difference] = (first, second)
        self._by_pair[first] = self._by_pair[second] = self._by_sum[total] = difference
        self._free_differences.remove(difference)
        self._free_pairs.remove(first)
        self._free_pairs.remove(second)

    def _remove(self, difference: int) -> None:
        first, second = self._tables.pop(difference)
        del self._by_pair[first], self._by_pair[second], self._by_sum[(first + second) % self._moving]
        self._free_differences.append(difference)
        self._free_pairs += [first, second]
