"""Starters: first rounds from which all others follow, by adding 1, 2, … to every point.

The points are 0, 1, …, m − 1, counted modulo m. For 4n players there is one more, ∞, which stays where it is. What
counts is the difference between two points. Two players whose difference is d meet as often as d occurs in the starter.

Where there are several starters, each is moved by as many points at once as there are starters: of two, by 2, 4, … Then
differences between even points and those between odd ones are counted apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from math import gcd

from .schedule import EventRound, Table

STORED = "starters.json"  # found by searches such as tests/events/starter_search.py

Starters = list[list[Table]]


def modulus(players: int) -> int:
    """Return m; the point ∞ has this number."""
    return players if players % 4 else players - 1


def sitting_out(players: int) -> range:
    """Return the points that sit out in the rounds that a search looks for."""
    return range(players % 4)


def difference(first: int, second: int, m: int, starters: int = 1) -> int:
    """Return a number that is the same for two points and for those to which they are moved, in any order.

    Divided by m, the remainder is the difference of the two points.
    """
    return min(one % starters * m + (other - one) % m for one, other in ((first, second), (second, first)))


def stored_starters(players: int) -> Starters | None:
    """Return the stored starters for so many players, if there are any."""
    text = resources.files(__package__).joinpath(STORED).read_text(encoding="utf-8")
    stored = json.loads(text).get(str(players))
    return stored and [[((a, b), (c, d)) for (a, b), (c, d) in starter] for starter in stored]


def rounds_from(starters: Starters, players: int) -> Iterator[EventRound]:
    """Yield the rounds, in an order in which nobody sits out a second time before everybody has once."""
    m = modulus(players)
    for starter in starters:
        seated = {point for table in starter for pair in table for point in pair}
        for shift in _shifts(m, players % 4):
            if shift % len(starters):
                continue
            moved = [*((point + shift) % m + 1 for point in range(m)), players]
            tables = tuple(((moved[a], moved[b]), (moved[c], moved[d])) for (a, b), (c, d) in starter)
            yield EventRound(tables, tuple(sorted(moved[point] for point in range(m) if point not in seated)))


def _shifts(m: int, together: int) -> Iterator[int]:
    """Yield 0 to m − 1, so that those who sit out together walk around all points without a gap."""
    step = max(together, 1)
    walks = gcd(step, m)
    for start in range(walks):
        yield from ((start + step * number) % m for number in range(m // walks))
