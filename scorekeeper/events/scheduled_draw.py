"""The next round of a format that has a schedule.

As long as those who play are the same and nobody keeps a table, it is the schedule's. Once members come late or leave
early, and where there are more players than a schedule is stored for, it is drawn as evenly as the rounds so far allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .drawing import RoundDraw
from .even_individuals import draw_evenly
from .even_pairs import draw_between_directions, draw_pairs_evenly, pairs_present, partners
from .schedule import EventRound, NotStoredError, Schedule, UnschedulableError

PAIRS = 2  # the members of a format for pairs

Build = Callable[[int, int | None], Schedule]


def draw_scheduled(build: Build, members: int, draw: RoundDraw, keeps_directions: bool = False) -> EventRound:
    """Return the next round of players, or of pairs, that have this schedule. Raises UnschedulableError.

    keeps_directions: pairs stay North–South or East–West.
    """
    if members != PAIRS:
        return _scheduled(build, draw, [member.number for member in draw.present]) or draw_evenly(draw)
    numbers = [number for pair in pairs_present(draw.present) for number in partners(pair)]
    draw_otherwise = draw_between_directions if keeps_directions else draw_pairs_evenly
    return _scheduled(build, draw, numbers) or draw_otherwise(draw)


def _scheduled(build: Build, draw: RoundDraw, numbers: Sequence[int]) -> EventRound | None:
    """Return the round that the schedule has for these numbers, if the rounds so far were the schedule's."""
    if any(member.is_stationary for member in draw.present):
        return None
    try:
        rounds = build(len(numbers), draw.number).rounds
    except NotStoredError:
        return None
    except UnschedulableError:
        if not draw.earlier:
            raise
        return None
    others = [member.number for member in draw.present if member.number not in numbers]
    numbered = [of_round.with_numbers(numbers, others) for of_round in rounds]
    return numbered[-1] if numbered[:-1] == [played.as_drawn() for played in draw.earlier] else None
