"""Individual: who is whose partner and opponent how often, and who sits out."""

from __future__ import annotations

from functools import cache

import pytest

from scorekeeper.events.formats.individual import FORMAT
from scorekeeper.events.schedule import Schedule, UnschedulableError
from scorekeeper.events.starters import modulus

from .pair_counts import every_two

MOST = 61  # players up to whom docs/schedules.md lists the numbers without an exact or nearly exact schedule
SEARCHED = {46, 54, 58}  # no starters are stored
NUMBERS = range(4, MOST + 1)
EXACT = [number for number in NUMBERS if number % 4 <= 1 and number not in SEARCHED]
NEARLY = [number for number in NUMBERS if number % 4 > 1 and number not in SEARCHED]

whole = cache(FORMAT.schedule)


def spread(counts: list[int]) -> tuple[int, int]:
    return min(counts), max(counts)


def spreads(schedule: Schedule) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the least and the most that two players are partners, and opponents."""
    meetings = schedule.meetings()
    twos = list(every_two(schedule.players))
    return spread([meetings.partners[two] for two in twos]), spread([meetings.opponents[two] for two in twos])


@pytest.mark.parametrize("players", [*EXACT, 65, 81, 101, 117, 125])
def test_every_two_are_partners_once_and_opponents_twice(players: int) -> None:
    assert spreads(whole(players)) == ((1, 1), (2, 2))
    assert len(whole(players).rounds) == modulus(players)


@pytest.mark.parametrize("players", NEARLY)
def test_where_two_or_three_sit_out_every_two_are_partners_at_most_once_and_opponents_once_or_twice(
    players: int,
) -> None:
    assert spreads(whole(players)) == ((0, 1), (1, 2))
    assert len(whole(players).rounds) == players


@pytest.mark.parametrize("players", [*NUMBERS, 81, 117])
def test_everybody_is_at_one_place_in_every_round(players: int) -> None:
    for of_round in whole(players).rounds:
        seated = [player for table in of_round.tables for pair in table for player in pair]
        assert sorted([*seated, *of_round.sits_out]) == list(range(1, players + 1))
        assert len(of_round.sits_out) == players % 4
        assert list(of_round.sits_out) == sorted(of_round.sits_out)


@pytest.mark.parametrize("players", [4, 5, 7, 40])
def test_more_rounds_than_there_are_is_an_error(players: int) -> None:
    with pytest.raises(UnschedulableError) as caught:
        FORMAT.schedule(players, modulus(players) + 1)
    assert caught.value.problem.key == "schedule.too-many-rounds"
