"""Invalid sheets and the fields at which they are refused; sheets and facts loaded and dumped again."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.sheet import score

from ..support.game_data import data as data_of_games
from ..support.game_data import needed_rules
from ..support.sheets import refused

LEFT_OUT = object()
HALF_A_SIGN = "\ud83c"  # the first half of a surrogate pair, which cannot be encoded
FOUR = ["Anne", "Bruno", "Chloé", "David"]
WHIST = {"tricks": {"ns": 7}}
DEALS: dict[str, dict[str, Any]] = data_of_games("facts")

every_game = pytest.mark.parametrize("slug", sorted(DEALS))


def sheet(slug: str = "whist", **head: Any) -> dict[str, Any]:
    raw = {"format": "scorekeeper-sheet/1", "game": slug, "players": FOUR, "deals": []} | needed_rules(slug) | head
    return {key: value for key, value in raw.items() if value is not LEFT_OUT}


def stands(raw: Any) -> bool:
    return not isinstance(score(raw, games()), Refusal)


# --- the head ------------------------------------------------------------------------------------------------


def test_all_problems_of_the_head_are_found_together() -> None:
    data = sheet(
        format="2",
        dealer="Zoé",
        house_rules={"target": 3, "robre_points": 5},
        deals=None,
        value={},
        title=1,
        played_on=1,
        more=1,
    )
    number, fields = refused(data)
    assert number is None
    assert sorted(fields) == [
        "dealer",
        "deals",
        "format",
        "house_rules.robre_points",
        "house_rules.target",
        "more",
        "played_on",
        "title",
        "value.amount",
        "value.currency",
        "value.unit",
    ]


def test_texts_are_no_longer_than_a_form_takes() -> None:
    assert refused(sheet(title="x" * 10_000)) == (None, ["title"])
    adjustment = {"to": "ns", "points": 1, "reason": "x" * 201}
    assert refused(sheet(deals=[{"misdeal": True}, {"adjustment": adjustment}])) == (2, ["adjustment.reason"])


# --- deals ---------------------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("key", ["score", "scores", "winner", "Tricks", "number", ""])
def test_a_deal_has_no_keys_but_those_of_its_game(slug: str, key: str) -> None:
    assert refused(sheet(slug, deals=[DEALS[slug] | {key: 1}])) == (1, [key])


# --- adjustments ---------------------------------------------------------------------------------------------

PAID = {"from": "Anne", "to": "Bruno"}


@every_game
@pytest.mark.parametrize(
    ("adjustment", "field"),
    [
        (None, "adjustment"),
        ("5 points to Anne", "adjustment"),
        ({}, "adjustment.to"),
        (PAID, "adjustment"),
        (PAID | {"fiches": 1, "points": 1}, "adjustment"),
        ({"to": "Anne", "fiches": 1}, "adjustment.from"),
        ({"from": "Anne", "to": "Anne", "fiches": 1}, "adjustment.to"),
        (PAID | {"fiches": 0}, "adjustment.fiches"),
        (PAID | {"fiches": 1.0}, "adjustment.fiches"),
        (PAID | {"fiches": True}, "adjustment.fiches"),
        (PAID | {"fiches": 10**400}, "adjustment.fiches"),
        (PAID | {"fiches": 1, "reason": None}, "adjustment.reason"),
        (PAID | {"fiches": 1, "reason": HALF_A_SIGN}, "adjustment.reason"),
        (PAID | {"fiches": 1, "why": "a bet"}, "adjustment.why"),
        (PAID | {"euros": 1}, "adjustment.euros"),
        ({"from": "Zoé", "to": "Bruno", "fiches": 1}, "adjustment.from"),
        ({"from": None, "to": "Bruno", "fiches": 1}, "adjustment.from"),
        ({"from": "ns", "to": "Bruno", "fiches": 1}, "adjustment.from"),
        ({"from": "Anne", "to": "Zoé", "fiches": 1}, "adjustment.to"),
        ({"from": "Anne", "to": "ew", "fiches": 1}, "adjustment.to"),
        ({"from": "Anne", "to": None, "fiches": 1}, "adjustment.to"),
        ({"to": "nobody", "points": 1}, "adjustment.to"),
    ],
)
def test_an_invalid_adjustment_is_refused(slug: str, adjustment: Any, field: str) -> None:
    number, fields = refused(sheet(slug, deals=[{"adjustment": adjustment}]))
    assert (number, fields[0]) == (1, field)


@every_game
def test_points_go_to_a_side_or_without_sides_to_a_player(slug: str) -> None:
    right, wrong = ("ns", "Anne") if games()[slug].in_sides else ("Anne", "ns")
    assert stands(sheet(slug, deals=[{"adjustment": {"to": right, "points": 1}}]))
    assert refused(sheet(slug, deals=[{"adjustment": {"to": wrong, "points": 1}}])) == (1, ["adjustment.to"])


@every_game
def test_a_payment_is_in_a_unit_of_the_game(slug: str) -> None:
    data = sheet(slug, deals=[{"adjustment": PAID | {"jetons": 4}}])
    if "jetons" in games()[slug].units:
        assert stands(data)
    else:
        assert refused(data)[1][0] == "adjustment.jetons"


@every_game
def test_scores_fall_below_0_only_where_the_rules_allow_it(slug: str) -> None:
    party = "ns" if games()[slug].in_sides else "Bruno"
    data = sheet(slug, deals=[{"adjustment": {"to": party, "points": -1}}])
    if games()[slug].limits.allows_negative_scores:
        assert stands(data)
    else:
        assert refused(data) == (1, ["adjustment.points"])


@every_game
def test_an_adjustment_may_say_why_and_who_deals(slug: str) -> None:
    data = {"dealer": "David", "adjustment": PAID | {"fiches": 3, "reason": "une tournée"}}
    statement = score(sheet(slug, deals=[data]), games())
    assert not isinstance(statement, Refusal)
    assert (statement["deals"][0]["dealer"], statement["dealer"]) == ("David", "David")


# --- which problem is reported -------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("later", [None, {}, {"misdeal": False}, {"dealer": "Zoé"}])
def test_the_first_invalid_deal_is_reported(slug: str, later: Any) -> None:
    good, bad = DEALS[slug], {"misdeal": True, "reason": "a card fell"}
    assert refused(sheet(slug, deals=[good, {"misdeal": True}, bad, later])) == (3, ["reason"])
    assert refused(sheet(slug, deals=[good, bad, good, later])) == (2, ["reason"])


def test_an_impossible_deal_is_reported_before_a_later_unreadable_one() -> None:
    impossible = {"tricks": {"ns": 7, "ew": 7}}
    assert refused(sheet(deals=[WHIST, impossible, {"tricks": "seven"}])) == (2, ["tricks"])
    assert refused(sheet(deals=[WHIST, {"tricks": "seven"}, impossible])) == (2, ["tricks"])


def test_misdeals_and_adjustments_are_numbered_with_the_deals() -> None:
    agreed = {"adjustment": PAID | {"fiches": 1}}
    assert refused(sheet(deals=[agreed, {"misdeal": True}, WHIST, agreed, {"tricks": {"ns": 14}}])) == (
        5,
        ["tricks.ns"],
    )
