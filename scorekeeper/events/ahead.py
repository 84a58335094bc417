"""The rounds that are still to come, where the format knows them: for score cards that are printed before."""

from __future__ import annotations

from collections.abc import Sequence

from .drawing import Member, PlayedRound, RoundDraw
from .formats import Format
from .schedule import EventRound, UnschedulableError


def rounds_ahead(format_: Format, draw: RoundDraw) -> tuple[EventRound, ...]:
    """Return the rounds from `draw.number` on, if everybody plays until the end; none where that is not known.

    Once rounds have left the schedule, the next one is not drawn ahead: that takes seconds in a large hall.
    """
    members = draw.members
    if format_.build is None or draw.number > draw.rounds or any(map(_is_partly_there, members)):
        return ()
    try:
        rounds = _numbered(format_.schedule(len(members), draw.rounds).rounds, [member.number for member in members])
        if rounds[: draw.number - 1] != [*map(_as_drawn, draw.earlier)]:
            return ()
        following = format_.draw(draw)
    except UnschedulableError:
        return ()
    return tuple(rounds[draw.number - 1 :]) if rounds[draw.number - 1] == following else (following,)


def _is_partly_there(member: Member) -> bool:
    return member.first_round > 1 or member.last_round is not None


def _numbered(rounds: Sequence[EventRound], numbers: Sequence[int]) -> list[EventRound]:
    """Return rounds of a schedule with the numbers that have its places."""
    named = [0, *numbers]
    return [
        EventRound(
            tuple(((named[a], named[b]), (named[c], named[d])) for (a, b), (c, d) in of_round.tables),
            tuple(sorted(named[place] for place in of_round.sits_out)),
        )
        for of_round in rounds
    ]


def _as_drawn(played: PlayedRound) -> EventRound:
    return EventRound(tuple(table.pairs for table in played.tables), tuple(sorted(played.sits_out)))
