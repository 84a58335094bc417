"""Counters on the table: the four of a side at Whist, and a player's box at Francion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.games.francion.box import (
    FICHE,
    Box,
    Counters,
    HandOver,
    boxes,
    hand_over_fiches,
    hand_over_jetons,
    hand_over_settlement,
    hand_overs,
)
from scorekeeper.games.francion.rules import FrancionStanding
from scorekeeper.games.whist.rules import LAYOUTS, NO_COUNTERS
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.standing import FICHES, JETONS, POT, Entry, Row, mark

# --- Whist ---------------------------------------------------------------------------------------------------

TABLE = {  # points: in the row of 3, of 1, of 5
    0: (0, 0, 0),
    1: (0, 1, 0),
    2: (0, 2, 0),
    3: (0, 3, 0),
    4: (0, 4, 0),
    5: (1, 2, 0),
    6: (1, 3, 0),
    7: (0, 2, 1),
    8: (0, 3, 1),
    9: (1, 1, 1),
}


@pytest.mark.parametrize(("points", "rows"), TABLE.items())
def test_the_four_counters_show_points_as_in_the_rules(points: int, rows: tuple[int, int, int]) -> None:
    assert LAYOUTS.get(points, NO_COUNTERS) == rows


# --- Francion: a payment -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("due", "has", "handing"),
    [
        (4, Counters(12, 9), HandOver(0, 4, 0)),
        (4, Counters(12, 0), HandOver(1, 0, 5)),
        (4, Counters(12, 3), HandOver(1, 0, 5)),
        (9, Counters(12, 0), HandOver(1, 0, 0)),
        (13, Counters(3, 6), HandOver(1, 4, 0)),
        (36, Counters(3, 8), HandOver(0, 36, 0)),  # not enough: the plain amount
        (36, Counters(3, 9), HandOver(3, 9, 0)),
        (0, Counters(0, 0), HandOver(0, 0, 0)),
    ],
)
def test_missing_jetons_are_paid_by_a_fiche_with_change(due: int, has: Counters, handing: HandOver) -> None:
    assert hand_over_jetons(due, has) == handing


@pytest.mark.parametrize(
    ("due", "has", "handing"),
    [
        (3, Counters(5, 0), HandOver(3, 0, 0)),
        (3, Counters(2, 9), HandOver(2, 9, 0)),
        (3, Counters(2, 8), HandOver(3, 0, 0)),  # not enough: the plain amount
        (12, Counters(-1, 200), HandOver(0, 108, 0)),
    ],
)
def test_missing_fiches_are_paid_by_nine_jetons_each(due: int, has: Counters, handing: HandOver) -> None:
    assert hand_over_fiches(due, has) == handing


@pytest.mark.parametrize(
    ("due", "has", "handing"),
    [
        (9, Counters(0, 20), HandOver(0, 9, 0)),
        (9, Counters(-1, 20), HandOver(0, 9, 0)),
        (10, Counters(1, 0), HandOver(1, 1, 0)),
        (10, Counters(2, 0), HandOver(2, 0, 8)),
        (22, Counters(1, 30), HandOver(1, 13, 0)),
    ],
)
def test_a_settlement_takes_whole_fiches_as_far_as_there_are_any(due: int, has: Counters, handing: HandOver) -> None:
    assert hand_over_settlement(due, has) == handing


def paid(*entries: Entry) -> list[Row]:
    return [Row(1, "1", None, {}, {}, list(entries), players=("1", "2"))]


def handed_over(box: Box, *entries: Entry) -> list[HandOver]:
    hand_overs_by_deal = hand_overs(box, paid(*entries))
    return [paid.hand_over for paid in hand_overs_by_deal.get(1, [])]


def test_a_payment_is_made_with_the_counters_in_the_box_at_that_time() -> None:
    jetons = Entry("1", "2", 5, JETONS, "x")
    assert handed_over(Box(1, 5), jetons) == []
    assert handed_over(Box(1, 4), jetons) == [HandOver(1, 0, 4)]
    fiches = Entry("1", "2", 2, FICHES, "x")
    assert handed_over(Box(2, 9), fiches) == []
    assert handed_over(Box(1, 9), fiches) == [HandOver(1, 9, 0)]
    won = Entry("2", "1", 1, JETONS, "x")
    assert handed_over(Box(1, 4), won, won, Entry("1", "2", 6, JETONS, "x")) == []
    assert handed_over(Box(1, 4), won, won, Entry("1", "2", 7, JETONS, "x")) == [HandOver(1, 0, 2)]
    assert handed_over(Box(1, 4), Entry("1", POT, 4, JETONS, "x"), won, jetons) == [HandOver(1, 0, 4)]
    assert handed_over(Box(1, 4), Entry(POT, "1", 1, JETONS, "x"), jetons, mark("1", 9, "x")) == []


# --- Francion: the boxes -------------------------------------------------------------------------------------


@st.composite
def balances(draw: st.DrawFn) -> dict[str, dict[str, int]]:
    players = "12345"[: draw(st.integers(3, 5))]
    amounts = {player: {"jetons": draw(st.integers(-90, 90)), "fiches": draw(st.integers(-9, 9))} for player in players}
    for unit in ("jetons", "fiches"):
        amounts["1"][unit] -= sum(counters[unit] for counters in amounts.values())
    return amounts


@given(fiches=st.integers(0, 40), jetons=st.integers(0, 10).map(lambda n: FICHE * n), balances=balances())
def test_exchanging_counters_changes_nobodys_worth_and_no_total(
    fiches: int, jetons: int, balances: dict[str, dict[str, int]]
) -> None:
    has = boxes(Box(fiches, jetons), balances)
    for player, counters in has.items():
        own = balances[player]
        assert counters.worth == FICHE * (fiches + own["fiches"]) + jetons + own["jetons"]
    assert sum(counters.jetons for counters in has.values()) == jetons * len(has)
    assert sum(counters.fiches for counters in has.values()) == fiches * len(has)


@pytest.mark.parametrize(
    ("box", "counters", "has"),
    [
        # Nothing is exchanged without a fiche, or without nine jetons.
        ((0, 9), ((-13, 0), (13, 0), (0, 0)), ((0, -4), (0, 22), (0, 9))),
        ((0, 9), ((-9, -2), (9, 2), (0, 0)), ((-2, 0), (2, 18), (0, 9))),
        # Two fiches are missing, and the jetons make one.
        ((1, 9), ((4, -3), (-4, 3), (0, 0)), ((-1, 4), (3, 14), (1, 9))),
        # The player who has most of the wanted counters may have few of the others.
        ((2, 9), ((-13, 0), (-1, 2), (14, -2)), ((1, 5), (4, 8), (1, 14))),
        ((1, 18), ((2, -2), (-9, -1), (7, 3)), ((0, 11), (0, 9), (3, 34))),
        # Two who lack jetons exchange with the third, not with each other.
        ((3, 9), ((-13, 0), (-14, 0), (27, 0)), ((2, 5), (2, 4), (5, 18))),
    ],
)
def test_counters_are_exchanged_with_the_player_who_has_most(
    box: tuple[int, int], counters: tuple[tuple[int, int], ...], has: tuple[tuple[int, int], ...]
) -> None:
    balances = {
        str(seat): {"jetons": jetons, "fiches": fiches} for seat, (jetons, fiches) in enumerate(counters, start=1)
    }
    assert tuple(boxes(Box(*box), balances).values()) == has


def test_the_payments_of_a_deal_are_listed_with_their_hand_overs() -> None:
    francion = games()["francion"]
    box = {"fiches": 10, "jetons": 9}
    standing = francion.open(("1", "2", "3"), "1", francion.options(box=Box(**box)))
    deal = {"tricks": {"1": 0, "2": 9, "3": 0}, "welche": {"event": "won", "player": "2", "hearts_led": False}}
    assert fold(francion, standing, [deal]) is None
    assert isinstance(standing, FrancionStanding)
    over = standing.hand_overs
    assert [(paid.entry.giver, paid.entry.reason, paid.hand_over) for paid in over[1]] == [
        ("1", "welche_won", HandOver(1, 0, 5))
    ]
    assert standing.boxes["1"] == Counters(9, 5)
