"""What a round counts that somebody sits out, worked out by hand for every scoring and choice."""

from __future__ import annotations

from fractions import Fraction

import pytest

from scorekeeper.events.drawing import PlayedRound
from scorekeeper.events.ranking import StandingRow, standings
from scorekeeper.events.scorings import AS_AVERAGE, AS_NOTHING, AS_SIXTY, AS_WIN, SCORINGS

from .evenings import everybody
from .made_events import table

FIVE_PAIRS = everybody(10)
# Pair 5 sits out round 1, pair 4 round 2. Pairs 1 and 2 play each other twice.
ROUNDS = (
    PlayedRound(1, (table(1, ((1, 2), (3, 4)), 41, -12), table(2, ((5, 6), (7, 8)), 30, 44)), (9, 10)),
    PlayedRound(2, (table(1, ((1, 2), (3, 4)), 20, 25), table(2, ((5, 6), (9, 10)), 41, 10)), (7, 8)),
)
# In matchpoints, North–South are up 53 and down 14 in round 1, down 5 and up 31 in round 2; 2 can be scored at a table.

HALF = Fraction(1, 2)


def rows_of(rounds: tuple[PlayedRound, ...], slug: str, choice: str) -> dict[int, StandingRow]:
    rows = standings(FIVE_PAIRS, rounds, SCORINGS[slug], 2, sitting_out=choice)
    return {row.numbers[1] // 2: row for row in rows}


@pytest.mark.parametrize(
    ("slug", "choice", "of_5", "of_4"),
    [
        ("parties", AS_WIN, 2, 2),
        ("parties", AS_SIXTY, Fraction(6, 5), Fraction(6, 5)),
        ("parties", AS_AVERAGE, 0, 2),  # of their own other round
        ("flags", AS_WIN, 1, 1),
        ("flags", AS_SIXTY, Fraction(3, 5), Fraction(3, 5)),
        ("total", AS_WIN, Fraction(41 + 44, 2), Fraction(25 + 41, 2)),
        ("total", AS_SIXTY, Fraction(6, 10) * Fraction(29 + 74, 2), Fraction(6, 10) * Fraction(45 + 51, 2)),
        ("total", AS_AVERAGE, 10, 44),
        ("tricks", AS_WIN, Fraction(41 + 44, 2), Fraction(25 + 41, 2)),
        ("difference", AS_WIN, Fraction(53 + 14, 2), Fraction(5 + 31, 2)),
        ("difference", AS_SIXTY, Fraction(2, 10) * Fraction(29 + 74, 2), Fraction(2, 10) * Fraction(45 + 51, 2)),
        ("difference", AS_AVERAGE, -31, 14),
    ],
)
def test_a_round_that_is_sat_out_counts_what_was_chosen(slug: str, choice: str, of_5: Fraction, of_4: Fraction) -> None:
    rows = rows_of(ROUNDS, slug, choice)
    assert rows[5].credits == {1: of_5}
    assert (type(rows[5].credits[1]) is int) == (of_5.denominator == 1)  # whole points are written without a fraction
    assert rows[4].credits == {2: of_4}
    own = {"parties": (0, 2), "flags": (0, 1), "total": (10, 44), "tricks": (10, 44), "difference": (-31, 14)}[slug]
    assert (rows[5].score, rows[4].score) == (own[0] + of_5, own[1] + of_4)
    assert rows[1].credits == {}


@pytest.mark.parametrize(
    ("choice", "share_of_5", "share_of_4"),
    [  # pair 5 has 0 of 2 in round 2, pair 4 has 2 of 2 in round 1
        (AS_AVERAGE, 0, 1),
        (AS_SIXTY, Fraction(12, 10) / 4, Fraction(2 + Fraction(12, 10)) / 4),
        (AS_NOTHING, 0, HALF),
        (AS_WIN, Fraction(2) / 4, Fraction(2 + 2) / 4),  # both winners of a round have 2 of 2
    ],
)
def test_in_matchpoints_it_is_a_share_of_what_could_be_scored(
    choice: str, share_of_5: Fraction, share_of_4: Fraction
) -> None:
    rows = rows_of(ROUNDS, "matchpoints", choice)
    assert (rows[5].share, rows[4].share) == (share_of_5, share_of_4)


def test_a_fort_that_sits_out_has_what_both_its_tables_would_have_won() -> None:
    members = everybody(12)
    tables = (table(1, ((1, 2), (5, 6)), 9, 4), table(2, ((7, 8), (3, 4)), 6, 7))
    rounds = (PlayedRound(1, tables, (9, 10, 11, 12)),)
    rows = standings(members, rounds, SCORINGS["flags"], 4, sitting_out=AS_WIN)
    assert {row.numbers[0]: row.score for row in rows} == {1: 2, 5: 0, 9: 2}


def test_a_round_without_ones_partner_counts_for_nothing() -> None:
    rounds = (ROUNDS[0], PlayedRound(2, (table(1, ((1, 2), (5, 6)), 41, 10),), (3, 4, 7, 9, 10)))
    rows = rows_of(rounds, "parties", AS_WIN)
    assert [(rows[pair].score, rows[pair].credits, rows[pair].is_complete) for pair in (2, 4)] == [
        (2, {2: 2}, True),
        (2, {}, False),
    ]
