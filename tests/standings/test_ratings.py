"""Ratings: what raises them, what they do not depend on, and who played in what was won."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.standings.ratings import Contest, Rating, RatingState, list_contests, list_ratings, rate
from scorekeeper.tables.summary import SummaryData

FEW = settings(max_examples=25)
PERSON_IDS = {11: 1, 22: 2, 33: 3, 44: 4, 55: 5}
IN_PAIRS: Contest = [[1, 3], [2, 4]]


def rated(contests: list[Contest]) -> dict[int, Rating]:
    state: RatingState = {}
    rate(state, contests)
    return list_ratings(state)


@st.composite
def contest_lists(draw: st.DrawFn) -> list[Contest]:
    """Draw contests of two pairs, and of three and four who each play for themselves."""
    contests: list[Contest] = []
    for _ in range(draw(st.integers(0, 12))):
        people = draw(st.permutations(range(1, 7)))
        sizes = draw(st.sampled_from([(2, 2), (1, 1, 1), (1, 1, 1, 1)]))
        contests.append([[people.pop() for _ in range(size)] for size in sizes])
    return contests


def test_everybody_starts_with_the_same_rating_and_winners_rise_as_far_as_losers_fall() -> None:
    ratings = rated([IN_PAIRS])
    assert ratings[1] == ratings[3]
    assert ratings[2] == ratings[4]
    assert ratings[1].points + ratings[2].points == 2000
    assert ratings[1].points > 1000
    assert ratings[1].contests == 1


def test_the_first_ratings_are_those_that_the_method_gives_today() -> None:
    assert rated([IN_PAIRS] * 3)[1] == Rating(1185, 633, 3)
    assert rated([[[1], [2], [3]]])[2] == rated([[[1], [2], [3]]])[3]


@given(contest_lists(), st.integers(0, 12))
@FEW
def test_ratings_go_on_evening_by_evening(contests: list[Contest], at: int) -> None:
    state: RatingState = {}
    rate(state, contests[:at])
    rate(state, contests[at:])
    assert list_ratings(state) == rated(contests)


def summary(**changes: Any) -> SummaryData:
    data = {
        "seats": {"1": 11, "2": 22, "3": 33, "4": 44},
        "scores": {"ns": 3, "ew": 5},
        "deals": 6,
        "ended": {"manche": ["13", "24", "13"], "robre": ["13"]},
        "balances": {seat: {} for seat in "1234"},
    }
    return cast(SummaryData, data | changes)


def test_the_largest_unit_of_a_game_is_rated_side_against_side() -> None:
    assert [*list_contests(games()["whist"], summary(), PERSON_IDS)] == [[[1, 3], [2, 4]]]


def test_each_player_is_a_team_where_each_plays_alone() -> None:
    alone = {"ended": {"manche": ["2", "4"]}, "scores": dict.fromkeys("1234", 0)}
    assert [*list_contests(games()["francion"], summary(**alone), PERSON_IDS)] == [
        [[2], [1], [3], [4]],
        [[4], [1], [2], [3]],
    ]


def test_a_substitute_is_rated_for_what_ended_after_they_sat_down() -> None:
    seatings = [
        {"seated": "1234", "deals": 4, "ended": {"robre": ["13"]}},
        {"seated": "5234", "deals": 2, "ended": {"robre": ["53", "24"]}},
    ]
    table = summary(seats={"1": 11, "2": 22, "3": 33, "4": 44, "5": 55}, seatings=seatings)
    assert [*list_contests(games()["whist"], table, PERSON_IDS)] == [
        [[1, 3], [2, 4]],
        [[5, 3], [2, 4]],
        [[2, 4], [5, 3]],
    ]
