"""Games that everybody plays alone: each of the four at a table has a result of their own."""

from __future__ import annotations

import pytest

from scorekeeper.events.drawing import PlayedRound, PlayedTable, Result
from scorekeeper.events.formats import FORMATS
from scorekeeper.events.ranking import make_card, standings
from scorekeeper.events.scorings import AS_SIXTY, AS_WIN, SCORINGS

from .evenings import draw_next, everybody
from .made_events import Rounds

ALONE = [
    scoring.under(low, plays_alone=True) for scoring in SCORINGS.values() if scoring.fits_alone for low in (False, True)
]
INDIVIDUAL = [slug for slug in FORMATS if FORMATS[slug].team_size == 1]


TABLE = PlayedTable(1, ((1, 3), (2, 4)), Result((10, 20, 30, 60), (0,) * 4), plays_alone=True)


@pytest.mark.parametrize(
    ("low", "choice", "worth"), [(False, AS_SIXTY, 36), (True, AS_SIXTY, 24), (False, AS_WIN, 60), (True, AS_WIN, 10)]
)
def test_sitting_out_is_worth_a_part_of_what_is_good(low: bool, choice: str, worth: int) -> None:
    """The average at the table is 30."""
    total = next(scoring for scoring in ALONE if scoring.is_own and scoring.lowest_wins is low)
    rows = standings(everybody(5), (PlayedRound(1, (TABLE,), (5,)),), total, sitting_out=choice)
    assert next(row.score for row in rows if row.numbers == (5,)) == worth


def test_of_two_who_are_equal_the_one_who_was_ahead_of_the_other_comes_first() -> None:
    total = next(scoring for scoring in ALONE if scoring.is_own and not scoring.lowest_wins)
    second = TABLE._replace(number=1, pairs=((1, 6), (5, 7)), result=Result((10, 5, 20, 5), (0,) * 4))
    rows = standings(everybody(7), (PlayedRound(1, (TABLE,)), PlayedRound(2, (second,))), total)
    first, last = ([row.numbers[0] for row in rows].index(number) for number in (2, 1))
    assert first < last  # both have 20: at table 1, 2 had 20 and 1 had 10


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_card_names_the_others_in_the_order_of_what_they_scored(number: int) -> None:
    total = next(scoring for scoring in ALONE if scoring.is_own and not scoring.lowest_wins)
    [line] = make_card(number, (PlayedRound(1, (TABLE,)),), total)
    scored = dict(zip((1, 2, 3, 4), (10, 20, 30, 60), strict=True))
    assert line.scored == scored[number]
    assert line.conceded == tuple(scored[other] for other in line.others)


@pytest.mark.parametrize("slug", INDIVIDUAL)
@pytest.mark.parametrize("low", [False, True])
def test_the_next_rounds_are_drawn_in_every_format_that_ranks_individuals(slug: str, low: bool) -> None:
    format_ = FORMATS[slug]
    earlier: Rounds = ()
    for number in range(1, 4):
        drawn = draw_next(format_, everybody(13), earlier, 3, None, 7, low)
        results = (Result((at, at, 3 * at, at - number), (0,) * 4) for at in range(len(drawn.tables)))
        tables = zip(drawn.tables, results, strict=True)
        played = (PlayedTable(at, pairs, result, True) for at, (pairs, result) in enumerate(tables, start=1))
        earlier = (*earlier, PlayedRound(number, tuple(played), drawn.sits_out))
        assert len({who for table in drawn.tables for pair in table for who in pair}) == 12


@pytest.mark.parametrize(
    ("movers", "low", "stay"), [("losers", False, {3, 4}), ("losers", True, {1, 2}), ("winners", True, {3, 4})]
)
def test_in_a_drive_the_two_who_have_most_or_least_stay(movers: str, low: bool, stay: set[int]) -> None:
    format_ = FORMATS["progressive"]
    others = PlayedTable(2, ((5, 6), (7, 8)), Result((1, 2, 3, 4), (0,) * 4), plays_alone=True)
    earlier = (PlayedRound(1, (TABLE, others)),)
    drawn = draw_next(format_, everybody(8), earlier, 3, format_.options(movers=movers), 7, low)
    assert {who for pair in drawn.tables[0] for who in pair} & {1, 2, 3, 4} == stay
