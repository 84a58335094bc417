"""The rules of Short Whist, where they differ from Whist."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from . import played
from .played import at, both, points

scored = partial(played.scored, "short-whist")
fields_refused = partial(played.fields_refused, "short-whist")


def deal(ns: int, honours: str = "") -> dict[str, Any]:
    """Build a deal from North–South's tricks and honours such as "ew 3"."""
    facts: dict[str, Any] = {"tricks": {"ns": ns}}
    if honours:
        side, count = honours.split()
        facts["honours"] = {"side": side, "count": int(count)}
    return facts


@pytest.mark.parametrize(
    ("before", "facts", "rules", "winner", "ended", "worth"),
    [
        # By tricks.
        ((4, 0), deal(7), {}, "ns", (5, 0), 3),
        ((0, 0), deal(11), {}, "ns", (5, 0), 3),
        ((0, 0), deal(0), {}, "ew", (0, 7), 3),
        # The losers' honours come too late, or are marked: a treble, or a single; a double, or a single.
        ((3, 0), deal(8, "ew 4"), {}, "ns", (5, 0), 3),
        ((3, 0), deal(8, "ew 4"), {"losing_honours": True}, "ns", (5, 4), 1),
        ((3, 0), deal(8, "ew 3"), {"losing_honours": True}, "ns", (5, 2), 2),
        ((3, 1), deal(8, "ew 3"), {}, "ns", (5, 1), 2),
        ((3, 1), deal(8, "ew 3"), {"losing_honours": True}, "ns", (5, 3), 1),
        # Past five with the losers' honours, and lost none the less.
        ((3, 3), deal(8, "ew 4"), {"losing_honours": True}, "ns", (5, 7), 1),
        ((3, 3), deal(5, "ns 3"), {"losing_honours": True}, "ew", (5, 5), 1),
        # The losers began at 4: their honours never count.
        ((3, 4), deal(8, "ew 4"), {"losing_honours": True}, "ns", (5, 4), 1),
        # The winners' own honours are marked where tricks win the manche, unless they began at 4.
        ((3, 0), deal(8, "ns 3"), {}, "ns", (7, 0), 3),
        ((0, 2), deal(11, "ns 4"), {}, "ns", (9, 2), 2),
        ((4, 2), deal(7, "ns 4"), {}, "ns", (5, 2), 2),
        # By honours, after the tricks of either side.
        ((2, 0), deal(7, "ns 3"), {}, "ns", (5, 0), 3),
        ((3, 0), deal(4, "ns 3"), {}, "ns", (5, 3), 1),
        ((1, 1), deal(6, "ns 4"), {}, "ns", (5, 2), 2),
        ((3, 4), deal(6, "ns 3"), {}, "ew", (3, 5), 1),
    ],
)
def test_five_points_win_a_treble_a_double_or_a_single(
    before: tuple[int, int],
    facts: dict[str, Any],
    rules: dict[str, Any],
    winner: str,
    ended: tuple[int, int],
    worth: int,
) -> None:
    statement = scored([*at(*before), facts], **rules)
    (manche,) = statement["manches"]
    assert (manche["winner"], both(manche["scores"]), manche["points"]) == (winner, ended, worth)
    assert both(statement["scores"]) == (0, 0)


@pytest.mark.parametrize(("losers", "worth"), [(0, 3), (1, 2), (2, 2), (3, 1), (4, 1)])
def test_a_manches_worth_depends_on_the_losers_points(losers: int, worth: int) -> None:
    for before, ns, winner in (((4, losers), 7, "ns"), ((losers, 4), 6, "ew")):
        (manche,) = scored([*at(*before), deal(ns)])["manches"]
        assert (manche["winner"], manche["points"]) == (winner, worth)


@pytest.mark.parametrize(
    ("before", "facts", "stands"),
    [
        ((4, 0), deal(5, "ns 3"), (4, 2)),
        ((4, 0), deal(5, "ns 4"), (4, 2)),
        ((1, 4), deal(8, "ew 3"), (3, 4)),
        # Not at 4 when the deal began, or the other side's claim.
        ((4, 0), deal(6, "ew 3"), (4, 3)),
        ((2, 0), deal(6, "ns 3"), (4, 1)),
        ((0, 0), deal(8, "ns 3"), (4, 0)),
    ],
)
def test_a_side_at_4_when_the_deal_begins_scores_no_honours(
    before: tuple[int, int], facts: dict[str, Any], stands: tuple[int, int]
) -> None:
    statement = scored([*at(*before), facts])
    assert statement["manches"] == []
    assert both(statement["scores"]) == stands


def test_a_side_that_reaches_4_by_its_tricks_still_counts_its_honours() -> None:
    (manche,) = scored([*at(3, 0), deal(7, "ns 3")])["manches"]
    assert both(manche["scores"]) == (6, 0)


# --- the robre -----------------------------------------------------------------------------------------------

NS_TREBLE, NS_DOUBLE, NS_SINGLE = [deal(11)], [*at(0, 1), deal(11)], [*at(0, 3), deal(11)]
EW_TREBLE, EW_SINGLE = [deal(2)], [*at(3, 0), deal(2)]


@pytest.mark.parametrize(
    ("manches", "rules", "totals", "margin"),
    [
        ([NS_TREBLE, NS_TREBLE], {}, (8, 0), 8),
        ([NS_TREBLE, NS_SINGLE], {}, (6, 0), 6),
        ([NS_SINGLE, NS_DOUBLE], {}, (5, 0), 5),
        ([NS_SINGLE, EW_SINGLE, NS_TREBLE], {}, (6, 1), 5),
        ([EW_TREBLE, NS_SINGLE, NS_SINGLE], {}, (4, 3), 1),
        ([NS_SINGLE, EW_TREBLE, NS_TREBLE], {}, (6, 3), 3),
        ([NS_TREBLE, NS_TREBLE], {"robre_points": 1}, (7, 0), 7),
        ([NS_TREBLE, NS_TREBLE], {"robre_points": 2}, (8, 0), 8),
        ([NS_TREBLE, NS_TREBLE], {"robre_points": 4}, (10, 0), 10),
        ([NS_TREBLE, NS_TREBLE], {"robre_points": 6}, (12, 0), 12),
        ([EW_TREBLE, NS_SINGLE, NS_SINGLE], {"robre_points": 4}, (6, 3), 3),
    ],
)
def test_a_robre_adds_2_or_the_house_rules_points_and_is_paid_from_the_left(
    manches: list[list[dict[str, Any]]], rules: dict[str, Any], totals: tuple[int, int], margin: int
) -> None:
    statement = scored([facts for manche in manches for facts in manche], **rules)
    (robre,) = statement["robres"]
    assert (robre["winner"], both(robre["points"]), robre["margin"]) == ("ns", totals, margin)
    assert [(entry["from"], entry["to"], entry["amount"]) for entry in statement["journal"]] == [
        ("Bruno", "Anne", margin),
        ("David", "Chloé", margin),
    ]


def test_a_robre_won_by_nothing_pays_nothing() -> None:
    # Two singles and 1 for the robre, against a treble.
    statement = scored([*EW_TREBLE, *NS_SINGLE, *NS_SINGLE], robre_points=1)
    assert statement["robres"][0]["margin"] == 0
    assert statement["journal"] == []


def test_east_west_are_paid_by_north_south() -> None:
    statement = scored([*EW_TREBLE, *EW_SINGLE])
    assert [counters["fiches"] for counters in statement["balances"].values()] == [-6, 6, -6, 6]


def test_an_adjustment_ends_a_manche() -> None:
    statement = scored([*at(0, 2), points("ns", 6)])
    assert [(manche["deal"], both(manche["scores"]), manche["points"]) for manche in statement["manches"]] == [
        (2, (6, 2), 2)
    ]


# --- impossible deals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"called": "ns"}, "called"),
        (deal(7) | {"called": "ns"}, "called"),
        ({}, "tricks"),
        ({"tricks": {"ns": 7, "ew": 7}}, "tricks"),
        ({"tricks": {"ns": 14}}, "tricks.ns"),
        (deal(7, "ns 2"), "honours.count"),
        (deal(7, "Anne 3"), "honours.side"),
        (points("ns", -5), "adjustment.points"),
        ({"adjustment": {"from": "Anne", "to": "Bruno", "jetons": 1}}, "adjustment.jetons"),
    ],
)
def test_an_impossible_deal_is_refused_with_its_field(facts: dict[str, Any], field: str) -> None:
    number, fields = fields_refused([points("ns", 4), facts])
    assert (number, fields[0]) == (2, field)


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        ({"honours_at_nine": True}, "house_rules.honours_at_nine"),
        ({"robre_points": 3}, "house_rules.robre_points"),
        ({"robre_points": 0}, "house_rules.robre_points"),
        ({"losing_honours": "no"}, "house_rules.losing_honours"),
    ],
)
def test_an_invalid_house_rule_is_refused(rules: dict[str, Any], field: str) -> None:
    assert fields_refused([], **rules) == (None, [field])
