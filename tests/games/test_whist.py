"""The rules of Whist, clause by clause."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold

from ..support.sheets import PLAYERS, at, points, refused_deals, scored_deals, whist_deal

scored = partial(scored_deals, "whist")
fields_refused = partial(refused_deals, "whist")

PAYMENT = {"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1}}
NS_CALLS, EW_CALLS = {"called": "ns"}, {"called": "ew"}


# --- the call ------------------------------------------------------------------------------------------------


def test_either_side_may_call_if_both_are_at_eight() -> None:
    assert scored([*at(8, 8), NS_CALLS])["manches"][0]["winner"] == "ns"
    assert scored([*at(8, 8), EW_CALLS])["manches"][0]["winner"] == "ew"


@pytest.mark.parametrize("has", [0, 1, 6, 7, 9])
def test_only_a_side_at_eight_may_call(has: int) -> None:
    before = at(has, 8)
    assert fields_refused([*before, NS_CALLS]) == (len(before) + 1, ["called"])


# --- impossible deals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({}, "tricks"),
        ({"honours": {"side": "ns", "count": 3}}, "tricks"),
        ({"tricks": {"ns": 7, "ew": 7}}, "tricks"),
        ({"tricks": {"ns": 7, "ew": 5}}, "tricks"),
        ({"tricks": {"ns": 14}}, "tricks.ns"),
        ({"tricks": {"ew": -1}}, "tricks.ew"),
        ({"tricks": {"Anne": 7}}, "tricks.Anne"),
        ({"tricks": {"ns": 7, "nw": 6}}, "tricks.nw"),
        (whist_deal(7, "ns 2"), "honours.count"),
        (whist_deal(7, "ns 5"), "honours.count"),
        (whist_deal(7, "ns 0"), "honours.count"),
        (whist_deal(7, "Anne 3"), "honours.side"),
        ({"called": "Anne"}, "called"),
        (points("ns", -9), "adjustment.points"),
    ],
)
def test_an_impossible_deal_is_refused_with_its_field(facts: dict[str, Any], field: str) -> None:
    number, fields = fields_refused([points("ns", 8), facts])
    assert (number, fields[0]) == (2, field)


# --- the next robre ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("new_robre", "drawn"), [("draw", [False] * 3 + [True, True, False]), ("keep", [False] * 6)])
def test_partners_and_dealer_are_drawn_when_a_robre_has_ended_and_the_house_rules_say_so(
    new_robre: str, drawn: list[bool]
) -> None:
    """A payment leaves the draw to come, a deal is the next robre's first. Manches of 13 and 9 tricks: two, two."""
    game = games()["whist"]
    standing = game.open(PLAYERS, "Anne", game.options(new_robre=new_robre))
    found = []
    for facts in (whist_deal(13), whist_deal(9), whist_deal(13), whist_deal(9), PAYMENT, whist_deal(7)):
        assert fold(game, standing, [facts]) is None
        found.append(game.dealing.is_redrawn(standing))
    assert found == drawn
