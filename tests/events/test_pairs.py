"""What holds of every format for pairs."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from scorekeeper.events.formats import Format, find_format, howell, mitchell, round_robin
from scorekeeper.events.schedule import UnschedulableError
from scorekeeper.i18n import LANGUAGES, translate

from .pair_counts import SIZES, meetings, sitting_out, tables

FORMATS = (howell.FORMAT, mitchell.FORMAT, round_robin.FORMAT)


@pytest.fixture(params=FORMATS, ids=lambda of_pairs: of_pairs.slug)
def of_pairs(request: pytest.FixtureRequest) -> Format:
    found: Format = request.param
    return found


def test_the_format_is_found_by_its_slug(of_pairs: Format) -> None:
    assert find_format(of_pairs.slug) is of_pairs


def test_every_pair_is_at_one_table_or_sits_out_in_every_round(of_pairs: Format) -> None:
    for pairs in SIZES:
        for of_round in of_pairs.schedule(2 * pairs).rounds:
            placed = Counter([*chain.from_iterable(tables(of_round)), *sitting_out(of_round)])
            assert placed == Counter(range(1, pairs + 1)), pairs


def test_one_pair_sits_out_of_an_odd_number_and_none_of_an_even_number(of_pairs: Format) -> None:
    for pairs in SIZES:
        assert {len(sitting_out(of_round)) for of_round in of_pairs.schedule(2 * pairs).rounds} == {pairs % 2}, pairs


def test_no_two_pairs_meet_twice(of_pairs: Format) -> None:
    for pairs in SIZES:
        assert set(meetings(of_pairs.schedule(2 * pairs)).values()) == {1}, pairs


def test_no_pair_sits_out_twice(of_pairs: Format) -> None:
    for pairs in SIZES:
        sat_out = of_pairs.schedule(2 * pairs).times_sat_out()
        assert set(sat_out.values()) <= {1}, pairs


@pytest.mark.parametrize("pairs", [2, 5, 8, 11, 12, 40])
def test_fewer_rounds_are_the_first_of_all(of_pairs: Format, pairs: int) -> None:
    every = of_pairs.schedule(2 * pairs).rounds
    for rounds in range(1, len(every) + 1):
        assert of_pairs.schedule(2 * pairs, rounds).rounds == every[:rounds]


def test_more_rounds_than_there_are_say_how_many_there_are(of_pairs: Format) -> None:
    for pairs in SIZES:
        most = len(of_pairs.schedule(2 * pairs).rounds)
        with pytest.raises(UnschedulableError) as refused:
            of_pairs.schedule(2 * pairs, most + 1)
        assert refused.value.problem.params["most"] == most


@pytest.mark.parametrize("players", [5, 7, 41, 999])
def test_an_odd_number_of_players_makes_no_pairs(of_pairs: Format, players: int) -> None:
    with pytest.raises(UnschedulableError) as refused:
        of_pairs.schedule(players)
    problem = refused.value.problem
    texts = {translate(language, problem.key, **problem.params) for language in LANGUAGES}
    assert all(text.startswith(f"{players} ") for text in texts), texts


@pytest.mark.parametrize("rounds", [0, -1])
def test_an_event_has_at_least_one_round(of_pairs: Format, rounds: int) -> None:
    with pytest.raises(UnschedulableError):
        of_pairs.schedule(16, rounds)


@pytest.mark.parametrize("players", [-4, 0, 2])
def test_two_pairs_are_needed(of_pairs: Format, players: int) -> None:
    with pytest.raises(UnschedulableError):
        of_pairs.schedule(players)


def test_the_same_event_has_the_same_schedule_every_time(of_pairs: Format) -> None:
    assert of_pairs.schedule(90) == of_pairs.schedule(90)
