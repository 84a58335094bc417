"""Howell: every two pairs meet exactly once, and every pair plays every set of boards exactly once.

This is the Howell movement of duplicate bridge. Of n pairs, n even, the highest stays North-South at table 1. The
others have a fixed way through the seats: each sits down where the pair one number lower sat (pair 1 where pair n − 1
sat), and a table's boards go up by one. So the first round says everything. There are n − 1 rounds and as many sets
of boards.

What a round robin lacks is the second half of the law: rounds, boards and pairs form a Room square, in which each
cell is the pair of pairs that plays one set of boards in one round. The first round is a starter of such a square
with its adder: see `howell_starters`. There is no Room square of side 3 or 5. With 4 and 6 pairs, all tables
therefore play the same boards in a round, passing them on. With 8 and more pairs, a set of boards is at one table
only in each round.

A pair that moves sits once at each place, so that it is North-South once less than East-West. Up to 40 pairs the
starters are chosen so that every two pairs hold the same cards as often, or nearly as often, as any other two: what
is compared when results are ranked by board.

Of an odd number of pairs, the one that would stay is missing; each of the others sits out once, and is North-South as
often as East-West.
"""

from __future__ import annotations

from .howell_starters import Start, starter
from .pairs import Encounter, Movement, pairs_format, rounds_to_meet


def movement(pairs: int, rounds: int) -> Movement:
    """Return the first rounds of the Howell movement."""
    moving = rounds_to_meet(pairs)
    tables = starter(moving)
    return tuple(_encounters(pairs, tables, past_rounds) for past_rounds in range(rounds))


def _encounters(pairs: int, tables: tuple[Start, ...], past_rounds: int) -> tuple[Encounter, ...]:
    """Return the tables after the pairs have moved so many times."""
    moving = rounds_to_meet(pairs)
    stationary = () if moving == pairs else (Encounter(pairs, past_rounds + 1, past_rounds + 1),)

    def moved(start: int) -> int:
        return (start + past_rounds) % moving + 1

    return stationary + tuple(Encounter(*map(moved, table)) for table in tables)


FORMAT = pairs_format("howell", rounds_to_meet, movement)
