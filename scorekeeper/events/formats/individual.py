"""Individual: partners and opponents change each round.

For 4n and 4n + 1 players every two are partners once; for others, at most once. Opponents are as even as a search has
found: up to 61 players twice, or once or twice where two or three sit out, with three exceptions.

The rounds follow from stored ones, by adding 1, 2, … to every point. The points are 0, 1, …, m − 1, counted modulo m.
For 4n players there is one more, ∞, which stays where it is. Where several rounds are stored, each is moved by as many
points at once as there are such rounds: of two, by 2, 4, …
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from math import gcd

from ..drawing import EventRound, Schedule, find_stored, parse_tables
from ..even_draws import draw_scheduled
from .base import Format, limit_rounds


def modulus(players: int) -> int:
    """Return m; the point ∞ has this number."""
    return players if players % 4 else players - 1


def build(players: int, rounds: int | None) -> Schedule:
    number = limit_rounds(players, rounds, modulus(players))
    starters = [parse_tables(text) for text in find_stored("individual", players)]
    return Schedule(players, tuple(islice(_rounds_from(starters, players), number)))


def _rounds_from(starters: list[list[list[int]]], players: int) -> Iterator[EventRound]:
    """Yield the rounds, in an order in which nobody sits out a second time before everybody has once."""
    m = modulus(players)
    for starter in starters:
        seated = {point for table in starter for point in table}
        for shift in _shifts(m, players % 4):
            if shift % len(starters):
                continue
            moved = [*((point + shift) % m + 1 for point in range(m)), players]
            tables = tuple(((moved[a], moved[b]), (moved[c], moved[d])) for a, b, c, d in starter)
            yield EventRound(tables, tuple(sorted(moved[point] for point in range(m) if point not in seated)))


def _shifts(m: int, together: int) -> Iterator[int]:
    """Yield 0 to m − 1, so that those who sit out together walk around all points without a gap."""
    step = max(together, 1)
    walks = gcd(step, m)
    for start in range(walks):
        yield from ((start + step * number) % m for number in range(m // walks))


FORMAT = Format("individual", partial(draw_scheduled, build, 1), build, max_rounds=modulus)
