"""A search for starters in which partners are all different and opponents are as even as a short search makes them.

It is seeded with the number of players and takes a fixed number of steps, so that the same number gives the same
schedule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from operator import attrgetter
from random import Random

from .schedule import Pair, Table
from .starters import distance, modulus, sitting_out

STEPS = 20_000
_TRIES = 40  # steps for each table without any gain, after which the search starts again
IDEAL = 2  # how often two players should be opponents


@lru_cache(maxsize=16)
def near_starter(players: int, steps: int = STEPS) -> tuple[Table, ...]:
    """Return the best starter that so many steps find; it takes half a second, whatever the number of players."""
    return tuple(min(_searches(players, steps), key=attrgetter("cost")).tables)


def _searches(players: int, steps: int) -> Iterator[_Search]:
    """Yield searches that have ended, until there are no steps left."""
    random = Random(players)  # noqa: S311  # not a secret
    while steps > 0:
        search = _Search(players, random)
        steps = search.run(steps)
        yield search


def partner_pairs(players: int, random: Random) -> list[Pair]:
    """Return pairs of partners for the first round, with all differences unlike each other.

    A pair is added for a free point and a free difference; the pair that is in the way goes. This ends soon. Two
    players m / 2 apart are partners in two rounds, so that this difference is not used, except for 8n + 6 players: the
    other differences have too few odd ones or too many for the points that do not sit out.
    """
    m = modulus(players)
    pairs: dict[int, Pair] = {}  # by difference
    partner: dict[int, int] = {}
    free_points = _Bag(range(len(sitting_out(players)), m))
    free_distances = _Bag(range(1, m // 2 + 1 if players % 8 == 6 else (m + 1) // 2))
    wanted = players // 4 * 2
    if players % 4 == 0:
        free_points.discard(0)  # the partner of ∞
        wanted -= 1
    while len(pairs) < wanted:
        point, apart = free_points.choose(random), free_distances.choose(random)
        other = (point + random.choice((apart, -apart))) % m
        if other not in free_points:
            if other not in partner:
                continue  # sits out, or is the partner of ∞
            freed = distance(other, partner[other], m)
            del pairs[freed], partner[partner[other]]
            free_distances.add(freed)
            free_points.add(partner.pop(other))
            free_points.add(other)
        pairs[apart] = (point, other)
        partner |= {point: other, other: point}
        for taken in (point, other):
            free_points.discard(taken)
        free_distances.discard(apart)
    return [*pairs.values(), *([(0, m)] if players % 4 == 0 else [])]


class _Bag:
    """A set of numbers from which one can be drawn at random in constant time."""

    def __init__(self, numbers: range) -> None:
        self._list = list(numbers)
        self._places = {number: place for place, number in enumerate(self._list)}

    def __contains__(self, number: int) -> bool:
        return number in self._places

    def choose(self, random: Random) -> int:
        return self._list[random.randrange(len(self._list))]

    def add(self, number: int) -> None:
        self._places[number] = len(self._list)
        self._list.append(number)

    def discard(self, number: int) -> None:
        if number not in self._places:
            return
        place, last = self._places.pop(number), self._list.pop()
        if last != number:
            self._list[place] = last
            self._places[last] = place


class _Search:
    """Pairs at tables. Two tables exchange pairs as long as this does not make opponents less even."""

    def __init__(self, players: int, random: Random) -> None:
        self._m = modulus(players)
        self._random = random
        pairs = partner_pairs(players, random)
        random.shuffle(pairs)
        self.tables: list[Table] = list(zip(pairs[::2], pairs[1::2], strict=True))
        self._counts = [0] * (self._m // 2 + 1)  # by difference
        self.cost = sum(map(self._cost, range(1, len(self._counts))))
        for table in self.tables:
            self._count(table, 1)

    def run(self, steps: int) -> int:
        """Exchange pairs until nothing is gained any more, and return how many of the steps are left."""
        most = _TRIES * len(self.tables)
        tries = most if len(self.tables) > 1 else 0
        while steps and tries and self.cost:
            tries = most if self._exchange() else tries - 1
            steps -= 1
        return steps if self.cost and len(self.tables) > 1 else 0

    def _exchange(self) -> bool:
        """Try to exchange pairs between two tables, and return whether opponents are more even now."""
        first, second = self._random.sample(range(len(self.tables)), 2)
        old = (a, b), (c, d) = self.tables[first], self.tables[second]
        new = ((a, c), (b, d)) if self._random.randrange(2) else ((a, d), (b, c))
        before = self.cost
        self._replace(old, new)
        if self.cost > before:
            self._replace(new, old)
        else:
            self.tables[first], self.tables[second] = new
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
                apart = distance(first, second, m)
                self.cost -= self._cost(apart)
                self._counts[apart] += times
                self.cost += self._cost(apart)

    def _cost(self, apart: int) -> int:
        """Return how uneven opponents with this difference are. Of m / 2, half as many meet twice as often."""
        count = self._counts[apart]
        return (2 * count - IDEAL) ** 2 if 2 * apart == self._m else 2 * (count - IDEAL) ** 2
