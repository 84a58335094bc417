"""How the deals of a table are divided into turns, and when people may change places."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.scoring.standing import DEAL
from scorekeeper.tables.turns import is_between_turns, is_deal, list_turn_units, split_turns

from .states import record, table_state

OTHERS = {"tricks": {"ew": 9}}
WINS = {"tricks": {"ns": 13}}  # 7 points
MISDEAL: dict[str, Any] = {"misdeal": True}
POINTS: dict[str, Any] = {"adjustment": {"points": 1, "to": "ns", "reason": "agreed"}}
TO_FIVE, BACK = {"substitution": {"out": "1", "in": "5"}}, {"substitution": {"out": "1", "in": "1"}}


def turns_of(*bodies: dict[str, Any], unit: str | None = DEAL) -> list[list[int]]:
    """Return the numbers of the deals by turn."""
    table = table_state(*map(record, bodies), turns=unit)
    return [[item.row.number for item in items if item.row] for items in split_turns(table)]


def is_between(*bodies: dict[str, Any], unit: str = DEAL) -> bool:
    return is_between_turns(split_turns(table_state(*map(record, bodies), turns=unit)))


@pytest.mark.parametrize(
    ("slug", "units"), [("whist", ("deal", "manche", "robre")), ("francion", ("deal", "manche")), ("joffre", ("deal",))]
)
def test_a_partie_is_no_unit_of_a_table(slug: str, units: tuple[str, ...]) -> None:
    assert list_turn_units(games()[slug]) == units


def test_only_deals_that_were_played_end_a_turn() -> None:
    assert turns_of() == [[]]
    assert turns_of(OTHERS, MISDEAL, OTHERS, POINTS) == [[1], [2, 3], [4]]
    assert turns_of(OTHERS, TO_FIVE, OTHERS) == [[1], [2, 3], []]


def test_a_manche_and_a_robre_end_turns_of_theirs() -> None:
    assert turns_of(WINS, WINS, WINS, WINS, WINS, unit="manche") == [[1, 2], [3, 4], [5]]
    assert turns_of(WINS, WINS, WINS, WINS, WINS, unit="robre") == [[1, 2, 3, 4], [5]]
    assert turns_of(WINS, WINS, unit=None) == [[1, 2]]


def test_people_change_places_between_turns_unless_somebody_has_just_sat_down() -> None:
    assert not is_between()
    assert is_between(OTHERS)
    assert is_between(OTHERS, MISDEAL, POINTS)
    assert not is_between(OTHERS, TO_FIVE)
    assert not is_between(OTHERS, TO_FIVE, BACK)
    assert is_between(OTHERS, TO_FIVE, OTHERS)
    assert not is_between(WINS, unit="manche")
    assert not is_between(WINS, WINS, OTHERS, unit="manche")


@given(
    st.lists(st.sampled_from((WINS, OTHERS, MISDEAL)), max_size=12),
    st.sampled_from((None, *list_turn_units(games()["whist"]))),
)
def test_turns_are_all_deals_in_order_and_each_that_has_ended_was_played(
    bodies: list[dict[str, Any]], unit: str | None
) -> None:
    table = table_state(*map(record, bodies), turns=unit)
    turns = split_turns(table)
    assert [item for items in turns for item in items] == table.scored_deals
    assert all(is_deal(items[-1]) for items in turns[:-1])
