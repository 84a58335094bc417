"""Starters: first rounds from which all others follow, by adding 1, 2, … to every point.

The points are 0, 1, …, m − 1, counted modulo m. For 4n players there is one more, ∞, which stays where it is. What
counts is the difference between two points. Two players whose difference is d meet as often as d occurs in the starter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from math import gcd

from .schedule import EventRound, Table

STORED = "starters.json"  # found by `python -m tests.events.starter_search`


def modulus(players: int) -> int:
    """Return m; the point ∞ has this number."""
    return players if players % 4 else players - 1


def sitting_out(players: int) -> range:
    """Return the points that sit out in the first round."""
    return range(players % 4)


def distance(first: int, second: int, m: int) -> int:
    """Return the difference of two points, taken so that it is at most m / 2."""
    difference = (first - second) % m
    return min(difference, m - difference)


def stored_starter(players: int) -> list[Table] | None:
    """Return the stored starter for so many players, if there is one."""
    text = resources.files(__package__).joinpath(STORED).read_text(encoding="utf-8")
    starter = json.loads(text).get(str(players))
    return starter and [((a, b), (c, d)) for (a, b), (c, d) in starter]


def rounds_from(starter: list[Table], players: int) -> Iterator[EventRound]:
    """Yield the rounds, in an order in which nobody sits out a second time before everybody has once."""
    m = modulus(players)
    for shift in _shifts(m, len(sitting_out(players))):
        moved = [*((point + shift) % m + 1 for point in range(m)), players]
        tables = tuple(((moved[a], moved[b]), (moved[c], moved[d])) for (a, b), (c, d) in starter)
        yield EventRound(tables, tuple(sorted(moved[point] for point in sitting_out(players))))


def _shifts(m: int, together: int) -> Iterator[int]:
    """Yield 0 to m − 1, so that those who sit out together walk around all points without a gap."""
    step = max(together, 1)
    walks = gcd(step, m)
    for start in range(walks):
        yield from ((start + step * number) % m for number in range(m // walks))
