"""Mitchell: half of the pairs stay North-South at their tables, the others come to them as East-West.

This is the Mitchell movement of duplicate bridge, as handbooks for directors describe it: each round East-West move
to the next higher table and boards to the next lower one. An odd number of tables t plays t rounds, and every
East-West pair meets every North-South pair exactly once. With an even number, a pair would come back to boards that
it has played after t/2 rounds. The usual remedy is that East-West then skip a table, once, and there are t − 1 rounds,
in which nobody meets the same pair twice and each East-West pair misses one North-South pair. The director may choose
the other one, relay and share: one set of boards rests on a stand between the two tables in the middle, the first
and the last table share theirs, and there are t rounds.

Of an odd number of pairs, there is one more East-West than North-South: the highest table has no North-South pair,
and the pair that comes there sits out. North-South pairs always play, and nobody sits out twice.

North-South are pairs 1, 2, … and East-West the others; table k of a round is the table of North-South pair k.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from . import Format
from .pairs import Encounter, Movement, pairs_format


@dataclass(frozen=True)
class Options:
    """What keeps East-West from boards that they have played, with an even number of tables."""

    even_tables: Literal["skip", "relay"] = "skip"


def max_rounds(pairs: int, even_tables: str = "skip") -> int:
    """Return the number of tables, counting the one to sit out at, or one less where a table is skipped."""
    places = _places(pairs)
    return places - (places % 2 == 0 and even_tables == "skip")


def movement(pairs: int, rounds: int, even_tables: str = "skip") -> Movement:
    """Return the first rounds of the Mitchell movement."""
    return tuple(_encounters(pairs, past_rounds, even_tables) for past_rounds in range(rounds))


def _encounters(pairs: int, past_rounds: int, even_tables: str) -> tuple[Encounter, ...]:
    """Return the tables after East-West have moved so many times."""
    places, north_south = _places(pairs), pairs // 2
    is_relay = places % 2 == 0 and even_tables == "relay"
    skipped = 1 if places % 2 == 0 and not is_relay and past_rounds >= places // 2 else 0
    return tuple(
        Encounter(
            north_south=table + 1,
            east_west=north_south + (table - past_rounds - skipped) % places + 1,
            boards=(table + past_rounds + (is_relay and table >= places // 2)) % places,
        )
        for table in range(north_south)
    )


def _places(pairs: int) -> int:
    """Return the number of East-West pairs, each of which is at one place in a round."""
    return pairs - pairs // 2


def _variant(options: Options) -> Format:
    most = partial(max_rounds, even_tables=options.even_tables)
    of_tables = partial(movement, even_tables=options.even_tables)
    return pairs_format("mitchell", most, of_tables, keeps_directions=True, options=Options, variant=_variant)


FORMAT = _variant(Options())
