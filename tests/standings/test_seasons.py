"""The table of a season against a naive computation: best evenings, bonus, handicaps, ties, attendance, trophies."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.standings.season_ranking import (
    BEST,
    EVENINGS,
    SHARED,
    TIES,
    EveningHandicap,
    Evenings,
    SeasonRow,
    SeasonRules,
    add_scores,
    award,
    rank,
)

FIRST = date(2026, 9, 4)
PLAYERS = (1, 2, 3, 10)
HUNDREDTHS = st.integers(-500, 500).map(lambda number: Fraction(number, 100))

evenings_strategy = st.dictionaries(
    st.integers(0, 6).map(lambda weeks: FIRST + timedelta(weeks=weeks)),
    st.dictionaries(st.sampled_from(PLAYERS), st.integers(-4, 6), min_size=1),
    max_size=6,
)
rules_strategy = st.builds(
    SeasonRules,
    st.none() | st.integers(1, 5),
    st.integers(0, 4),
    st.integers(0, 3),
    st.sampled_from(TIES),
    st.booleans(),
)
handicaps_strategy = st.dictionaries(
    st.sampled_from(PLAYERS),
    st.builds(EveningHandicap, points=HUNDREDTHS)
    | st.builds(EveningHandicap, factor=HUNDREDTHS.map(abs).map(lambda factor: factor + Fraction(1, 100))),
)
seasons = given(evenings_strategy, rules_strategy, handicaps_strategy)


def evenings_of(*made: dict[int, int]) -> Evenings:
    return {FIRST + timedelta(weeks=week): each for week, each in enumerate(made)}


def worths(player: int, evenings: Evenings, handicaps: dict[int, EveningHandicap]) -> list[Fraction]:
    points, factor = handicaps.get(player, EveningHandicap())
    return [Fraction(made[player]) * factor + points for made in evenings.values() if player in made]


def total_of(worth: list[Fraction], rules: SeasonRules) -> Fraction:
    """Try every choice of so many evenings."""
    size = len(worth) if rules.best is None else min(rules.best, len(worth))
    sums = [sum(chosen, Fraction(0)) for chosen in combinations(worth, size)]
    bonus = rules.bonus * len(worth)
    return min(sums) - bonus if rules.lowest_wins else max(sums) + bonus


def is_better(one: list[Fraction], other: list[Fraction], rules: SeasonRules) -> bool:
    """Compare two people, step by step."""
    sign = -1 if rules.lowest_wins else 1
    counted = [len(worth) if rules.best is None else min(rules.best, len(worth)) for worth in (one, other)]
    if rules.lowest_wins and counted[0] != counted[1]:
        return counted[0] > counted[1]
    totals = [sign * total_of(worth, rules) for worth in (one, other)]
    if totals[0] != totals[1]:
        return totals[0] > totals[1]
    if rules.ties == BEST:
        return max(sign * each for each in one) > max(sign * each for each in other)
    return rules.ties == EVENINGS and len(one) > len(other)


@seasons
def test_everybody_has_the_total_and_the_rank_of_a_naive_computation(
    evenings: Evenings, rules: SeasonRules, handicaps: dict[int, EveningHandicap]
) -> None:
    rows = rank(evenings, rules, handicaps)
    came = {player: worth for player in PLAYERS if (worth := worths(player, evenings, handicaps))}
    enough = {player for player, worth in came.items() if len(worth) >= rules.least}
    expected = {
        player: 1 + sum(is_better(came[other], worth, rules) for other in enough) if player in enough else None
        for player, worth in came.items()
    }
    assert {row.player: row.rank for row in rows} == expected
    assert {row.player: row.total for row in rows} == {player: total_of(came[player], rules) for player in came}
    ranks = [row.rank for row in rows if row.rank is not None]
    assert [row.rank for row in rows] == [*sorted(ranks), *[None] * (len(rows) - len(ranks))]


@seasons
def test_what_a_row_says_adds_up_to_its_total(
    evenings: Evenings, rules: SeasonRules, handicaps: dict[int, EveningHandicap]
) -> None:
    for row in rank(evenings, rules, handicaps):
        counted = [each.made + each.change for each in row.evenings if each.is_counted]
        assert sum(counted, Fraction(row.bonus)) == row.total
        assert len(counted) == row.counted == min(len(row.evenings), rules.best or len(row.evenings))
        assert [each.day for each in row.evenings] == sorted(day for day in evenings if row.player in evenings[day])


@seasons
def test_the_first_trophy_is_the_first_ranks_and_nobody_came_more_often_than_the_most_faithful(
    evenings: Evenings, rules: SeasonRules, handicaps: dict[int, EveningHandicap]
) -> None:
    rows = rank(evenings, rules, handicaps)
    trophies = {trophy.kind: trophy for trophy in award(rows, lowest_wins=rules.lowest_wins)}
    firsts = tuple(row.player for row in rows if row.rank == 1)
    assert (trophies["first"].players if "first" in trophies else ()) == firsts
    every = [each.worth for row in rows for each in row.evenings]
    if rows:
        assert trophies["best-evening"].amount == (min(every) if rules.lowest_wins else max(every))
        assert trophies["most-evenings"].amount == max(len(row.evenings) for row in rows)
    else:
        assert trophies == {}


# --- worked out by hand --------------------------------------------------------------------------------------


def in_short(rows: Iterable[SeasonRow]) -> list[tuple[int | None, int, Fraction | int]]:
    return [(row.rank, row.player, row.total) for row in rows]


TWO_OF_THREE = evenings_of({1: 5, 2: 3}, {1: 1, 2: 3}, {1: 1, 2: 0, 3: 9})


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        (SHARED, [(1, 3, 9), (2, 1, 6), (2, 2, 6)]),
        (BEST, [(1, 3, 9), (2, 1, 6), (3, 2, 6)]),
        (EVENINGS, [(1, 3, 9), (2, 1, 6), (2, 2, 6)]),
    ],
)
def test_equal_totals_of_the_two_best_evenings_are_told_apart_as_the_season_says(
    ties: str, expected: list[tuple[int | None, int, Fraction | int]]
) -> None:
    rows = rank(TWO_OF_THREE, SeasonRules(best=2, ties=ties), {})
    assert in_short(rows) == expected
    assert [row.has_equals for row in rows] == [False, True, True]
    assert {row.shares_rank for row in rows if row.has_equals} == {ties != BEST}


# --- scores of a table ---------------------------------------------------------------------------------------


def test_scores_go_to_those_who_sat_there_last_and_to_both_partners() -> None:
    persons = {1: 1, 2: 2, 3: 3, 4: 4, 5: 1, 6: 6}  # the fifth player was merged into the first
    seats = {str(number): number for number in persons}
    total = {9: 3}
    of_all = {"seats": seats, "balances": seats, "deals": 2, "ended": {}}
    sides = of_all | {"scores": {"ns": 7, "ew": 4}, "seatings": [{"seated": "1234"}, {"seated": "5234"}]}
    add_scores(total, sides, persons)  # type: ignore[arg-type]  # only the keys that it reads
    assert total == {9: 3, 1: 7, 2: 4, 3: 7, 4: 4, 6: 0}
    alone = of_all | {"scores": {"1": 5, "2": -2}, "seatings": [{"seated": "12"}]}
    add_scores(total, alone, persons)  # type: ignore[arg-type]  # the same
    assert total == {9: 3, 1: 12, 2: 2, 3: 7, 4: 4, 6: 0}
