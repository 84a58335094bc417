"""Individual: who is whose partner and opponent how often, and who sits out."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import pytest

from scorekeeper.events.drawing import Schedule, count_meetings
from scorekeeper.events.formats.scheduled import INDIVIDUAL as FORMAT

from .evenings import evening, everybody, schedule

NOT_STORED = {117, 121, 153}
UNEVEN = {46, 54, 58}  # up to 61, no schedule is known in which opponents are as even as can be
STORED = [number for number in range(4, 201) if number not in NOT_STORED]


@cache
def whole(players: int) -> Schedule:
    return schedule(FORMAT, players)


def spread(counts: list[int]) -> tuple[int, int]:
    return min(counts), max(counts)


def spreads(event: Schedule, players: int) -> tuple[tuple[int, int], tuple[int, int]]:
    partners, opponents = count_meetings(table for of_round in event.rounds for table in of_round.tables)
    twos = list(combinations(range(1, players + 1), 2))
    return spread([partners[two] for two in twos]), spread([opponents[two] for two in twos])


def test_in_every_stored_schedule_partners_are_different_and_opponents_even() -> None:
    for players in [*range(4, 62), 65, 81, 101, 200]:
        event = whole(players)
        partners, opponents = spreads(event, players)
        assert partners == (1 if players % 4 <= 1 else 0, 1), players
        if players <= 61 and players not in UNEVEN:
            assert opponents == ((2, 2) if players % 4 <= 1 else (1, 2)), players
        assert len(event.rounds) == (players if players % 4 else players - 1)


def test_everybody_is_at_one_place_in_every_round_and_all_sit_out_in_turn() -> None:
    for players in STORED:
        times = dict.fromkeys(range(1, players + 1), 0)
        for of_round in whole(players).rounds if players < 50 else schedule(FORMAT, players, 9).rounds:
            seated = [player for table in of_round.tables for pair in table for player in pair]
            assert sorted([*seated, *of_round.sits_out]) == list(range(1, players + 1))
            for player in of_round.sits_out:
                times[player] += 1
            assert max(times.values()) - min(times.values()) <= 1, players


@pytest.mark.parametrize("players", [117, 204])
def test_where_no_schedule_is_stored_rounds_are_drawn_from_those_so_far(players: int) -> None:
    assert len(evening(FORMAT, everybody(players), 2)) == 2
