"""Round robin: every two pairs meet exactly once, and in each round every pair plays, or all but one.

The movement is the circle method of chess and league tables. All pairs but one stand on a circle of odd size m. In
round r the pairs at equal distances from place r meet each other, and the one at place r meets the pair outside the
circle; of an odd number of pairs nobody is outside, and the pair at place r sits out. Of two pairs on the circle, the
one at an odd distance after place r sits North-South. Both distances sum to m, so that only one of them is odd; a
pair's distance shrinks by one each round, so that it sits North-South every other round. The pair outside the circle
alternates, too.

All tables play the boards of a round in that same round.
"""

from __future__ import annotations

from .pairs import Encounter, Movement, pairs_format, rounds_to_meet


def movement(pairs: int, rounds: int) -> Movement:
    """Return the first rounds of the circle method."""
    return tuple(_encounters(pairs, place) for place in range(rounds))


def _encounters(pairs: int, place: int) -> tuple[Encounter, ...]:
    """Return the tables of the round in which the circle turns on one place, counted from 0."""
    circle = rounds_to_meet(pairs)
    on_circle = [
        ((place + distance) % circle + 1, (place - distance) % circle + 1) for distance in range(1, (circle + 1) // 2)
    ]
    tables = [pair if distance % 2 else pair[::-1] for distance, pair in enumerate(on_circle, start=1)]
    if pairs % 2 == 0:
        tables.insert(0, (pairs, place + 1) if place % 2 == 0 else (place + 1, pairs))
    return tuple(Encounter(north_south, east_west, place) for north_south, east_west in tables)


FORMAT = pairs_format("round-robin", rounds_to_meet, movement)
