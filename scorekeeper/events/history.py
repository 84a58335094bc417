"""The rounds so far: what happened to each number, which table those who keep theirs have, what a draw repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

from .drawing import PlayedRound, list_pairs
from .schedule import EventRound, Pair, Table, count_meetings, ordered

NORTH_SOUTH, EAST_WEST = 0, 1


class History:
    """The rounds so far, counted.

    Attributes:
        partners: how often two were partners; the keys are pairs, the lower number first.
        opponents: the same for opponents.
        played: in how many rounds a number had a table.
        sat_out: in how many rounds it had none.
        last_sat_out: the last of these rounds.
        last_table: where a number played last.
        last_side: NORTH_SOUTH or EAST_WEST, where it played last.
        last_seat: 0 or 1, the place in a pair where it played last.
        directions: how many times more a number was North–South than East–West.
    """

    def __init__(self, earlier: Sequence[PlayedRound]) -> None:
        self.partners, self.opponents = count_meetings(list_pairs(tuple(earlier)))
        self.played: Counter[int] = Counter()
        self.sat_out: Counter[int] = Counter()
        self.last_sat_out: dict[int, int] = {}
        self.directions: Counter[int] = Counter()
        self.last_table: dict[int, int] = {}
        self.last_side: dict[int, int] = {}
        self.last_seat: dict[int, int] = {}
        for played in earlier:
            self.sat_out.update(played.sits_out)
            self.last_sat_out |= dict.fromkeys(played.sits_out, played.number)
            for table in played.tables:
                for side, pair in enumerate(table.pairs):
                    for seat, number in enumerate(pair):
                        self.last_seat[number] = seat
                        self._seat(number, table.number, side)

    def _seat(self, number: int, table: int, side: int) -> None:
        self.played[number] += 1
        self.directions[number] += 1 if side == NORTH_SOUTH else -1
        self.last_table[number] = table
        self.last_side[number] = side

    def homes(self, stationary: Iterable[int], tables: int) -> dict[int, int]:
        """Return the table of each of those who keep theirs.

        A table has one of them: another one who happens to be there moves once, and so does one whose table is no
        longer needed.
        """
        homes: dict[int, int] = {}
        for number in stationary:
            table = self.last_table.get(number, 0)
            if 0 < table <= tables and table not in homes.values():
                homes[number] = table
        return homes


PAIRS = 2  # the members of a format for pairs


IDEAL = 2  # how often players without fixed partners should be opponents


class Repeats(NamedTuple):
    """How uneven a round is.

    Attributes:
        partners: how many pairs of partners have been partners before; always 0 where partners stay together.
        opponents: how many pairs meet a pair again, or forts visit a fort again; without fixed partners, how many two
            players are opponents for more than the second time.
        sits_out: how many sit out who have before.
    """

    partners: int = 0
    opponents: int = 0
    sits_out: int = 0


def count_repeats(of_round: EventRound, earlier: Sequence[PlayedRound], members: int) -> Repeats:
    """Return what a round repeats of the earlier ones; `members` is the format's."""
    history = History(earlier)
    sits_out = sum(number in history.sat_out for number in of_round.sits_out)
    if members > 1:
        met = {_meeting(table, members) for table in list_pairs(tuple(earlier))}
        return Repeats(0, sum(_meeting(table, members) in met for table in of_round.tables), sits_out)
    partners = sum(ordered(pair) in history.partners for table in of_round.tables for pair in table)
    twos = (ordered(two) for table in of_round.tables for two in product(*table))
    return Repeats(partners, sum(history.opponents[two] >= IDEAL for two in twos), sits_out)


def _meeting(table: Table, members: int) -> Pair:
    """Return the pairs at a table, the lower one first; of forts, the one at home first."""
    first, second = ((pair[0] - 1) // members for pair in table)
    return (first, second) if members > PAIRS else ordered((first, second))
