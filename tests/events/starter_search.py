"""Find the starters that scorekeeper/events/starters.json stores: `python -m tests.events.starter_search [MOST]`.

For 4n and 4n + 1 players: exact ones. Partners are paired at random with all differences unlike each other, then a
depth-first search seats pairs against each other. If it finds nothing, or takes too long, other pairs are tried.
For others: those in which opponents meet as evenly as a long search makes them. Prime powers 4n + 1 need none.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from random import Random

from scorekeeper.events.finite_fields import prime_power
from scorekeeper.events.near_starters import near_starter, partner_pairs
from scorekeeper.events.schedule import Pair, Table
from scorekeeper.events.starters import distance, modulus

MOST = 43  # players
LONG = 100_000  # steps
PLACES = 5_000  # tables that a depth-first search tries before it starts again
BITS = 4  # of a counter


def main() -> None:
    """Print the stored starters as JSON, a line for each number of players."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else MOST
    lines = []
    for players in range(4, most + 1):
        if players % 4 == 1 and prime_power(players):
            continue
        starter = exact_starter(players) if players % 4 <= 1 else near_starter(players, LONG)
        lines.append(f'"{players}": {json.dumps(starter)}')
    print("{\n" + ",\n".join(lines) + "\n}")


def exact_starter(players: int) -> list[Table]:
    """Return a starter whose differences are once those of partners and twice those of opponents."""
    random = Random(players)  # noqa: S311  # not a secret
    while True:
        search = _DepthFirst(partner_pairs(players, random), modulus(players))
        tables = search.finish(range(len(search.pairs)), search.empty)
        if tables is not None:
            return tables


class _DepthFirst:
    """Seats pairs against each other so that no difference of opponents occurs three times.

    How often each difference occurs is counted in one integer, with a few bits for each. A counter begins at 5, so that
    its highest bit shows when it has counted to 3.
    """

    def __init__(self, pairs: list[Pair], m: int) -> None:
        self.pairs = pairs
        self.empty = sum(5 << BITS * number for number in range(m // 2))
        self._full = sum(8 << BITS * number for number in range(m // 2))
        self._added = [[_counters(first, second, m) for second in pairs] for first in pairs]
        self._left = PLACES

    def finish(self, numbers: range | list[int], counted: int) -> list[Table] | None:
        """Return tables of the pairs with these numbers, or None if there are none, or finding them takes too long."""
        if not numbers:
            return []
        self._left -= 1
        possible = {one: self._possible(one, numbers, counted) for one in numbers}
        one = min(possible, key=lambda number: len(possible[number]))
        for other in possible[one]:
            if self._left < 0:
                break
            rest = [number for number in numbers if number not in (one, other)]
            tables = self.finish(rest, counted + self._added[one][other])
            if tables is not None:
                return [(self.pairs[one], self.pairs[other]), *tables]
        return None

    def _possible(self, one: int, numbers: range | list[int], counted: int) -> list[int]:
        added, full = self._added[one], self._full
        return [number for number in numbers if number != one and not (counted + added[number]) & full]


def _counters(first: Pair, second: Pair, m: int) -> int:
    """Return what a table of two pairs adds to the counters. ∞ counts for nothing."""
    points = [two for two in product(first, second) if m not in two]
    return sum(1 << BITS * (distance(*two, m) - 1) for two in points if two[0] != two[1])


if __name__ == "__main__":
    main()
