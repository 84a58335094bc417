"""Individual: partners and opponents change each round.

For 4n and 4n + 1 players this is exactly even, as far as such a schedule is known: every two are partners once and
opponents twice. Such are the stored starters, and all for 4n + 1 players where that is a prime or a power of one. In
other schedules, opponents are as even as a short search makes them, and nobody has the same partner twice, except for
8n + 6 players in the second half.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..finite_fields import FiniteField, prime_power, rounds_in_field
from ..schedule import EventRound, Schedule
from ..starters import modulus, rounds_from, stored_starter
from . import Format, limit_rounds


def build(players: int, rounds: int | None) -> Schedule:
    """Return the schedule of an individual event. Raises UnschedulableError."""
    number = limit_rounds(players, rounds, modulus(players))
    return Schedule(players, tuple(islice(_all_rounds(players), number)))


def _all_rounds(players: int) -> Iterator[EventRound]:
    power = prime_power(players)
    if power and players % 4 == 1:
        return rounds_in_field(FiniteField(*power))
    starter = stored_starter(players)
    if starter is None:
        from ..near_starters import near_starter  # noqa: PLC0415  # a stored starter needs no search

        starter = near_starter(players)
    return rounds_from(starter, players)


FORMAT = Format("individual", build, max_rounds=modulus)
