"""Find starters such as scorekeeper/events/starters.json stores: `python -m tests.events.starter_search PLAYERS …`.

Partners are paired at random with all differences unlike each other. Then a depth-first search seats pairs against
each other so that every two players are opponents twice; with 4n + 2 and 4n + 3 players, once or twice. If it finds
nothing, or takes too long, other pairs are tried. Up to 22 players take seconds. Each four more take several times as
long: the larger starters that are stored come from the same search in C, which is far quicker. It finds none
for 6, 7 and 10 players: for 6 and 7, each round is stored as a starter of its own, for 10 one starter instead of two.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import permutations, product
from random import Random

from scorekeeper.events.near_starters import differences, partner_pairs, starters_needed
from scorekeeper.events.schedule import Pair
from scorekeeper.events.starters import Starters, difference, modulus

STEPS = 5_000  # tables that a depth-first search tries before it starts again
MOST = 2  # how often two players are opponents


def main() -> None:
    """Print starters as JSON, a line for each number of players."""
    for players in map(int, sys.argv[1:]):
        print(f'"{players}": {json.dumps(find_starters(players))},', flush=True)


def find_starters(players: int) -> Starters:
    """Return starters in which opponents meet as evenly as possible. This takes for ever if there are none."""
    random = Random(players)  # noqa: S311  # not a secret
    while True:
        starters = _DepthFirst(players, partner_pairs(players, random)).find()
        if starters is not None:
            return starters


class _DepthFirst:
    """Seats pairs against each other so that every difference of opponents occurs once or twice.

    Each difference is a bit. How often they occurred is counted in two integers: the bits of those that did, and of
    those that did twice.
    """

    def __init__(self, players: int, pairs: list[list[Pair]]) -> None:
        self._m, self._number_of_starters = modulus(players), starters_needed(players)
        self._bits = {apart: 1 << place for place, apart in enumerate(differences(players))}
        self._pairs = [(starter, pair) for starter, of_starter in enumerate(pairs) for pair in of_starter]
        self._added: dict[tuple[int, int], tuple[int, int]] = {}  # by two pairs that may meet
        for (one, (starter, first)), (other, (of_starter, second)) in permutations(enumerate(self._pairs), 2):
            counts = self._count(first, second) if starter == of_starter else Counter[int]()
            if counts and max(counts.values()) <= MOST:
                single, double = (sum(bit for bit, times in counts.items() if times == number) for number in (1, 2))
                self._added[one, other] = single, double
        self._steps = STEPS

    def find(self) -> Starters | None:
        """Return all tables, or None if there are none, or finding them takes too long."""
        numbers = range(len(self._pairs))
        found = self._seat({one: [other for other in numbers if (one, other) in self._added] for one in numbers}, 0, 0)
        if found is None:
            return None
        starters: Starters = [[] for _ in range(self._number_of_starters)]
        for one, other in found:
            (starter, first), (_, second) = self._pairs[one], self._pairs[other]
            starters[starter].append((first, second))
        return starters

    def _seat(self, possible: dict[int, list[int]], once: int, twice: int) -> list[tuple[int, int]] | None:
        """Return who meets whom of those who are left, each of whom can meet these."""
        if not possible:
            return [] if once == sum(self._bits.values()) else None
        self._steps -= 1
        one = min(possible, key=lambda number: len(possible[number]))
        for other in possible[one]:
            if self._steps < 0:
                break
            single, double = self._added[one, other]
            now_twice, now_once = twice | single & once | double, once | single | double
            left = {
                number: [
                    opponent
                    for opponent in opponents
                    if opponent not in (one, other) and self._fits(number, opponent, now_once, now_twice)
                ]
                for number, opponents in possible.items()
                if number not in (one, other)
            }
            found = self._seat(left, now_once, now_twice)
            if found is not None:
                return [(one, other), *found]
        return None

    def _fits(self, one: int, other: int, once: int, twice: int) -> bool:
        single, double = self._added[one, other]
        return not (single & twice or double & once)

    def _count(self, first: Pair, second: Pair) -> Counter[int]:
        """Return how often a table of two pairs has each difference. ∞ counts for nothing."""
        points = [two for two in product(first, second) if self._m not in two]
        return Counter(self._bits[difference(*two, self._m, self._number_of_starters)] for two in points)


if __name__ == "__main__":
    main()
