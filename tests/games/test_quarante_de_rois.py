"""The rules of Quarante de rois, clause by clause."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from . import played
from .played import MISDEAL, SIDES, at, both, points

scored = partial(played.scored, "quarante-de-rois")
fields_refused = partial(played.fields_refused, "quarante-de-rois")


def deal(ns: int, clique: str = "") -> dict[str, Any]:
    """Build a deal from North–South's card points and a clique such as "Bruno 4 kings"."""
    facts: dict[str, Any] = {"card_points": {"ns": ns}}
    if clique:
        player, count, rank = clique.split()
        facts["clique"] = {"player": player, "rank": rank, "count": int(count)}
    return facts


# --- what a deal scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clique", "marked"),
    [
        ("Anne 3 jacks", (30, 24)),
        ("Chloé 3 queens", (32, 24)),
        ("Anne 3 kings", (34, 24)),
        ("Bruno 4 jacks", (24, 37)),
        ("David 4 queens", (24, 44)),
        ("Bruno 4 kings", (24, 64)),
        ("", (24, 24)),
    ],
)
def test_a_clique_scores_for_its_players_side(clique: str, marked: tuple[int, int]) -> None:
    assert both(scored([deal(24, clique)])["scores"]) == marked


@pytest.mark.parametrize("ns", [0, *range(3, 46), 48])
def test_card_points_of_one_side_imply_those_of_the_other(ns: int) -> None:
    for card_points in ({"ns": ns}, {"ew": 48 - ns}, {"ns": ns, "ew": 48 - ns}):
        assert both(scored([{"card_points": card_points}])["scores"]) == (ns, 48 - ns)


@pytest.mark.parametrize("impossible", [1, 2, 46, 47])
@pytest.mark.parametrize("side", SIDES)
def test_card_points_cannot_be_1_2_46_or_47(side: str, impossible: int) -> None:
    assert fields_refused([{"card_points": {side: impossible}}]) == (1, [f"card_points.{side}"])


def test_card_points_cannot_be_46_and_2() -> None:
    number, fields = fields_refused([{"card_points": {"ew": 46, "ns": 2}}])
    assert number == 1
    assert fields[0].startswith("card_points.")


def test_the_clique_of_a_side_without_card_points_counts() -> None:
    # Three jacks may all be lost; ties between clique and court cards are not checked.
    assert both(scored([deal(0, "Anne 3 jacks")])["scores"]) == (6, 48)


# --- the end of the partie -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "facts", "winner", "ended"),
    [
        ((120, 100), deal(30), "ns", (150, 118)),
        ((120, 100), deal(29), None, (149, 119)),
        ((149, 0), deal(0), None, (149, 48)),
        # Both past the target: the higher total wins, whoever had more before or showed the clique.
        ((140, 138), deal(22, "Bruno 3 kings"), "ew", (162, 174)),
        ((141, 140), deal(8, "Anne 3 kings"), "ew", (159, 180)),
        ((145, 110), deal(5, "Chloé 4 kings"), "ns", (190, 153)),
        # Equal past the target: another deal.
        ((126, 126), deal(24), None, (150, 150)),
        ((141, 119), deal(8, "Anne 3 kings"), None, (159, 159)),
    ],
)
def test_a_deal_is_scored_completely_before_the_higher_total_past_the_target_wins(
    before: tuple[int, int], facts: dict[str, Any], winner: str | None, ended: tuple[int, int]
) -> None:
    statement = scored([*at(*before), facts])
    assert (statement["winner"], both(statement["scores"])) == (winner, ended)
    assert statement["status"] == ("open" if winner is None else "finished")
    assert (statement["dealer"] is None) == (winner is not None)


@pytest.mark.parametrize(
    ("facts", "winner"),
    [
        (deal(25), "ns"),
        (deal(20), "ew"),
        (deal(24), None),
        (deal(24, "David 3 jacks"), "ew"),
        (MISDEAL, None),
        ({"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1}}, None),
        (points("ns", 1), "ns"),
        (points("ns", -1), "ew"),
        (points("ns", -60), "ew"),
    ],
)
def test_sides_level_past_the_target_play_on(facts: dict[str, Any], winner: str | None) -> None:
    statement = scored([*at(130, 130), deal(24), facts])
    assert statement["winner"] == winner


@pytest.mark.parametrize(
    ("before", "facts", "clique_first", "whole"),
    [
        # Won by the clique: the card points of that deal decide nothing.
        ((141, 140), deal(8, "Anne 3 kings"), "ns", "ew"),
        ((140, 130), deal(0, "Chloé 3 kings"), "ns", "ew"),
        ((141, 119), deal(8, "Anne 3 kings"), "ns", None),
        ((120, 120), deal(45, "Bruno 4 kings"), "ew", "ns"),
        # Not won by the clique alone.
        ((139, 140), deal(8, "Anne 3 kings"), "ew", "ew"),
        ((139, 119), deal(9, "Anne 3 kings"), None, None),
        ((141, 140), deal(8), "ew", "ew"),
        # The other side's clique.
        ((141, 130), deal(45, "David 3 kings"), "ns", "ns"),
    ],
)
def test_a_clique_that_reaches_the_target_wins_there_only_by_the_house_rule(
    before: tuple[int, int], facts: dict[str, Any], clique_first: str | None, whole: str | None
) -> None:
    deals = [*at(*before), facts]
    assert scored(deals, clique_first=True)["winner"] == clique_first
    assert scored(deals, clique_first=False)["winner"] == whole
    assert scored(deals)["winner"] == whole


def test_card_points_are_marked_even_if_the_clique_has_won() -> None:
    statement = scored([*at(141, 140), deal(8, "Anne 3 kings")], clique_first=True)
    assert both(statement["deals"][-1]["scored"]) == (18, 40)
    assert both(statement["scores"]) == (159, 180)


def test_a_clique_wins_if_level_sides_are_past_the_target() -> None:
    # 160 to 160; three jacks make 166 before the cards bring 169 to 205.
    deals = [*at(136, 136), deal(24), deal(3, "Anne 3 jacks")]
    assert scored(deals, clique_first=True)["winner"] == "ns"
    assert scored(deals)["winner"] == "ew"


@pytest.mark.parametrize(
    ("deals", "winner"),
    [
        ([points("ew", 150)], "ew"),
        ([points("ew", 149)], None),
        ([points("ew", 149), points("ns", 400)], "ns"),
    ],
)
@pytest.mark.parametrize("clique_first", [False, True])
def test_an_adjustment_can_end_the_partie(deals: list[dict[str, Any]], winner: str | None, clique_first: bool) -> None:
    assert scored(deals, clique_first=clique_first)["winner"] == winner


@pytest.mark.parametrize(("target", "winner"), [(40, "ns"), (45, "ns"), (46, None), (150, None)])
def test_the_target_is_that_of_the_house_rules(target: int, winner: str | None) -> None:
    assert scored([deal(45)], target=target)["winner"] == winner


def test_a_score_may_fall_below_0() -> None:
    assert both(scored([points("ns", -10), deal(3)])["scores"]) == (-7, 45)


@pytest.mark.parametrize(
    "after",
    [
        deal(24),
        MISDEAL,
        points("ns", 1),
        {"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1}},
        {"nonsense": 1},
        None,
    ],
)
def test_deals_after_the_end_are_refused(after: Any) -> None:
    assert fields_refused([points("ew", 150), after]) == (2, ["deals"])


# --- fiches, dealers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("winner", "payments"),
    [
        # Play runs anticlockwise, so that the left neighbour is the one before in order of turn.
        ("ns", [("David", "Anne", 3), ("Bruno", "Chloé", 3)]),
        ("ew", [("Anne", "Bruno", 3), ("Chloé", "David", 3)]),
    ],
)
def test_each_winner_is_paid_by_the_player_on_his_left(winner: str, payments: list[tuple[str, str, int]]) -> None:
    statement = scored([deal(24), points(winner, 200)], stake=3)
    assert [(entry["from"], entry["to"], entry["amount"]) for entry in statement["journal"]] == payments
    assert {(entry["deal"], entry["unit"]) for entry in statement["journal"]} == {(2, "fiches")}


def test_without_a_stake_there_is_no_payment() -> None:
    for rules in ({}, {"stake": 0}):
        assert scored([points("ns", 200)], **rules)["journal"] == []


def test_the_deal_passes_to_the_next_in_order_of_turn() -> None:
    statement = scored([deal(24), MISDEAL, deal(24), points("ns", 1), deal(24) | {"dealer": "Anne"}])
    assert [row["dealer"] for row in statement["deals"]] == ["Anne", "Bruno", "Bruno", "Chloé", "Anne"]
    assert statement["dealer"] == "Bruno"


# --- impossible deals ----------------------------------------------------------------------------------------


def clique(**changed: Any) -> dict[str, Any]:
    return {"card_points": {"ns": 24}, "clique": {"player": "Anne", "rank": "kings", "count": 3} | changed}


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({}, "card_points"),
        ({"clique": {"player": "Anne", "rank": "kings", "count": 3}}, "card_points"),
        ({"card_points": {}}, "card_points"),
        ({"card_points": 24}, "card_points"),
        ({"card_points": None}, "card_points"),
        ({"card_points": {"ns": 24, "ew": 23}}, "card_points"),
        ({"card_points": {"ns": 48, "ew": 48}}, "card_points"),
        ({"card_points": {"ns": 49}}, "card_points.ns"),
        ({"card_points": {"ew": -1}}, "card_points.ew"),
        ({"card_points": {"ns": "24"}}, "card_points.ns"),
        ({"card_points": {"ns": 24.0}}, "card_points.ns"),
        ({"card_points": {"ns": False}}, "card_points.ns"),
        ({"card_points": {"Anne": 24}}, "card_points.Anne"),
        (clique(rank="aces"), "clique.rank"),
        (clique(rank="king"), "clique.rank"),
        (clique(rank=None), "clique.rank"),
        (clique(count=2), "clique.count"),
        (clique(count=5), "clique.count"),
        (clique(count="3"), "clique.count"),
        (clique(count=3.0), "clique.count"),
        (clique(count=True), "clique.count"),
        (clique(player="Zoé"), "clique.player"),
        (clique(player="ns"), "clique.player"),
        (clique(player=None), "clique.player"),
        (clique(points=10), "clique.points"),
        ({"card_points": {"ns": 24}, "clique": None}, "clique"),
        ({"card_points": {"ns": 24}, "clique": "kings"}, "clique"),
        ({"card_points": {"ns": 24}, "clique": {"player": "Anne", "rank": "kings"}}, "clique.count"),
        ({"card_points": {"ns": 24}, "tricks": {"ns": 4}}, "tricks"),
        (points("Anne", 3), "adjustment.to"),
        ({"adjustment": {"from": "Anne", "to": "Bruno", "jetons": 3}}, "adjustment.jetons"),
    ],
)
def test_an_impossible_deal_is_refused_with_its_field(facts: dict[str, Any], field: str) -> None:
    number, fields = fields_refused([deal(24), facts])
    assert (number, fields[0]) == (2, field)


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        ({"target": -150}, "house_rules.target"),
        ({"target": "150"}, "house_rules.target"),
        ({"target": 150.0}, "house_rules.target"),
        ({"target": True}, "house_rules.target"),
        ({"clique_first": 1}, "house_rules.clique_first"),
        ({"stake": -1}, "house_rules.stake"),
        ({"stake": None}, "house_rules.stake"),
        ({"minimum_bid": 5}, "house_rules.minimum_bid"),
    ],
)
def test_an_invalid_house_rule_is_refused(rules: dict[str, Any], field: str) -> None:
    assert fields_refused([], **rules) == (None, [field])
