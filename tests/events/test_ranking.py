"""The laws of standings, and the card of a number."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.drawing import Member, PlayedRound, PlayedTable
from scorekeeper.events.ranking import ABSENT, NO_RESULT, PLAYED, SAT_OUT, StandingRow, make_card, standings
from scorekeeper.events.scorings import AS_NOTHING, SCORINGS, Score

from .evenings import FEW, everybody
from .made_events import RESULTS, Rounds, members_of, played_rounds, table

FOUR = everybody(4)
SLUGS = st.sampled_from(list(SCORINGS))
FIRST = ((1, 2), (3, 4))


def scores(rows: tuple[StandingRow, ...]) -> dict[tuple[int, ...], Score]:
    return {row.numbers: row.score for row in rows}


# --- laws ---


@FEW
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
    before = {row.numbers[0]: row for row in standings(members, rounds, SCORINGS[slug])}
    for row in standings([Member(new[member.number]) for member in members], renamed, SCORINGS[slug]):
        old = before[len(members) + 1 - row.numbers[0]]
        assert (row.rank, row.score, row.tie_breaks) == (old.rank, old.score, old.tie_breaks)


@FEW
@given(played_rounds(), st.data())
def test_the_correction_of_a_result_changes_the_scores_of_its_four_only(rounds: Rounds, data: st.DataObject) -> None:
    with_tables = [at for at, played in enumerate(rounds) if played.tables]
    at = data.draw(st.sampled_from(with_tables))
    place = data.draw(st.integers(0, len(rounds[at].tables) - 1))
    tables = list(rounds[at].tables)
    tables[place] = tables[place]._replace(result=data.draw(st.none() | RESULTS))
    corrected = (*rounds[:at], rounds[at]._replace(tables=tuple(tables)), *rounds[at + 1 :])
    concerned = {number for pair in tables[place].pairs for number in pair}
    for slug in list(SCORINGS):
        if slug == "matchpoints":
            continue  # they compare all tables of the round
        scoring = SCORINGS[slug]  # other choices may count what the round's tables have
        before = scores(standings(members_of(rounds), rounds, scoring, sitting_out=AS_NOTHING))
        after = scores(standings(members_of(rounds), corrected, scoring, sitting_out=AS_NOTHING))
        assert {numbers[0] for numbers in before if before[numbers] != after[numbers]} <= concerned


@FEW
@given(played_rounds(), SLUGS)
def test_ranks_follow_scores_and_equals_share_one(rounds: Rounds, slug: str) -> None:
    rows = [row for row in standings(members_of(rounds), rounds, SCORINGS[slug]) if row.is_ranked]
    for better, worse in pairwise(rows):
        mark = [row.share or 0 if slug == "matchpoints" else row.score for row in (better, worse)]
        assert mark[0] >= mark[1]
        if mark[0] == mark[1]:
            assert tuple(better.tie_breaks.values()) >= tuple(worse.tie_breaks.values())
    for place, row in enumerate(rows, start=1):
        assert row.rank <= place
        assert row.rank == place or rows[place - 2].rank == row.rank


# --- by hand ---


def test_late_arrivals_and_early_leavers_have_what_they_scored_and_are_not_complete() -> None:
    members = (*FOUR[:3], Member(4, last_round=1), Member(5, first_round=2))
    rounds = (PlayedRound(1, (table(1, FIRST, 9, 4),)), PlayedRound(2, (table(1, ((1, 2), (3, 5)), 9, 4),)))
    rows = {row.numbers[0]: row for row in standings(members, rounds, SCORINGS["tricks"])}
    assert (rows[4].score, rows[4].rounds_played, rows[4].credits, rows[4].is_complete) == (4, 1, {}, False)
    assert (rows[5].score, rows[5].rounds_played, rows[5].credits, rows[5].is_complete) == (4, 1, {}, False)
    assert rows[1].is_complete


def test_a_fort_adds_up_its_two_tables_and_has_played_one_round() -> None:
    members = everybody(8)
    rounds = (PlayedRound(1, (table(1, ((1, 2), (5, 6)), 9, 4), table(2, ((7, 8), (3, 4)), 6, 7))),)
    rows = standings(members, rounds, SCORINGS["flags"], team_size=4)
    assert [(row.numbers, row.score, row.rounds_played, row.tie_breaks["points"]) for row in rows] == [
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
    better, worse = standings(FOUR, rounds, SCORINGS[slug], team_size=2)
    assert better.score == worse.score
    assert (better.numbers, better.rank, worse.rank) == (first, 1, 2)


def test_boards_that_go_from_table_to_table_are_compared_wherever_they_are_played() -> None:
    members = everybody(8)
    rounds = (
        PlayedRound(1, (table(1, FIRST, 10, 0), table(2, ((5, 6), (7, 8)), 90, 0))),
        PlayedRound(2, (table(1, FIRST, 80, 0), table(2, ((5, 6), (7, 8)), 20, 0))),
    )
    by_round = standings(members, rounds, SCORINGS["matchpoints"], team_size=2)
    by_boards = standings(members, rounds, SCORINGS["matchpoints"], 2, ((0, 1), (1, 0)))
    assert {row.numbers: row.share for row in by_round} == dict.fromkeys(
        ((1, 2), (3, 4), (5, 6), (7, 8)), Fraction(1, 2)
    )
    assert {row.numbers: row.share for row in by_boards} == {(1, 2): 0, (3, 4): 1, (5, 6): 1, (7, 8): 0}


# --- cards -------------------------------------------------------------------------------------------------


@FEW
@given(played_rounds(), st.sampled_from(list(SCORINGS)))
def test_the_lines_of_a_card_add_up_to_the_score_in_the_standings(rounds: Rounds, slug: str) -> None:
    scoring = SCORINGS[slug]
    for row in standings(members_of(rounds), rounds, scoring):
        card = make_card(row.numbers[0], rounds, scoring)
        assert sum(line.worth or 0 for line in card) + sum(row.credits.values()) == row.score
        assert sum(line.slams for line in card) == row.slams
        assert [line.kind for line in card].count(PLAYED) == row.rounds_played
        assert [line.kind for line in card].count(SAT_OUT) == row.sat_out
        assert [line.round for line in card] == [played.number for played in rounds]


def test_a_card_says_where_with_whom_against_whom_and_what_came_of_it() -> None:
    rounds = (
        PlayedRound(1, (table(1, ((1, 2), (3, 4)), 9, 4, 0, 1), table(2, ((5, 6), (7, 8)), 6, 7))),
        PlayedRound(2, (table(1, ((5, 6), (7, 8)), 1, 1),), (1, 2, 3, 4)),
        PlayedRound(3, (PlayedTable(1, ((1, 3), (2, 4))),)),
    )
    first, second, third = make_card(4, rounds, SCORINGS["difference"])
    assert first == (1, PLAYED, 1, "west", (3, 1, 2), 4, (9,), 1, -5, 0)
    assert second[:3] == (2, SAT_OUT, None)
    assert third[:6] == (3, NO_RESULT, 1, "west", (2, 1, 3), None)
    assert [line.kind for line in make_card(5, rounds, SCORINGS["difference"])] == [PLAYED, PLAYED, ABSENT]
