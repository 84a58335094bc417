"""The laws of standings."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.drawing import Member, PlayedRound, PlayedTable, Result
from scorekeeper.events.scoring import AS_NOTHING, AS_ROUNDED, SCORINGS, Score, find_scoring, scoring_slugs
from scorekeeper.events.standings import StandingRow, standings

from .made_events import RESULTS, Rounds, members_of, played_rounds, table

FOUR = tuple(Member(number) for number in range(1, 5))
SLUGS = st.sampled_from(scoring_slugs())
FIRST = ((1, 2), (3, 4))


def ranks(rows: tuple[StandingRow, ...]) -> dict[tuple[int, ...], int]:
    return {row.numbers: row.rank for row in rows}


def scores(rows: tuple[StandingRow, ...]) -> dict[tuple[int, ...], Score]:
    return {row.numbers: row.score for row in rows}


# --- laws ---


@given(played_rounds(), SLUGS, st.randoms(use_true_random=False))
def test_neither_the_order_of_tables_nor_that_of_members_matters(rounds: Rounds, slug: str, random: object) -> None:
    members = list(members_of(rounds))
    expected = standings(members, rounds, find_scoring(slug))
    shuffled = []
    for played in rounds:
        tables = list(played.tables)
        random.shuffle(tables)  # type: ignore[attr-defined]  # Hypothesis's own kind of random.Random
        shuffled.append(played._replace(tables=tuple(tables)))
    random.shuffle(members)  # type: ignore[attr-defined]  # as above
    assert standings(members, shuffled, find_scoring(slug)) == expected


@given(played_rounds(), SLUGS)
def test_the_number_that_somebody_drew_does_not_change_their_place(rounds: Rounds, slug: str) -> None:
    members = members_of(rounds)
    new = {member.number: len(members) + 1 - member.number for member in members}
    renamed = tuple(
        PlayedRound(
            played.number,
            tuple(
                PlayedTable(each.number, tuple((new[one], new[two]) for one, two in each.pairs), each.result)  # type: ignore[arg-type]  # two pairs of two
                for each in played.tables
            ),
            tuple(new[number] for number in played.sits_out),
        )
        for played in rounds
    )
    before = {row.numbers[0]: row for row in standings(members, rounds, find_scoring(slug))}
    for row in standings([Member(new[member.number]) for member in members], renamed, find_scoring(slug)):
        old = before[len(members) + 1 - row.numbers[0]]
        assert (row.rank, row.score, row.tie_breaks) == (old.rank, old.score, old.tie_breaks)


@given(played_rounds(), st.data())
def test_the_correction_of_a_result_changes_the_scores_of_its_four_only(rounds: Rounds, data: st.DataObject) -> None:
    with_tables = [at for at, played in enumerate(rounds) if played.tables]
    at = data.draw(st.sampled_from(with_tables))
    place = data.draw(st.integers(0, len(rounds[at].tables) - 1))
    tables = list(rounds[at].tables)
    tables[place] = tables[place]._replace(result=data.draw(st.none() | RESULTS))
    corrected = (*rounds[:at], rounds[at]._replace(tables=tuple(tables)), *rounds[at + 1 :])
    concerned = {number for pair in tables[place].pairs for number in pair}
    for slug in scoring_slugs():
        if slug == "matchpoints":
            continue  # they compare all tables of the round
        scoring = find_scoring(slug)  # other choices may count what the round's tables have
        before = scores(standings(members_of(rounds), rounds, scoring, sitting_out=AS_NOTHING))
        after = scores(standings(members_of(rounds), corrected, scoring, sitting_out=AS_NOTHING))
        assert {numbers[0] for numbers in before if before[numbers] != after[numbers]} <= concerned


@given(played_rounds(), SLUGS)
def test_ranks_follow_scores_and_equals_share_one(rounds: Rounds, slug: str) -> None:
    rows = [row for row in standings(members_of(rounds), rounds, find_scoring(slug)) if row.is_ranked]
    for better, worse in pairwise(rows):
        mark = [row.share or 0 if slug == "matchpoints" else row.score for row in (better, worse)]
        assert mark[0] >= mark[1]
        if mark[0] == mark[1]:
            assert tuple(better.tie_breaks.values()) >= tuple(worse.tie_breaks.values())
    for place, row in enumerate(rows, start=1):
        assert row.rank <= place
        assert row.rank == place or rows[place - 2].rank == row.rank


@given(played_rounds(unit=2, most_members=16))
def test_pairs_that_stay_together_rank_as_their_members_do(rounds: Rounds) -> None:
    for scoring in SCORINGS:
        pairs = standings(members_of(rounds), rounds, scoring, unit=2)
        single = standings(members_of(rounds), rounds, scoring)
        by_number = {number: row for row in pairs for number in row.numbers}
        assert all(row.score == by_number[row.numbers[0]].score for row in single)
        assert sorted(number for row in pairs for number in row.numbers) == sorted(row.numbers[0] for row in single)


# --- by hand ---


@pytest.mark.parametrize("choice", [AS_NOTHING, AS_ROUNDED])
def test_who_sits_out_for_nothing_before_they_have_played_comes_last(choice: str) -> None:
    rounds = (PlayedRound(1, (table(1, FIRST, 0, 5),), (5,)),)
    rows = standings((*FOUR, Member(5)), rounds, find_scoring("difference"), sitting_out=choice)
    assert rows[-1].numbers == (5,)
    assert (rows[-1].rank, rows[-1].score, rows[-1].played) == (5, 0, 0)
    assert not rows[-1].is_ranked
    assert rows[-2].score == -5


def test_late_arrivals_and_early_leavers_have_what_they_scored_and_are_not_complete() -> None:
    members = (*FOUR[:3], Member(4, last_round=1), Member(5, first_round=2))
    rounds = (
        PlayedRound(1, (table(1, FIRST, 9, 4),)),
        PlayedRound(2, (table(1, ((1, 2), (3, 5)), 9, 4),)),
    )
    rows = {row.numbers[0]: row for row in standings(members, rounds, find_scoring("tricks"))}
    assert (rows[4].score, rows[4].played, rows[4].credit, rows[4].is_complete) == (4, 1, 0, False)
    assert (rows[5].score, rows[5].played, rows[5].credit, rows[5].is_complete) == (4, 1, 0, False)
    assert rows[1].is_complete


def test_a_fort_adds_up_its_two_tables_and_has_played_one_round() -> None:
    members = tuple(Member(number) for number in range(1, 9))
    rounds = (PlayedRound(1, (table(1, ((1, 2), (5, 6)), 9, 4), table(2, ((7, 8), (3, 4)), 6, 7))),)
    rows = standings(members, rounds, find_scoring("flags"), unit=4)
    assert [(row.numbers, row.score, row.played, row.tie_breaks["points"]) for row in rows] == [
        ((1, 2, 3, 4), 2, 1, 16),
        ((5, 6, 7, 8), 0, 1, 10),
    ]


@pytest.mark.parametrize(
    ("slug", "results", "first"),
    [
        ("tricks", [(8, 6), (6, 7), (7, 8), (7, 7)], (3, 4)),  # 28 tricks each; 3 and 4 have won two tables
        ("difference", [(8, 2), (1, 4), (1, 4)], (3, 4)),  # the same
        ("total", [(41, -12), (10, 44), (-1, 18)], (3, 4)),  # 50 each; 3 and 4 have won two tables
        ("parties", [(9, 4), (6, 7)], (1, 2)),  # one won each; the difference is 4
        ("flags", [(7, 6), (3, 10)], (3, 4)),  # one each; 16 tricks against 10
    ],
)
def test_equals_are_ordered_by_the_stated_tie_breaks(
    slug: str, results: list[tuple[int, int]], first: tuple[int, int]
) -> None:
    rounds = tuple(PlayedRound(number, (table(1, FIRST, *result),)) for number, result in enumerate(results, start=1))
    better, worse = standings(FOUR, rounds, find_scoring(slug), unit=2)
    assert better.score == worse.score
    assert (better.numbers, better.rank, worse.rank) == (first, 1, 2)


def test_slams_decide_between_equals() -> None:
    rounds = (PlayedRound(1, (table(1, FIRST, 6, 6, 0, 1),)),)
    assert ranks(standings(FOUR, rounds, find_scoring("tricks"), unit=2)) == {(3, 4): 1, (1, 2): 2}


def test_two_who_are_equal_in_everything_are_ordered_by_how_they_played_each_other() -> None:
    members = tuple(Member(number) for number in range(1, 9))
    rounds = (  # pairs 1 and 2 end with 13 tricks and one table each; pair 1 won their meeting
        PlayedRound(1, (table(1, FIRST, 7, 6), table(2, ((5, 6), (7, 8)), 5, 8))),
        PlayedRound(2, (table(1, ((1, 2), (5, 6)), 6, 7), table(2, (FIRST[1], (7, 8)), 7, 6))),
    )
    rows = standings(members, rounds, find_scoring("tricks"), unit=2)
    assert [(row.numbers, row.rank, row.score) for row in rows[1:3]] == [((1, 2), 2, 13), ((3, 4), 3, 13)]


def test_boards_that_go_from_table_to_table_are_compared_wherever_they_are_played() -> None:
    members = tuple(Member(number) for number in range(1, 9))
    rounds = (
        PlayedRound(1, (table(1, FIRST, 10, 0), table(2, ((5, 6), (7, 8)), 90, 0))),
        PlayedRound(2, (table(1, FIRST, 80, 0), table(2, ((5, 6), (7, 8)), 20, 0))),
    )
    by_round = standings(members, rounds, find_scoring("matchpoints"), unit=2)
    by_boards = standings(
        members, rounds, find_scoring("matchpoints"), unit=2, boards_of=lambda number, at: (number + at) % 2
    )
    assert {row.numbers: row.share for row in by_round} == dict.fromkeys(
        ((1, 2), (3, 4), (5, 6), (7, 8)), Fraction(1, 2)
    )
    assert {row.numbers: row.share for row in by_boards} == {(1, 2): 0, (3, 4): 1, (5, 6): 1, (7, 8): 0}


def test_a_result_of_somebody_who_was_taken_out_counts_for_the_others() -> None:
    rounds = (PlayedRound(1, (PlayedTable(1, FIRST, Result((9, 4))),)),)
    assert scores(standings(FOUR[:3], rounds, find_scoring("tricks"))) == {(1,): 9, (2,): 9, (3,): 4}
