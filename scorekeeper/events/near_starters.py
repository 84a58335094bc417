"""A search for starters in which partners are all different and opponents are as even as a short search makes them.

It is seeded with the number of players and takes a fixed number of steps, so that the same number gives the same
schedule. 4n + 2 players have two starters: with one, the even points or the odd ones would not always make pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from operator import attrgetter
from random import Random
from typing import Generic, TypeVar

from .schedule import Pair, Table
from .starters import Starters, difference, modulus, sitting_out

STEPS = 20_000
_TRIES = 40  # steps for each table without any gain, after which the search starts again
IDEAL = 2  # how often two players should be opponents

T = TypeVar("T")


@lru_cache(maxsize=16)
def near_starters(players: int, steps: int = STEPS) -> Starters:
    """Return the best starters that so many steps find; it takes half a second, whatever the number of players."""
    return min(_searches(players, steps), key=attrgetter("cost")).starters


def _searches(players: int, steps: int) -> Iterator[_Search]:
    """Yield searches that have ended, until there are no steps left."""
    random = Random(players)  # noqa: S311  # not a secret
    while steps > 0:
        search = _Search(players, random)
        steps = search.run(steps)
        yield search


def starters_needed(players: int) -> int:
    """Return how many starters are searched together."""
    return 2 if players % 4 == 2 else 1


def differences(players: int) -> list[int]:
    """Return all differences between points."""
    m, starters = modulus(players), starters_needed(players)
    return sorted(
        {difference(one, other, m, starters) for one in range(starters) for other in range(m) if one != other}
    )


def partner_pairs(players: int, random: Random) -> list[list[Pair]]:
    """Return the pairs of partners of each starter, with all differences unlike each other.

    A pair is added for a free point and a free difference; the pair that is in the way goes. If the point
    cannot have this difference, any pair goes, now and then. This ends soon. Of 4n + 2 players, two who are m / 2
    apart are never partners.
    """
    m, starters = modulus(players), starters_needed(players)
    unpaired = sitting_out(players) or range(1)  # 0 is the partner of ∞
    pairs: dict[int, tuple[int, Pair]] = {}  # by difference, with the starter
    partner: dict[tuple[int, int], int] = {}  # by starter and point
    free_points = _Bag((starter, point) for starter in range(starters) for point in range(len(unpaired), m))
    free_differences = _Bag(apart for apart in differences(players) if starters == 1 or apart != m // 2)

    def part(apart: int) -> None:
        starter, pair = pairs.pop(apart)
        free_differences.add(apart)
        for point in pair:
            del partner[starter, point]
            free_points.add((starter, point))

    while free_points:
        (starter, point), apart = free_points.choose(random), free_differences.choose(random)
        other = (point + random.choice((apart, -apart))) % m
        if other in unpaired or difference(point, other, m, starters) != apart:
            if pairs and not random.randrange(m * len(free_points)):
                part(random.choice(list(pairs)))
            continue
        if (starter, other) in partner:
            part(difference(other, partner[starter, other], m, starters))
        pairs[apart] = starter, (point, other)
        partner |= {(starter, point): other, (starter, other): point}
        free_differences.discard(apart)
        free_points.discard((starter, point))
        free_points.discard((starter, other))
    found: list[list[Pair]] = [[(0, m)] if players % 4 == 0 else [] for _ in range(starters)]
    for starter, pair in pairs.values():
        found[starter].append(pair)
    return found


class _Bag(Generic[T]):
    """A set from which something can be drawn at random in constant time."""

    def __init__(self, things: Iterable[T]) -> None:
        self._list = list(things)
        self._places = {thing: place for place, thing in enumerate(self._list)}

    def __len__(self) -> int:
        return len(self._list)

    def choose(self, random: Random) -> T:
        return self._list[random.randrange(len(self._list))]

    def add(self, thing: T) -> None:
        self._places[thing] = len(self._list)
        self._list.append(thing)

    def discard(self, thing: T) -> None:
        place, last = self._places.pop(thing), self._list.pop()
        if last != thing:
            self._list[place] = last
            self._places[last] = place


class _Search:
    """Pairs at tables. Two tables exchange pairs as long as this does not make opponents less even."""

    def __init__(self, players: int, random: Random) -> None:
        self._m, self._random = modulus(players), random
        self.starters: Starters = []
        for pairs in partner_pairs(players, random):
            random.shuffle(pairs)
            self.starters.append(list(zip(pairs[::2], pairs[1::2], strict=True)))
        self._counts = dict.fromkeys(differences(players), 0)
        self.cost = len(self._counts) * IDEAL**2
        for starter in self.starters:
            for table in starter:
                self._count(table, 1)

    def run(self, steps: int) -> int:
        """Exchange pairs until nothing is gained any more, and return how many of the steps are left."""
        most = tries = _TRIES * sum(map(len, self.starters))
        while steps and tries and self.cost:
            tries = most if self._exchange() else tries - 1
            steps -= 1
        return steps if self.cost else 0

    def _exchange(self) -> bool:
        """Try to exchange pairs between two tables, and return whether opponents are more even now."""
        tables = self._random.choice(self.starters)
        first, second = self._random.sample(range(len(tables)), 2)
        old = (a, b), (c, d) = tables[first], tables[second]
        new = ((a, c), (b, d)) if self._random.randrange(2) else ((a, d), (b, c))
        before = self.cost
        self._replace(old, new)
        if self.cost > before:
            self._replace(new, old)
        else:
            tables[first], tables[second] = new
        return self.cost < before

    def _replace(self, old: Iterable[Table], new: Iterable[Table]) -> None:
        for table in old:
            self._count(table, -1)
        for table in new:
            self._count(table, 1)

    def _count(self, table: Table, times: int) -> None:
        m = self._m
        for first, second in product(*table):
            if m not in (first, second):  # ∞ meets everybody equally often
                apart = difference(first, second, m, len(self.starters))
                self.cost -= (self._counts[apart] - IDEAL) ** 2
                self._counts[apart] += times
                self.cost += (self._counts[apart] - IDEAL) ** 2
