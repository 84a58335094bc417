"""Individual: who is whose partner and opponent how often, and who sits out."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.finite_fields import FiniteField, prime_power
from scorekeeper.events.formats.individual import FORMAT
from scorekeeper.events.schedule import Schedule, UnschedulableError
from scorekeeper.events.starters import modulus

from .pair_counts import every_two

NUMBERS = range(4, 44)
EXACT = [number for number in NUMBERS if number % 4 <= 1]
OTHERS = [number for number in NUMBERS if number % 4 > 1]
SEARCHED = [44, 45, 46, 47, 56, 57]  # neither stored nor prime powers

whole = cache(FORMAT.schedule)


def spread(counts: list[int]) -> tuple[int, int]:
    return min(counts), max(counts)


def spreads(schedule: Schedule) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the least and the most that two players are partners, and opponents."""
    meetings = schedule.meetings()
    twos = list(every_two(schedule.players))
    return spread([meetings.partners[two] for two in twos]), spread([meetings.opponents[two] for two in twos])


@pytest.mark.parametrize("players", [*EXACT, 49, 81, 101, 125])
def test_every_two_are_partners_once_and_opponents_twice(players: int) -> None:
    assert spreads(whole(players)) == ((1, 1), (2, 2))
    assert len(whole(players).rounds) == modulus(players)


@pytest.mark.parametrize("players", [*NUMBERS, *SEARCHED, 49, 81])
def test_everybody_is_at_one_place_in_every_round(players: int) -> None:
    for of_round in whole(players).rounds:
        seated = [player for table in of_round.tables for pair in table for player in pair]
        assert sorted([*seated, *of_round.sits_out]) == list(range(1, players + 1))
        assert len(of_round.sits_out) == players % 4
        assert list(of_round.sits_out) == sorted(of_round.sits_out)


@pytest.mark.parametrize("players", [*NUMBERS, *SEARCHED])
def test_nobody_sits_out_again_before_everybody_has(players: int) -> None:
    times = dict.fromkeys(range(1, players + 1), 0)
    for of_round in whole(players).rounds:
        for player in of_round.sits_out:
            times[player] += 1
        assert max(times.values()) - min(times.values()) <= 1


@pytest.mark.parametrize("players", [*OTHERS, *SEARCHED])
def test_nobody_has_the_same_partner_twice_but_for_some_numbers_in_the_second_half(players: int) -> None:
    most = 2 if players % 8 == 6 else 1
    assert spreads(whole(players))[0] == (1 if players % 4 <= 1 else 0, most)
    half = Schedule(players, whole(players).rounds[: players // 2])
    assert max(half.meetings().partners.values()) == 1


@pytest.mark.parametrize("players", [*OTHERS, *SEARCHED])
def test_opponents_are_nearly_even_where_they_cannot_be_even(players: int) -> None:
    low, high = spreads(whole(players))[1]
    assert low >= (0 if players in (6, 7, 38) else 1)
    assert high <= 3


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


@pytest.mark.parametrize(("number", "power"), [(2, (2, 1)), (9, (3, 2)), (27, (3, 3)), (101, (101, 1))])
def test_a_prime_power_is_recognized(number: int, power: tuple[int, int]) -> None:
    assert prime_power(number) == power


@pytest.mark.parametrize("number", [0, 1, 6, 45, 1_000])
def test_another_number_is_no_prime_power(number: int) -> None:
    assert prime_power(number) is None


@pytest.mark.parametrize(("prime", "power"), [(5, 1), (3, 2), (5, 2), (3, 4)])
def test_a_field_has_inverses_and_a_primitive_root(prime: int, power: int) -> None:
    field = FiniteField(prime, power)
    elements = range(field.size)
    assert sorted(field.powers) == list(elements)[1:]
    assert all(sorted(field.add(one, other) for other in elements) == list(elements) for one in elements)
    assert all(field.add(one, 0) == one for one in elements)
