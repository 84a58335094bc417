"""Substitutions in a sheet: what they pass on, and what is refused. Cases worked out by hand are with the games."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.games.francion.box import Box
from scorekeeper.scoring.game import fold

from ..made_up.scorekeeper_paid_deals import GAME as PAID_DEALS
from ..support.game_data import needed_rules
from ..support.sheets import refused, scored

FOUR = ["Anne", "Bruno", "Chloé", "David"]
HIDDEN = {"event": "hidden"}


# Names that look like others, that other things have, or that no form would let through.
def change(out: Any, in_: Any, **beside: Any) -> dict[str, Any]:
    return {"substitution": {"out": out, "in": in_}, **beside}


def bet(giver: str, taker: str) -> dict[str, Any]:
    return {"adjustment": {"from": giver, "to": taker, "fiches": 1}}


def sheet(*deals: Any, game: str = "whist") -> dict[str, Any]:
    raw = {"format": "scorekeeper-sheet/1", "game": game, "players": FOUR, "deals": list(deals)}
    return raw | needed_rules(game)


# --- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("substitution", "fields"),
    [
        (None, ["substitution"]),
        ([], ["substitution"]),
        ("Anne", ["substitution"]),
        ({}, ["substitution.out", "substitution.in"]),
        ({"out": "Anne"}, ["substitution.in"]),
        ({"in": "Élise"}, ["substitution.out"]),
        ({"out": "Anne", "in": "Élise", "from": 3}, ["substitution.from"]),
        ({"out": "Élise", "in": "Fanny"}, ["substitution.out"]),
        ({"out": "anne", "in": "Élise"}, ["substitution.out"]),
        ({"out": "ns", "in": "Élise"}, ["substitution.out"]),
        ({"out": 1, "in": "Élise"}, ["substitution.out"]),
        ({"out": ["Anne"], "in": "Élise"}, ["substitution.out"]),
        ({"out": "Anne", "in": "Anne"}, ["substitution.in"]),
        ({"out": "Anne", "in": "Bruno"}, ["substitution.in"]),
        ({"out": "Anne", "in": ""}, ["substitution.in"]),
        ({"out": "Anne", "in": " \t"}, ["substitution.in"]),
        ({"out": "Anne", "in": None}, ["substitution.in"]),
        ({"out": "Anne", "in": 5}, ["substitution.in"]),
        ({"out": "Anne", "in": ["Élise"]}, ["substitution.in"]),
        ({"out": "Anne", "in": "\ud800"}, ["substitution.in"]),
    ],
)
def test_a_substitution_that_cannot_be_is_refused_with_its_fields(substitution: Any, fields: list[str]) -> None:
    assert refused(sheet({"misdeal": True}, {"substitution": substitution})) == (2, fields)


@pytest.mark.parametrize("other", [{"misdeal": True}, bet("Anne", "Bruno"), {"tricks": {"ns": 7}}])
def test_a_substitution_is_nothing_else_beside(other: dict[str, Any]) -> None:
    assert refused(sheet(change("Anne", "Élise") | other))[0] == 1


@pytest.mark.parametrize("dealer", ["Anne", "Zoé", "ns", None, 1, ["Bruno"], "\ud800"])
def test_a_dealer_beside_a_substitution_sits_after_it(dealer: Any) -> None:
    assert refused(sheet(change("Anne", "Élise", dealer=dealer))) == (1, ["dealer"])


def test_all_that_is_wrong_with_a_substitution_is_found_at_once() -> None:
    raw = {"substitution": {"out": "Zoé", "in": "", "x": 1}, "dealer": "Yves"}
    assert refused(sheet(raw)) == (1, ["dealer", "substitution.out", "substitution.in", "substitution.x"])


def test_a_player_who_left_is_in_no_deal_until_they_come_back() -> None:
    deals = [{"misdeal": True, "dealer": "Anne"}]
    assert refused(sheet(change("Anne", "Élise"), *deals)) == (2, ["dealer"])
    assert scored(sheet(change("Anne", "Élise"), change("Bruno", "Anne"), *deals))["dealer"] == "Anne"


def test_points_are_for_a_party_that_sits() -> None:
    assert refused(sheet(change("Anne", "Élise"), {"adjustment": {"to": "Anne", "points": 1}}, game="francion")) == (
        2,
        ["adjustment.to"],
    )


def test_counters_are_between_people_who_have_sat() -> None:
    assert scored(sheet(change("Anne", "Élise"), bet("Anne", "Élise")))["balances"]["Anne"] == {"fiches": -1}
    assert refused(sheet(bet("Anne", "Élise"), change("Anne", "Élise"))) == (1, ["adjustment.to"])
    assert refused(sheet(change("Anne", "Élise"), bet("Fanny", "Élise"))) == (2, ["adjustment.from"])


# --- what is passed on ---------------------------------------------------------------------------------------


def test_a_substitution_passes_no_deal_and_ends_nothing() -> None:
    statement = scored(sheet(change("Anne", "Élise"), change("Élise", "Fanny"), {"tricks": {"ns": 7}}))
    assert [row["dealer"] for row in statement["deals"]] == ["Élise", "Fanny", "Fanny"]
    assert (statement["dealer"], statement["manches"]) == ("Bruno", [])
    assert not any(any(row["scored"].values()) for row in statement["deals"][:2])


def test_honours_may_be_claimed_after_a_substitution() -> None:
    game = games()["whist"]
    standing = game.open(tuple(FOUR), "Anne", game.usual_options)
    assert fold(game, standing, [{"tricks": {"ns": 7}}, change("Anne", "Élise")]) is None
    assert [claim.number for claim in game.dealing.claimable(standing)] == [1]


def test_statistics_of_a_deal_are_those_of_the_people_who_played_it() -> None:
    game = games()["whist"]
    standing = game.open(tuple(FOUR), "Anne", game.usual_options)
    deals = [{"tricks": {"ns": 13}}, change("Anne", "Élise"), change("Chloé", "Anne"), {"tricks": {"ns": 7}}]
    assert fold(game, standing, deals) is None
    first, second = (
        {player for figure in game.counted.figures(past, row) for player in past.partners(figure.party)}
        for row in standing.rows
        if game.is_played(row.fact) and (past := standing.seated_as(row))
    )
    assert (first, second) == ({"Anne", "Chloé"}, {"Élise", "Anne"})


# --- boxes of counters ---------------------------------------------------------------------------------------


def test_a_newcomer_pays_from_a_box_of_their_own() -> None:
    """Élise pays Chloé's bête of 9 and the bet of 20 from 18 jetons: 18 − 9 = 9, and two fiches for the other 11."""
    game: Any = games()["francion"]
    options = game.options(box=Box(5, 18))
    standing = game.open(("Anne", "Bruno", "Chloé"), "Anne", options)
    deals: list[dict[str, Any]] = [
        {"tricks": {"Anne": 5, "Bruno": 4}, "welche": HIDDEN},
        change("Chloé", "Élise"),
        {"tricks": {"Anne": 9}, "welche": HIDDEN},
        {"adjustment": {"from": "Élise", "to": "Chloé", "jetons": 20}},
    ]
    assert fold(game, standing, deals) is None
    assert list(standing.hand_overs) == [4]
    (paid,) = standing.hand_overs[4]
    assert tuple(paid.hand_over) == (2, 2, 0)


def test_one_who_left_before_the_first_deal_pays_from_a_box_too() -> None:
    game: Any = games()["francion"]
    standing = game.open(("Anne", "Bruno", "Chloé"), "Anne", game.options(box=Box(5, 18)))
    deals = [change("Anne", "David"), {"adjustment": {"from": "Anne", "to": "David", "jetons": 20}}]
    assert fold(game, standing, deals) is None
    (paid,) = standing.hand_overs[2]
    assert tuple(paid.hand_over) == (1, 11, 0)


# --- scores that are payments --------------------------------------------------------------------------------


def test_where_scores_are_payments_a_newcomer_starts_at_their_own_balance() -> None:
    alone = {"taker": "Bruno", "lost": True}  # Bruno pays each other player a plaque of 10
    slug = PAID_DEALS.slug
    first = scored(sheet(alone, change("Bruno", "Élise"), game=slug), PAID_DEALS)
    assert first["scores"] == {"Anne": 10, "Élise": 0, "Chloé": 10, "David": 10}
    back = sheet(alone, change("Bruno", "Élise"), change("Anne", "Bruno"), {"taker": "Élise"}, game=slug)
    second = scored(back, PAID_DEALS)
    assert second["scores"] == {"Bruno": -40, "Élise": 30, "Chloé": 0, "David": 0}
    assert second["balances"]["Anne"] == {"chips": 0, "plaques": 1}


def test_where_scores_are_payments_one_who_left_is_paid_without_a_score() -> None:
    agreed = {"adjustment": {"from": "Élise", "to": "Anne", "chips": 4}}
    raw = sheet(change("Anne", "Élise"), agreed, change("Bruno", "Anne"), game=PAID_DEALS.slug)
    statement = scored(raw, PAID_DEALS)
    assert statement["deals"][1]["scored"] == {"Élise": -4, "Bruno": 0, "Chloé": 0, "David": 0}
    assert statement["scores"] == {"Élise": -4, "Anne": 4, "Chloé": 0, "David": 0}
    assert sum(statement["scores"].values()) == 0


def test_sides_of_a_deal_are_those_who_sat_in_it() -> None:
    standing = PAID_DEALS.open(tuple(FOUR), "Anne", PAID_DEALS.options())
    deals = [{"taker": "Anne", "partner": "Chloé"}, change("Anne", "Élise"), {"taker": "Bruno"}]
    assert fold(PAID_DEALS, standing, deals) is None
    assert PAID_DEALS.counted.deal_sides is not None
    sides = [PAID_DEALS.counted.deal_sides(standing.seated_as(row), row) for row in standing.rows]
    assert sides == [(("Anne", "Chloé"), ("Bruno", "David")), (), (("Bruno",), ("Élise", "Chloé", "David"))]
