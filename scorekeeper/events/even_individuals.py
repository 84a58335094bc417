"""A round of single players, drawn so that nobody has the same partner again, or as few as possible do.

First everybody gets a partner and then every pair its opponents, each time at the least cost. Then players change
seats as long as this makes opponents more even and partners no worse.
"""

from __future__ import annotations

from itertools import product
from random import Random

from .drawing import RoundDraw
from .history import History
from .matching import match
from .schedule import EventRound, Pair, Table, ordered

AGAIN = 10**9  # what it costs that two are partners again; more than all opponents together
APART = 10**15  # that two are at one table who both keep another one
EXCHANGES = 4_000  # tried at most: with many tables there is little to gain
_EXCHANGES_OF_TABLES = 16  # tried for each two tables, as often as they have two seats
_SEATS = ((0, 0), (0, 1), (1, 0), (1, 1))


def draw_evenly(draw: RoundDraw) -> EventRound:
    """Draw a round; of those who have played most, the remainder of the division by 4 sits out."""
    history = History(draw.earlier)
    random = draw.random()
    numbers = [member.number for member in draw.present]
    random.shuffle(numbers)
    sits_out = sitting_out(numbers, history)
    playing = [number for number in numbers if number not in sits_out]
    stationary = [member.number for member in draw.present if member.is_stationary and member.number in playing]
    homes = history.homes(stationary, len(playing) // 4)
    round_ = _Round(history, homes, random)
    tables = round_.improve(round_.tables(playing))
    return EventRound(at_homes(tables, homes), tuple(sorted(sits_out)))


def sitting_out(numbers: list[int], history: History) -> set[int]:
    """Return who has no table: those who have played most, of these the ones whose last time is longest ago."""

    def key(number: int) -> tuple[int, int]:
        return -history.played[number], history.last_sat_out.get(number, 0)

    return set(sorted(numbers, key=key)[: len(numbers) % 4])


def at_homes(tables: list[Table], homes: dict[int, int]) -> tuple[Table, ...]:
    """Return the tables in an order in which those who keep theirs are there."""
    kept = {homes[number]: table for table in tables for pair in table for number in pair if number in homes}
    others = (table for table in tables if table not in kept.values())
    return tuple(kept[number] if number in kept else next(others) for number in range(1, len(tables) + 1))


class _Round:
    """A round that is drawn, and what it costs."""

    def __init__(self, history: History, homes: dict[int, int], random: Random) -> None:
        self._history, self._homes, self._random = history, homes, random

    def tables(self, numbers: list[int]) -> list[Table]:
        """Return partners at tables with the least cost."""
        pairs = match(numbers, self._partner_cost, AGAIN)
        self._random.shuffle(pairs)
        return match(pairs, self._table_cost, APART)

    def improve(self, tables: list[Table]) -> list[Table]:
        """Let players change seats between tables as long as this costs less."""
        costs = [self._cost(table) for table in tables]
        for _ in range(min(EXCHANGES, _EXCHANGES_OF_TABLES * len(tables) * (len(tables) - 1))):
            first, second = self._random.sample(range(len(tables)), 2)
            if not costs[first] + costs[second]:
                continue
            seats = self._random.choice(_SEATS), self._random.choice(_SEATS)
            new = _exchanged(tables[first], tables[second], *seats)
            new_costs = [self._cost(table) for table in new]
            if sum(new_costs) < costs[first] + costs[second]:
                tables[first], tables[second] = new
                costs[first], costs[second] = new_costs
        return tables

    def _partner_cost(self, first: int, second: int) -> int:
        return self._apart((first, second)) + AGAIN * self._history.partners[ordered((first, second))] ** 2

    def _table_cost(self, first: Pair, second: Pair) -> int:
        return self._apart((*first, *second)) + self._opponents_cost(first, second)

    def _cost(self, table: Table) -> int:
        again = sum(self._history.partners[ordered(pair)] ** 2 for pair in table)
        return self._table_cost(*table) + AGAIN * again

    def _opponents_cost(self, first: Pair, second: Pair) -> int:
        return sum(self._history.opponents[ordered(two)] ** 2 for two in product(first, second))

    def _apart(self, numbers: tuple[int, ...]) -> int:
        return APART * (sum(number in self._homes for number in numbers) > 1)


def _exchanged(first: Table, second: Table, seat: tuple[int, int], other: tuple[int, int]) -> tuple[Table, Table]:
    """Return two tables after one player of each has taken the other's seat."""
    one, two = first[seat[0]][seat[1]], second[other[0]][other[1]]
    return _with(first, seat, two), _with(second, other, one)


def _with(table: Table, seat: tuple[int, int], number: int) -> Table:
    pairs = [list(pair) for pair in table]
    pairs[seat[0]][seat[1]] = number
    (a, b), (c, d) = pairs
    return (a, b), (c, d)
