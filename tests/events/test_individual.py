"""Individual: who is whose partner and opponent how often, and who sits out."""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.formats.individual import FORMAT
from scorekeeper.events.gaussian_integers import residues, rounds_of_residues
from scorekeeper.events.near_starters import near_starters
from scorekeeper.events.schedule import Schedule, UnschedulableError
from scorekeeper.events.starters import modulus, rounds_from

from .pair_counts import every_two
from .starter_search import find_starters

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


def test_a_search_with_few_steps_ends_and_is_exact_where_these_are_enough() -> None:
    assert len(near_starters(22, 40)) == 2
    assert spreads(Schedule(24, tuple(rounds_from(near_starters(24, 2_000), 24)))) == ((1, 1), (2, 2))


@pytest.mark.parametrize("players", [*sorted(SEARCHED), 62, 63, 64, 69])
def test_without_stored_starters_opponents_are_nearly_even_and_partners_as_even(players: int) -> None:
    partners, (low, high) = spreads(whole(players))
    assert partners == (1 if players % 4 <= 1 else 0, 1)
    assert low >= 1
    assert high <= (4 if players == 58 else 3)


def test_the_documentation_lists_the_numbers_that_are_not_exact() -> None:
    text = (Path(__file__).parents[2] / "docs" / "schedules.md").read_text(encoding="utf-8")
    listed = re.search(rf"Up to {MOST} players, only ([\d, and]+) have no such", text)
    assert listed is not None
    assert set(map(int, re.findall(r"\d+", listed[1]))) == SEARCHED


@pytest.mark.parametrize("players", [*NUMBERS, 81, 117])
def test_everybody_is_at_one_place_in_every_round(players: int) -> None:
    for of_round in whole(players).rounds:
        seated = [player for table in of_round.tables for pair in table for player in pair]
        assert sorted([*seated, *of_round.sits_out]) == list(range(1, players + 1))
        assert len(of_round.sits_out) == players % 4
        assert list(of_round.sits_out) == sorted(of_round.sits_out)


@pytest.mark.parametrize("players", NUMBERS)
def test_nobody_sits_out_again_before_everybody_has(players: int) -> None:
    times = dict.fromkeys(range(1, players + 1), 0)
    for of_round in whole(players).rounds:
        for player in of_round.sits_out:
            times[player] += 1
        assert max(times.values()) - min(times.values()) <= 1


@pytest.mark.parametrize("players", [12, 14, 15])
def test_the_search_for_starters_finds_some_with_opponents_as_even_as_possible(players: int) -> None:
    schedule = Schedule(players, tuple(rounds_from(find_starters(players), players)))
    assert spreads(schedule) == (((1, 1), (2, 2)) if players % 4 <= 1 else ((0, 1), (1, 2)))


@given(st.sampled_from(EXACT), st.data())
def test_fewer_rounds_are_the_first_ones(players: int, data: st.DataObject) -> None:
    rounds = data.draw(st.integers(1, modulus(players)))
    schedule = FORMAT.schedule(players, rounds)
    assert schedule.rounds == whole(players).rounds[:rounds]
    assert max(schedule.meetings().partners.values()) == 1


@pytest.mark.parametrize("players", [13, 24, 46])
def test_the_same_number_gives_the_same_schedule(players: int) -> None:
    assert FORMAT.schedule(players) == whole(players)


@pytest.mark.parametrize("players", [4, 5, 7, 40])
def test_more_rounds_than_there_are_is_an_error(players: int) -> None:
    with pytest.raises(UnschedulableError) as caught:
        FORMAT.schedule(players, modulus(players) + 1)
    assert caught.value.problem.key == "schedule.too-many-rounds"


def test_as_many_players_as_possible_have_a_schedule() -> None:
    schedule = FORMAT.schedule(1_000, 3)
    assert [len(of_round.tables) for of_round in schedule.rounds] == [250, 250, 250]
    assert max(schedule.meetings().partners.values()) == 1


def test_a_number_has_a_ring_of_residues_if_it_is_a_sum_of_two_squares() -> None:
    sums = {one**2 + other**2 for one, other in product(range(32), repeat=2)}
    assert [number for number in range(5, 1_000, 4) if residues(number)] == sorted(sums & set(range(5, 1_000, 4)))


@pytest.mark.parametrize("number", [5, 9, 25, 45, 81, 117])
def test_residues_can_be_subtracted_and_the_square_of_i_is_minus_one(number: int) -> None:
    ring = residues(number)
    assert ring is not None
    elements = range(number)
    assert all(sorted(ring.add(one, other) for other in elements) == list(elements) for one in elements)
    assert all(ring.add(one, ring.times_i(ring.times_i(one))) == 0 for one in elements)


def test_with_residues_there_are_as_many_rounds_as_players_and_each_sits_out_once() -> None:
    ring = residues(13)
    assert ring is not None
    assert [of_round.sits_out for of_round in rounds_of_residues(ring)] == [(number,) for number in range(1, 14)]
