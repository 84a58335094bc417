"""Games that the lowest score wins: everything is as with the signs of all results changed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.drawing import PlayedRound
from scorekeeper.events.formats import FORMATS
from scorekeeper.events.ranking import StandingRow, standings
from scorekeeper.events.scorings import AS_SIXTY, AS_WIN, SCORINGS, Scoring

from .evenings import FEW, draw_next, everybody, play
from .made_events import Rounds, members_of, played_rounds, table

LOWEST = [scoring.under(True) for scoring in SCORINGS.values()]
TWO_TABLES = PlayedRound(1, (table(1, ((1, 2), (3, 4)), 30, 70), table(2, ((5, 6), (7, 8)), 60, 40)), (9, 10))
TEN = everybody(10)


def negated(rounds: Rounds) -> Rounds:
    return tuple(
        played._replace(
            tables=tuple(each._replace(result=each.result and each.result.negated()) for each in played.tables)
        )
        for played in rounds
    )


def find_row(rows: tuple[StandingRow, ...], number: int) -> StandingRow:
    return next(row for row in rows if number in row.numbers)


@FEW
@given(played_rounds(team_size=2, is_complete=True), st.sampled_from(LOWEST))
def test_places_are_those_of_results_with_other_signs(rounds: Rounds, scoring: Scoring) -> None:
    members = members_of(rounds)
    low, high = (
        standings(members, of_rounds, under, 2)
        for of_rounds, under in ((rounds, scoring), (negated(rounds), scoring.under(False)))
    )
    if scoring.lowest_total_wins and len({row.rounds_played + len(row.credits) for row in low}) > 1:
        return  # who has missed a round comes last
    assert [(row.rank, row.numbers, row.share) for row in low] == [(row.rank, row.numbers, row.share) for row in high]
    assert [scoring.flip_score(row.score) for row in low] == [row.score for row in high]


@pytest.mark.parametrize(
    ("slug", "choice", "worth"),
    [("total", AS_SIXTY, 40), ("difference", AS_SIXTY, 20), ("total", AS_WIN, 35), ("difference", AS_WIN, 30)],
)
def test_sitting_out_is_worth_a_part_of_what_is_good(slug: str, choice: str, worth: int) -> None:
    """At both tables 100 points were made; the winners have 30 and 40, which is 40 and 20 fewer than the losers."""
    rows = standings(TEN, (TWO_TABLES,), SCORINGS[slug].under(True), sitting_out=choice)
    assert find_row(rows, 9).score == Fraction(worth)


@pytest.mark.parametrize("slug", FORMATS)
@pytest.mark.parametrize("movers", ["winners", "losers"])
def test_the_next_round_is_drawn_by_who_has_less(slug: str, movers: str) -> None:
    format_ = FORMATS[slug]
    names = getattr(format_.options, "__dataclass_fields__", {})
    options = format_.options(**({"movers": movers} if "movers" in names else {}))
    members = everybody(16)
    low: Rounds = ()
    for number in range(1, 4):
        usual, turned = (
            draw_next(format_, members, earlier, 3, options, 7, lowest_wins)
            for earlier, lowest_wins in ((negated(low), False), (low, True))
        )
        assert turned == usual
        low = (*low, play(number, turned))
