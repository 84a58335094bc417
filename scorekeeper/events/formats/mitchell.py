"""Mitchell: half of the pairs stay North-South at their tables, the others come to them as East-West.

This is the Mitchell movement of duplicate bridge, as handbooks for directors describe it: each round East-West move
to the next higher table and boards to the next lower one. An odd number of tables t plays t rounds, and every
East-West pair meets every North-South pair exactly once. With an even number, a pair would come back to boards that
it has played after t/2 rounds; East-West then skip a table, once, and there are t − 1 rounds, in which nobody meets
the same pair twice and each East-West pair misses one North-South pair. (The other remedy, a relay of boards, is not
used.)

Of an odd number of pairs, there is one more East-West than North-South: the highest table has no North-South pair,
and the pair that comes there sits out. North-South pairs always play, and nobody sits out twice.

North-South are pairs 1, 2, … and East-West the others; table k of a round is the table of North-South pair k.
"""

from __future__ import annotations

from .pairs import Encounter, Movement, pairs_format


def max_rounds(pairs: int) -> int:
    """Return the number of tables, counting the one to sit out at, or one less where a table is skipped."""
    places = _places(pairs)
    return places - 1 + places % 2


def movement(pairs: int, rounds: int) -> Movement:
    """Return the first rounds of the Mitchell movement."""
    return tuple(_encounters(pairs, past_rounds) for past_rounds in range(rounds))


def _encounters(pairs: int, past_rounds: int) -> tuple[Encounter, ...]:
    """Return the tables after East-West have moved so many times."""
    places, north_south = _places(pairs), pairs // 2
    skipped = 1 if places % 2 == 0 and past_rounds >= places // 2 else 0
    return tuple(
        Encounter(
            north_south=table + 1,
            east_west=north_south + (table - past_rounds - skipped) % places + 1,
            boards=(table + past_rounds) % places + 1,
        )
        for table in range(north_south)
    )


def _places(pairs: int) -> int:
    """Return the number of East-West pairs, each of which is at one place in a round."""
    return pairs - pairs // 2


FORMAT = pairs_format("mitchell", max_rounds, movement, keeps_directions=True)
