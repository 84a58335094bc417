"""The next round of a format that has a schedule."""

from __future__ import annotations

from collections.abc import Callable

from .drawing import Member, PlayedRound, RoundDraw
from .schedule import EventRound, Schedule, UnschedulableError

Build = Callable[[int, int | None], Schedule]


def draw_scheduled(build: Build, members: int, draw: RoundDraw) -> EventRound:
    """Return the round of the schedule, or one drawn as evenly as possible if the schedule does not fit any more."""
    scheduled = _scheduled_rounds(build, draw)
    if scheduled and scheduled[:-1] == [_as_drawn(played) for played in draw.earlier]:
        return scheduled[-1]
    raise NotImplementedError(members)


def _scheduled_rounds(build: Build, draw: RoundDraw) -> list[EventRound]:
    """Return the rounds of the schedule for those who are there, up to the one to draw, if there are so many."""
    if any(member.is_stationary for member in draw.present):
        return []
    try:
        rounds = build(len(draw.present), draw.number).rounds
    except UnschedulableError:
        if not draw.earlier:
            raise
        return []
    return [_numbered(of_round, draw.present) for of_round in rounds]


def _numbered(of_round: EventRound, present: tuple[Member, ...]) -> EventRound:
    """Return a round of the members that have these places in the schedule."""
    numbers = [0, *(member.number for member in present)]
    return EventRound(
        tuple(((numbers[a], numbers[b]), (numbers[c], numbers[d])) for (a, b), (c, d) in of_round.tables),
        tuple(numbers[place] for place in of_round.sits_out),
    )


def _as_drawn(played: PlayedRound) -> EventRound:
    return EventRound(tuple(table.pairs for table in played.tables), played.sits_out)
