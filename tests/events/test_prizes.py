"""Who wins which prize."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.prizes import Award, award, read_prizes
from scorekeeper.events.ranking import StandingRow, standings
from scorekeeper.events.scorings import SCORINGS
from scorekeeper.scoring.currency import SUBUNITS_PER_UNIT
from scorekeeper.scoring.prizes import Prize
from scorekeeper.scoring.problems import Problem

from .evenings import FEW
from .made_events import Rounds, members_of, played_rounds

CENT = SUBUNITS_PER_UNIT // 100
PRIZES = st.lists(
    st.builds(
        Prize,
        rule=st.sampled_from(("highest", "lowest", "slams")),
        place=st.integers(1, 5),
        group=st.sampled_from(("", "a", "b")),
        amount=st.integers(1, 10_000).map(lambda cents: f"{cents // 100}.{cents % 100:02}"),
        again=st.booleans(),
    ),
    max_size=8,
)


def row(rank: int, *numbers: int, group: str = "", slams: int = 0, is_complete: bool = True) -> StandingRow:
    return StandingRow(rank, numbers, group, 100 - rank, None, {}, 3, 0, {}, slams, is_complete)


def winners(awards: tuple[Award, ...]) -> list[tuple[int, ...]]:
    return [tuple(number for each in award.rows for number in each.numbers) for award in awards]


def cents(awards: tuple[Award, ...]) -> dict[int, int]:
    return {number: amount // CENT for each in awards for number, amount in each.amounts.items()}


ROWS = (row(1, 1, group="a"), row(2, 2, group="b"), row(3, 3, group="a"), row(4, 4, group="b"))


# --- laws ---


@FEW
@given(played_rounds(), PRIZES)
def test_what_is_won_is_what_the_prizes_are_worth_and_nobody_is_paid_twice(rounds: Rounds, prizes: list[Prize]) -> None:
    rows = standings(members_of(rounds), rounds, SCORINGS["tricks"])
    awards = award(prizes, rows, CENT)
    assert sum(sum(each.amounts.values()) for each in awards if each.rows) + sum(
        prize.subunits for prize in prizes if not any(_has_won(each, prize) for each in awards)
    ) == sum(prize.subunits for prize in prizes)
    assert all(amount % CENT == 0 for each in awards for amount in each.amounts.values())
    if not any(prize.again for prize in prizes):
        won = [numbers for each in awards for numbers in (each_row.numbers for each_row in each.rows)]
        assert len(won) == len(set(won))


def _has_won(each: Award, prize: Prize) -> bool:
    return bool(each.rows) and (each.rule, each.group) == (prize.rule, prize.group) and prize.place in each.places


# --- by hand ---


def test_two_who_share_the_first_place_divide_the_first_two_prizes() -> None:
    rows = (row(1, 1), row(1, 2), row(3, 3))
    awards = award([Prize("highest", 1, amount="20"), Prize("highest", 2, amount="10.01")], rows, CENT)
    assert winners(awards) == [(1, 2)]
    assert cents(awards) == {1: 1501, 2: 1500}  # the cent left over goes to the lower number


def test_a_pair_divides_what_it_has_won() -> None:
    awards = award([Prize("highest", 1, amount="0.15")], (row(1, 1, 2), row(2, 3, 4)), 5 * CENT)
    assert cents(awards) == {1: 10, 2: 5}


def test_the_best_of_a_group_is_the_best_of_those_who_have_no_prize_yet() -> None:
    prizes = [
        Prize("highest", text="Cup"),
        Prize("highest", group="a", text="Ham"),
        Prize("highest", group="b", text="Ham"),
    ]
    assert winners(award(prizes, ROWS)) == [(1,), (3,), (2,)]


def test_the_lowest_prize_is_for_somebody_who_played_to_the_end() -> None:
    rows = (row(1, 1), row(2, 2), row(3, 3, is_complete=False))
    assert winners(award([Prize("lowest", text="Spoon")], rows)) == [(2,)]


def test_most_slams_wins_only_with_a_slam() -> None:
    prizes = [Prize("slams", 1, amount="5"), Prize("slams", 2, amount="3")]
    assert winners(award(prizes, ROWS)) == [()]
    rows = (row(1, 1), row(2, 2, slams=2), row(3, 3, slams=2))
    assert cents(award(prizes, rows, CENT)) == {2: 400, 3: 400}


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({}, "prizes"),
        ([{}] * 101, "prizes"),
        ([{"rule": "luck", "text": "Ham"}], "prizes[0].rule"),
        ([{"rule": "highest", "text": "Ham", "place": 0}], "prizes[0].place"),
        ([{"rule": "highest", "text": "Ham", "group": "c"}], "prizes[0].group"),
        ([{"rule": "highest"}], "prizes[0].amount"),
        ([{"rule": "highest", "text": "Ham", "amount": "5"}], "prizes[0].amount"),
        ([{"rule": "highest", "amount": "0"}], "prizes[0].amount"),
        ([{"rule": "highest", "amount": "-5"}], "prizes[0].amount"),
        ([{"rule": "highest", "amount": "NaN"}], "prizes[0].amount"),
        ([{"rule": "highest", "amount": "1e999999"}], "prizes[0].amount"),
        ([{"rule": "highest", "amount": "0.0000001"}], "prizes[0].amount"),
        ([{"rule": "highest", "amount": "ten"}], "prizes[0].amount"),
        (["Ham"], "prizes[0]"),
    ],
)
def test_what_is_no_prize_is_refused_with_its_place(raw: Any, field: str) -> None:
    problems: list[Problem] = []
    assert read_prizes(raw, problems) == ()
    assert problems[0].field == field
