"""Counters as they lie on the table: the four of a side at Whist, and a player's box at Francion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.games.francion.box import (
    Counters,
    Handing,
    boxes,
    hand_settled,
    handing_fiches,
    handing_over,
    settling_over,
)
from scorekeeper.games.whist.counters import Laid, laid
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.ledger import FICHE
from scorekeeper.scoring.settlement import Payment

# --- Whist -------------------------------------------------------------------------------------------------

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
def test_the_four_counters_lie_as_the_table_of_the_rules_says(points: int, rows: tuple[int, int, int]) -> None:
    assert laid(points) == rows


@pytest.mark.parametrize("points", TABLE)
def test_what_the_counters_count_is_the_points_and_four_are_enough(points: int) -> None:
    threes, ones, fives = laid(points)
    assert 3 * threes + ones + 5 * fives == points
    assert threes + ones + fives <= 4


@pytest.mark.parametrize("points", [10, 14, 1000])
def test_a_manche_that_is_won_leaves_no_counter_on_the_table(points: int) -> None:
    assert laid(points) == (0, 0, 0)


def test_a_sides_counters_follow_its_score() -> None:
    whist = games()["whist"]
    standing = whist.open(("1", "2", "3", "4"), "1", whist.options())
    assert fold(whist, standing, [{"tricks": {"ns": 13}}]) is None
    assert standing.counters("ns") == Laid(0, 2, 1)  # type: ignore[attr-defined]  # of Whist alone
    assert standing.counters("ew") == Laid(0, 0, 0)  # type: ignore[attr-defined]  # of Whist alone


# --- Francion: a payment -----------------------------------------------------------------------------------

AMOUNTS = st.integers(0, 200)
HELD = st.builds(Counters, AMOUNTS, AMOUNTS)


@pytest.mark.parametrize(
    ("due", "has", "handing"),
    [
        (4, Counters(12, 9), Handing(0, 4, 0)),
        (4, Counters(12, 0), Handing(1, 0, 5)),
        (4, Counters(12, 3), Handing(1, 0, 5)),
        (9, Counters(12, 0), Handing(1, 0, 0)),
        (13, Counters(3, 6), Handing(1, 4, 0)),
        (36, Counters(3, 8), Handing(0, 36, 0)),  # not enough: what is due
        (36, Counters(3, 9), Handing(3, 9, 0)),
        (0, Counters(0, 0), Handing(0, 0, 0)),
    ],
)
def test_jetons_that_are_not_at_hand_are_paid_by_a_fiche_and_taken_back(
    due: int, has: Counters, handing: Handing
) -> None:
    assert handing_over(due, has) == handing


@pytest.mark.parametrize(
    ("due", "has", "handing"),
    [
        (3, Counters(5, 0), Handing(3, 0, 0)),
        (3, Counters(2, 9), Handing(2, 9, 0)),
        (3, Counters(2, 8), Handing(3, 0, 0)),  # not enough: what is due
        (12, Counters(-1, 200), Handing(0, 108, 0)),
    ],
)
def test_fiches_that_are_not_at_hand_are_paid_by_nine_jetons_each(due: int, has: Counters, handing: Handing) -> None:
    assert handing_fiches(due, has) == handing


@pytest.mark.parametrize("hand", [handing_over, settling_over])
@given(due=AMOUNTS, has=HELD)
def test_what_is_handed_over_less_what_is_taken_back_is_what_is_due(hand: object, due: int, has: Counters) -> None:
    fiches, jetons, back = hand(due, has)  # type: ignore[operator]  # as the case has it
    assert FICHE * fiches + jetons - back == due
    assert 0 <= back < FICHE
    assert not (jetons and back)
    if has.worth >= due:
        assert fiches <= has.fiches
        assert jetons <= has.jetons


@given(due=AMOUNTS, has=HELD)
def test_fiches_that_are_due_are_worth_what_is_handed_over(due: int, has: Counters) -> None:
    fiches, jetons, back = handing_fiches(due, has)
    assert (FICHE * fiches + jetons, back) == (FICHE * due, 0)
    if has.fiches + has.jetons // FICHE >= due:
        assert fiches <= has.fiches
        assert jetons <= has.jetons


def test_a_settlement_is_handed_over_in_whole_fiches_and_change_is_taken_back() -> None:
    has = {"Anne": Counters(5, 2), "Bruno": Counters(5, 20)}
    payments = [Payment("Anne", "Bruno", 22), Payment("Anne", "Bruno", 7), Payment("Bruno", "Anne", 3)]
    assert hand_settled(has, payments) == [Handing(3, 0, 5), None, None]


def test_a_banker_who_did_not_play_pays_as_he_is_told() -> None:
    payments = [Payment("Anne", "Zoé", 9), Payment("Zoé", "Bruno", 9)]
    assert hand_settled({"Anne": Counters(2, 9)}, payments) == [None, None]


# --- Francion: the boxes -----------------------------------------------------------------------------------


@st.composite
def balances(draw: st.DrawFn) -> dict[str, dict[str, int]]:
    players = "12345"[: draw(st.integers(3, 5))]
    told = {player: {"jetons": draw(st.integers(-90, 90)), "fiches": draw(st.integers(-9, 9))} for player in players}
    for unit in ("jetons", "fiches"):
        told["1"][unit] -= sum(held[unit] for held in told.values())
    return told


@given(fiches=st.integers(0, 40), jetons=st.integers(0, 10).map(lambda n: FICHE * n), held=balances())
def test_changing_counters_among_the_players_changes_no_ones_worth_and_nothing_in_all(
    fiches: int, jetons: int, held: dict[str, dict[str, int]]
) -> None:
    has = boxes(Counters(fiches, jetons), held)
    for player, counters in has.items():
        own = held[player]
        assert counters.worth == FICHE * (fiches + own["fiches"]) + jetons + own["jetons"]
    assert sum(counters.jetons for counters in has.values()) == jetons * len(has)
    assert sum(counters.fiches for counters in has.values()) == fiches * len(has)


@given(fiches=st.integers(0, 40), jetons=st.integers(1, 10).map(lambda n: FICHE * n), held=balances())
def test_nobody_is_short_of_jetons_while_he_has_fiches_to_change(
    fiches: int, jetons: int, held: dict[str, dict[str, int]]
) -> None:
    for counters in boxes(Counters(fiches, jetons), held).values():
        assert counters.jetons >= 0 or counters.fiches <= 0


def test_who_has_paid_more_jetons_than_he_had_has_changed_a_fiche_with_who_has_most() -> None:
    held = {"1": {"jetons": -10, "fiches": 0}, "2": {"jetons": 4, "fiches": 0}, "3": {"jetons": 6, "fiches": 0}}
    assert boxes(Counters(12, 9), held) == {"1": Counters(11, 8), "2": Counters(12, 13), "3": Counters(13, 6)}


def test_who_has_paid_more_fiches_than_he_had_has_changed_jetons() -> None:
    held = {"1": {"jetons": 0, "fiches": -3}, "2": {"jetons": 0, "fiches": 3}, "3": {"jetons": 0, "fiches": 0}}
    assert boxes(Counters(2, 27), held)["1"] == Counters(0, 18)


def test_amounts_of_any_length_are_changed_at_once() -> None:
    most = 10**18
    held = {"1": {"jetons": -most, "fiches": 0}, "2": {"jetons": most, "fiches": 0}, "3": {"jetons": 0, "fiches": 0}}
    assert boxes(Counters(most, 9), held)["1"].jetons in range(FICHE)


def test_the_payments_of_a_deal_are_told_as_they_are_made_with_the_boxes() -> None:
    francion = games()["francion"]
    box = {"fiches": 10, "jetons": 9}
    standing = francion.open(("1", "2", "3"), "1", francion.options(box=Counters(**box)))
    deal = {"tricks": {"1": 0, "2": 9, "3": 0}, "welche": {"event": "won", "player": "2", "hearts_led": False}}
    assert fold(francion, standing, [deal]) is None
    over = standing.hand_overs  # type: ignore[attr-defined]  # of Whist alone
    assert [(one.entry.giver, one.entry.reason, one.handing) for one in over[1]] == [
        ("1", "welche_won", Handing(1, 0, 5))
    ]
    assert standing.boxes["1"] == Counters(9, 5)  # type: ignore[attr-defined]  # of Whist alone


def test_without_a_box_nothing_is_told_of_it() -> None:
    francion = games()["francion"]
    standing = francion.open(("1", "2", "3"), "1", francion.options())
    assert standing.boxes == standing.hand_overs == {}  # type: ignore[attr-defined]  # of Whist alone
