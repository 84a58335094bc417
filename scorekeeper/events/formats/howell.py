"""Howell: every two pairs meet exactly once, and every pair plays every set of boards exactly once.

This is the Howell movement of duplicate bridge. Of n pairs, n even, the highest stays North-South at table 1. The
others have a fixed way through the seats: each sits down where the pair one number lower sat (pair 1 where pair n − 1
sat), and a table's boards go up by one. So the first round says everything. There are n − 1 rounds and as many sets
of boards.

What a round robin lacks is the second half of the law: rounds, boards and pairs form a Room square, in which each
cell is the pair of pairs that plays one set of boards in one round. The first round is a starter of such a square
with its adder: of m pairs that move, counted modulo m, each of 1 … m − 1 sits at a table once, each of 1 … m // 2 is
once the difference of two who meet, and each of 1 … m − 1 once a pair minus its boards. There is no Room square of
side 3 or 5. With up to 6 pairs, all tables therefore play the same boards in a round, passing them on. With 7 and
more pairs, a set of boards is at one table only in each round. Table 1 begins with the first set.

With 5 to 10 pairs, two layouts of the boards are in use for the same seats, and the director says which. With 5 and 6
pairs the other one is that of guide cards with a relay, as ACBLscore and other programs have it: sets are at one table
only, but in the last round. With 7 to 10 pairs the starter has exactly one other adder.

A pair that moves sits once at each place, so that it is North-South once less than East-West. Up to 40 pairs the
starters were chosen so that every two pairs hold the same cards as often, or nearly as often, as any other two: what
is compared when results are ranked by board.

Of an odd number of pairs, the one that would stay is missing; each of the others sits out once, and is North-South as
often as East-West.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from ..schedule import find_stored, parse_tables
from . import Format
from .pairs import Encounter, Movement, pairs_format, rounds_to_meet

# The other layout, by the number of pairs that move. The sets with a relay, for each round and table; the stationary
# pair's first. The other adders, for each table without the stationary pair.
_RELAY = {5: ((0, 3, 1), (1, 3, 2), (2, 0, 1), (3, 0, 2), (4, 4, 4))}
_OTHER_ADDERS = {7: (5, 6, 3), 9: (5, 7, 4, 2)}
_MIN_ROOM_SQUARE = 7


class Start(NamedTuple):
    """A table in the first round: its pairs and its boards, modulo the number of pairs that move."""

    north_south: int
    east_west: int
    boards: int


@dataclass(frozen=True)
class Options:
    """Which layout of the boards is played; the other one is the same where there is none."""

    boards: Literal["usual", "other"] = "usual"


def movement(pairs: int, rounds: int, layout: str = "usual") -> Movement:
    """Return the first rounds of the Howell movement."""
    moving = rounds_to_meet(pairs)
    tables = (*(() if moving == pairs else (Start(0, 0, 0),)), *_starts(moving, layout))
    first = tables[0].boards
    sets = [tuple((table.boards - first + past) % moving for table in tables) for past in range(rounds)]
    if layout == "other" and moving in _RELAY:
        sets = [of_round[-len(tables) :] for of_round in _RELAY[moving][:rounds]]
    return tuple(
        tuple(_encounter(pairs, table, past, boards) for table, boards in zip(tables, of_round, strict=True))
        for past, of_round in enumerate(sets)
    )


def _starts(moving: int, layout: str) -> tuple[Start, ...]:
    """Return the tables of the first round without that of the stationary pair."""
    tables = _starter(moving)
    adder = _OTHER_ADDERS.get(moving) if layout == "other" else None
    return (
        tables
        if adder is None
        else tuple(table._replace(boards=boards) for table, boards in zip(tables, adder, strict=True))
    )


def _starter(moving: int) -> tuple[Start, ...]:
    if moving < _MIN_ROOM_SQUARE:
        return tuple(Start(pair, moving - pair, 0) for pair in range(1, moving // 2 + 1))
    return tuple(Start(*table) for table in parse_tables(find_stored("howell", moving, 2 * moving)))


def _encounter(pairs: int, table: Start, past_rounds: int, boards: int) -> Encounter:
    """Return who is at a table after the pairs have moved so many times."""
    moving = rounds_to_meet(pairs)
    north_south, east_west = ((pair + past_rounds) % moving + 1 for pair in table[:2])
    return Encounter(pairs if table.north_south == table.east_west else north_south, east_west, boards)


def _variant(options: Options) -> Format:
    of_layout = partial(movement, layout=options.boards)
    return pairs_format("howell", rounds_to_meet, of_layout, options=Options, variant=_variant)


FORMAT = _variant(Options())
