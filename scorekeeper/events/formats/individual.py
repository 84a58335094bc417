"""Individual: partners and opponents change each round.

For 4n and 4n + 1 players every two are partners once; for others, at most once. Opponents are as even as a search has
found: up to 61 players twice, or once or twice where two or three sit out, with three exceptions.

The rounds follow from stored ones, by adding 1, 2, … to every point. The points are 0, 1, …, m − 1, counted modulo m.
For 4n players there is one more, ∞, which stays where it is. Where several rounds are stored, each is moved by as many
points at once as there are such rounds: of two, by 2, 4, …
"""

from __future__ import annotations

from functools import partial
from math import gcd

from ..drawing import EventRound, Schedule, parse_tables, read_stored
from ..even_draws import draw_scheduled
from .base import Format, NoOptions


def modulus(players: int) -> int:
    """Return m; the point ∞ has this number."""
    return players if players % 4 else players - 1


def build(players: int, rounds: int, _options: NoOptions) -> Schedule:
    """Return the schedule; nobody sits out a second time before everybody has once."""
    m = modulus(players)
    starters = [parse_tables(text) for text in read_stored()["individual"].get(str(players), ())]
    # Those who sit out together walk around all points without a gap.
    step = max(players % 4, 1)
    walks = gcd(step, m)
    shifts = [(start + step * walked) % m for start in range(walks) for walked in range(m // walks)]
    found: list[EventRound] = []
    for starter in starters:
        sits_out = set(range(m)).difference(*starter)
        for shift in shifts:
            if shift % len(starters) == 0 and len(found) < rounds:
                moved = [*((point + shift) % m + 1 for point in range(m)), players]
                tables = tuple(((moved[a], moved[b]), (moved[c], moved[d])) for a, b, c, d in starter)
                found.append(EventRound(tables, tuple(sorted(moved[point] for point in sits_out))))
    return Schedule(tuple(found))


FORMAT = Format("individual", partial(draw_scheduled, build, 1), build)
