"""Military: forts of four, two at home and two travelling."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.events.drawing import Member, PlayedRound
from scorekeeper.events.formats.military import FORMAT, Options

from .evenings import FEW, evening, everybody, schedule


def fort_of(number: int) -> int:
    return (number + 3) // 4


def visits(rounds: tuple[PlayedRound, ...]) -> Counter[tuple[int, int]]:
    """Count who visited whom: the fort of the travellers first."""
    return Counter(
        (fort_of(table.pairs[1][0]), fort_of(table.pairs[0][0])) for played in rounds for table in played.tables
    )


def without(numbers: range, from_round: int, players: int) -> tuple[Member, ...]:
    """Return the players, of whom these numbers leave before this round."""
    return tuple(Member(n, last_round=from_round - 1 if n in numbers else None) for n in range(1, players + 1))


@FEW
@given(st.integers(2, 14), st.sampled_from(["same", "alternate"]))
def test_each_fort_visits_each_other_one_once(forts: int, travellers: Literal["same", "alternate"]) -> None:
    rounds = evening(FORMAT, everybody(4 * forts), forts - 1, Options(travellers))
    assert len(schedule(FORMAT, 4 * forts).rounds) == forts - 1
    expected = {(one, other): 1 for one in range(1, forts + 1) for other in range(1, forts + 1) if one != other}
    assert visits(rounds) == expected


@FEW
@given(st.integers(5, 9), st.integers(2, 4), st.data())
def test_the_others_go_on_when_a_fort_has_left(forts: int, from_round: int, data: st.DataObject) -> None:
    """Half of the other forts are still to be visited, so that nobody needs to visit one again."""
    gone = data.draw(st.integers(1, forts))
    members = without(range(4 * gone - 3, 4 * gone + 1), from_round, 4 * forts)
    rounds = evening(FORMAT, members, (forts - 1) // 2)
    assert max(visits(rounds).values()) == 1
    assert all(len(played.sits_out) == 0 for played in rounds)
