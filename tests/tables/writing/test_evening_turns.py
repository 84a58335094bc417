"""Who waited while a turn was played, of those who were here when it began."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from scorekeeper.tables.rota import Turn
from scorekeeper.tables.turns import Span, list_turns

EIGHT = datetime(2026, 11, 27, 20)


@pytest.mark.parametrize(
    ("arrived", "played", "waited"),
    [
        (0, (0, 10), True),  # until the very moment when the turn begins
        (0, (0, 11), False),
        (0, (19, 25), False),
        (0, (20, 25), True),  # from the very moment when it ends
        (10, (30, 40), True),
        (11, (30, 40), False),  # came too late
    ],
)
def test_who_was_here_and_did_not_play_at_another_table_meanwhile_waited(
    arrived: int, played: tuple[int, int], waited: bool
) -> None:
    def span(players: set[int], start: int, end: int) -> Span:
        begins, ends = (EIGHT + timedelta(minutes=minutes) for minutes in (start, end))
        return Span(Turn(frozenset(players)), 1, (), begins, ends, goes_on=False)

    ada, others = 1, {2, 3, 4, 5}
    spans = [span(others, 10, 20), span({ada}, *played)]
    turn = next(turn for turn in list_turns(spans, {ada: EIGHT + timedelta(minutes=arrived)}) if turn.players == others)
    assert (ada in turn.waiting) is waited
