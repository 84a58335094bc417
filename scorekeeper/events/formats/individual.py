"""Individual: partners and opponents change each round.

For 4n and 4n + 1 players every two are partners once; for others, at most once. Where 4n + 1 is a sum of two squares,
and with stored starters, every two are opponents twice; where two or three sit out, once or twice. In other schedules
opponents are as even as a short search makes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..gaussian_integers import residues, rounds_of_residues
from ..schedule import EventRound, Schedule
from ..starters import modulus, rounds_from, stored_starters
from . import Format, limit_rounds


def build(players: int, rounds: int | None) -> Schedule:
    """Return the schedule of an individual event. Raises UnschedulableError."""
    number = limit_rounds(players, rounds, modulus(players))
    return Schedule(players, tuple(islice(_all_rounds(players), number)))


def _all_rounds(players: int) -> Iterator[EventRound]:
    ring = residues(players) if players % 4 == 1 else None
    if ring is not None:
        return rounds_of_residues(ring)
    starters = stored_starters(players)
    if starters is None:
        from ..near_starters import near_starters  # noqa: PLC0415  # stored starters need no search

        starters = near_starters(players)
    return rounds_from(starters, players)


FORMAT = Format("individual", build, max_rounds=modulus)
