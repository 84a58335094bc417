"""The rules of Whist, clause by clause."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold

from . import played
from .played import MISDEAL, at, both, points

scored = partial(played.scored, "whist")
fields_refused = partial(played.fields_refused, "whist")

PAYMENT = {"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1}}
NS_CALLS, EW_CALLS = {"called": "ns"}, {"called": "ew"}


def deal(ns: int, honours: str = "") -> dict[str, Any]:
    """Build a deal from North–South's tricks and honours such as "ew 3"."""
    facts: dict[str, Any] = {"tricks": {"ns": ns}}
    if honours:
        side, count = honours.split()
        facts["honours"] = {"side": side, "count": int(count)}
    return facts


def last(statement: dict[str, Any]) -> dict[str, Any]:
    return statement["deals"][-1]


def paid(statement: dict[str, Any]) -> list[tuple[int, str, str, int]]:
    return [(entry["deal"], entry["from"], entry["to"], entry["amount"]) for entry in statement["journal"]]


# --- tricks and honours --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ns", "marked"),
    [
        (0, (0, 7)),
        (1, (0, 6)),
        (3, (0, 4)),
        (5, (0, 2)),
        (6, (0, 1)),
        (7, (1, 0)),
        (8, (2, 0)),
        (12, (6, 0)),
        (13, (7, 0)),
    ],
)
def test_only_tricks_above_six_score(ns: int, marked: tuple[int, int]) -> None:
    tellings = [{"ns": ns}, {"ew": 13 - ns}, {"ns": ns, "ew": 13 - ns}]
    for tricks in tellings:
        assert both(last(scored([{"tricks": tricks}]))["scored"]) == marked


@pytest.mark.parametrize(
    ("ns", "honours", "marked"),
    [
        (8, "ns 3", (4, 0)),
        (8, "ns 4", (6, 0)),
        (8, "ew 3", (2, 2)),
        (8, "ew 4", (2, 4)),
        (5, "ns 4", (4, 2)),
        # Honours are not checked against tricks: the side that was dealt them may have lost every trick.
        (0, "ns 3", (2, 7)),
        (0, "ns 4", (4, 7)),
        (13, "ew 4", (7, 4)),
    ],
)
def test_three_honours_score_2_and_four_score_4_for_either_side(ns: int, honours: str, marked: tuple[int, int]) -> None:
    assert both(last(scored([deal(ns, honours)]))["scored"]) == marked


# --- the end of a manche -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "facts", "rules", "winner", "ended"),
    [
        # Out by tricks; the others' honours come too late, although they would have been out as well.
        ((7, 9), deal(9, "ew 3"), {}, "ns", (10, 9)),
        ((8, 8), deal(8, "ew 4"), {}, "ns", (10, 8)),
        ((8, 8), deal(5, "ns 3"), {}, "ew", (8, 10)),
        ((6, 4), deal(10, "ew 4"), {}, "ns", (10, 4)),
        # The same with the losers' honours marked, past ten too: they lose nevertheless, in a single.
        ((7, 9), deal(9, "ew 3"), {"losing_honours": True}, "ns", (10, 11)),
        ((8, 8), deal(8, "ew 4"), {"losing_honours": True}, "ns", (10, 12)),
        ((8, 8), deal(5, "ns 4"), {"losing_honours": True}, "ew", (12, 10)),
        ((6, 4), deal(10, "ew 4"), {"losing_honours": True}, "ns", (10, 8)),
        # Out by tricks with honours of its own: they are marked, under either value.
        ((8, 0), deal(9, "ns 4"), {}, "ns", (15, 0)),
        ((8, 0), deal(9, "ns 4"), {"losing_honours": True}, "ns", (15, 0)),
        ((3, 9), deal(0, "ew 3"), {}, "ew", (3, 18)),
        # Out by honours on top of its own tricks.
        ((7, 5), deal(7, "ns 3"), {}, "ns", (10, 5)),
        ((5, 9), deal(7, "ns 4"), {}, "ns", (10, 9)),
        # Out by honours while the others have the tricks, which are marked first, under either value.
        ((8, 4), deal(5, "ns 3"), {}, "ns", (10, 6)),
        ((8, 4), deal(5, "ns 3"), {"losing_honours": True}, "ns", (10, 6)),
        ((9, 8), deal(6, "ns 4"), {}, "ns", (13, 9)),
        ((9, 9), deal(6, "ns 4"), {}, "ew", (9, 10)),
        # Surplus is what it is in the row, and lost afterwards.
        ((9, 0), deal(13), {}, "ns", (16, 0)),
    ],
)
def test_tricks_count_before_honours(
    before: tuple[int, int], facts: dict[str, Any], rules: dict[str, Any], winner: str, ended: tuple[int, int]
) -> None:
    statement = scored([*at(*before), facts], **rules)
    (manche,) = statement["manches"]
    assert (manche["winner"], both(manche["scores"])) == (winner, ended)
    assert both(last(statement)["scores"]) == ended
    assert both(statement["scores"]) == (0, 0)


@pytest.mark.parametrize(
    ("before", "facts", "stands"),
    [
        ((7, 0), deal(8, "ew 4"), (9, 4)),
        ((5, 5), deal(8, "ns 3"), (9, 5)),
        ((0, 7), deal(7, "ew 3"), (1, 9)),
    ],
)
def test_honours_are_marked_for_both_sides_if_tricks_win_no_manche(
    before: tuple[int, int], facts: dict[str, Any], stands: tuple[int, int]
) -> None:
    for losing_honours in (False, True):
        statement = scored([*at(*before), facts], losing_honours=losing_honours)
        assert statement["manches"] == []
        assert both(statement["scores"]) == stands


@pytest.mark.parametrize(
    ("before", "facts", "at_nine", "stands"),
    [
        # At 9 when the deal begins.
        ((9, 0), deal(5, "ns 3"), True, (11, 2)),
        ((9, 0), deal(5, "ns 3"), False, (9, 2)),
        ((9, 3), deal(0, "ns 4"), False, (9, 10)),
        ((2, 9), deal(8, "ew 4"), True, (4, 13)),
        ((2, 9), deal(8, "ew 4"), False, (4, 9)),
        # Out by the trick alone, with honours of its own.
        ((9, 0), deal(7, "ns 3"), True, (12, 0)),
        ((9, 0), deal(7, "ns 3"), False, (10, 0)),
        # The other side's honours are not touched.
        ((9, 0), deal(5, "ew 4"), False, (9, 6)),
        # At 9 only once the tricks are counted, or at 8: they count.
        ((8, 0), deal(7, "ns 3"), False, (11, 0)),
        ((8, 2), deal(5, "ns 3"), False, (10, 4)),
        ((7, 2), deal(5, "ns 3"), False, (9, 4)),
    ],
)
def test_honours_at_nine_depend_on_the_score_before_the_deal(
    before: tuple[int, int], facts: dict[str, Any], at_nine: bool, stands: tuple[int, int]
) -> None:
    assert both(last(scored([*at(*before), facts], honours_at_nine=at_nine))["scores"]) == stands


@pytest.mark.parametrize(("at_nine", "losers"), [(True, 13), (False, 9)])
def test_losing_honours_at_nine_are_marked_only_if_honours_at_nine_count(at_nine: bool, losers: int) -> None:
    statement = scored([*at(8, 9), deal(8, "ew 4")], losing_honours=True, honours_at_nine=at_nine)
    assert statement["manches"][0]["winner"] == "ns"
    assert both(last(statement)["scores"]) == (10, losers)


def test_honours_at_nine_count_by_default() -> None:
    assert both(last(scored([*at(9, 0), deal(5, "ns 3")]))["scores"]) == (11, 2)


@pytest.mark.parametrize(("losers", "worth"), [(0, 2), (1, 2), (4, 2), (5, 1), (6, 1), (7, 1), (8, 1), (9, 1)])
def test_a_manche_is_a_double_until_the_losers_have_5(losers: int, worth: int) -> None:
    for before, ns, winner in (((9, losers), 7, "ns"), ((losers, 9), 6, "ew")):
        statement = scored([*at(*before), deal(ns)])
        assert [(manche["winner"], manche["points"]) for manche in statement["manches"]] == [(winner, worth)]
        assert statement["robre"]["points"][winner] == worth


@pytest.mark.parametrize(
    ("facts", "rules", "worth"),
    [
        (deal(10, "ew 3"), {}, 2),
        (deal(10, "ew 3"), {"losing_honours": True}, 1),
        (deal(10), {"losing_honours": True}, 2),
    ],
)
def test_losing_honours_save_the_double_only_by_the_house_rule(
    facts: dict[str, Any], rules: dict[str, Any], worth: int
) -> None:
    # 6 to 3: four tricks make 10, and 3 + 2 for honours would be 5.
    assert scored([*at(6, 3), facts], **rules)["manches"][0]["points"] == worth


@pytest.mark.parametrize("losing_honours", [False, True])
def test_the_losers_tricks_save_the_double_where_honours_win_the_manche(losing_honours: bool) -> None:
    # 8 to 4: one trick brings East–West to 5 before three honours bring North–South to 10.
    statement = scored([*at(8, 4), deal(6, "ns 3")], losing_honours=losing_honours)
    assert [(manche["winner"], manche["points"]) for manche in statement["manches"]] == [("ns", 1)]


# --- the call ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("losers", "worth"), [(0, 2), (4, 2), (5, 1), (8, 1), (9, 1)])
def test_a_call_at_eight_wins_the_manche_without_a_deal(losers: int, worth: int) -> None:
    statement = scored([*at(8, losers), NS_CALLS])
    row = last(statement)
    assert (both(row["scored"]), both(row["scores"])) == ((2, 0), (10, losers))
    assert statement["manches"] == [
        {
            "robre": 1,
            "deal": row["number"],
            "winner": "ns",
            "scores": {"ns": 10, "ew": losers},
            "points": worth,
        }
    ]


def test_either_side_may_call_if_both_are_at_eight() -> None:
    assert scored([*at(8, 8), NS_CALLS])["manches"][0]["winner"] == "ns"
    assert scored([*at(8, 8), EW_CALLS])["manches"][0]["winner"] == "ew"


@pytest.mark.parametrize("honours_at_nine", [False, True])
def test_a_call_does_not_depend_on_the_rule_for_honours_at_nine(honours_at_nine: bool) -> None:
    assert len(scored([*at(8, 0), NS_CALLS], honours_at_nine=honours_at_nine)["manches"]) == 1


def test_a_call_passes_the_deal() -> None:
    statement = scored([*at(8, 0), NS_CALLS])
    assert (last(statement)["dealer"], statement["dealer"]) == ("Anne", "Bruno")


def test_a_side_at_eight_need_not_call() -> None:
    assert both(scored([*at(8, 8), deal(7)])["scores"]) == (9, 8)


@pytest.mark.parametrize("has", [0, 1, 6, 7, 9])
def test_only_a_side_at_eight_may_call(has: int) -> None:
    before = at(has, 8)
    assert fields_refused([*before, NS_CALLS]) == (len(before) + 1, ["called"])


def test_the_score_for_a_call_is_that_of_this_manche() -> None:
    assert fields_refused([*at(8, 0), NS_CALLS, NS_CALLS]) == (3, ["called"])


@pytest.mark.parametrize("played", [{"tricks": {"ns": 7}}, {"honours": {"side": "ns", "count": 3}}])
def test_a_called_deal_is_not_played(played: dict[str, Any]) -> None:
    assert fields_refused([*at(8, 0), NS_CALLS | played]) == (2, ["called"])


# --- the robre -----------------------------------------------------------------------------------------------

NS_DOUBLE, NS_SINGLE = [*at(9, 0), deal(7)], [*at(9, 5), deal(7)]
EW_DOUBLE, EW_SINGLE = [*at(0, 9), deal(6)], [*at(5, 9), deal(6)]


@pytest.mark.parametrize(
    ("manches", "totals", "margin"),
    [
        # Manche points of each side, the winner's with 1 for the robre.
        ([NS_DOUBLE, NS_DOUBLE], (5, 0), 5),
        ([NS_DOUBLE, NS_SINGLE], (4, 0), 4),
        ([NS_SINGLE, NS_SINGLE], (3, 0), 3),
        ([NS_DOUBLE, EW_SINGLE, NS_SINGLE], (4, 1), 3),
        ([EW_DOUBLE, NS_SINGLE, NS_SINGLE], (3, 2), 1),
        ([NS_SINGLE, EW_DOUBLE, NS_DOUBLE], (4, 2), 2),
    ],
)
def test_the_difference_of_all_points_is_paid_by_the_player_on_the_left(
    manches: list[list[dict[str, Any]]], totals: tuple[int, int], margin: int
) -> None:
    deals = [facts for manche in manches for facts in manche]
    statement = scored(deals)
    (robre,) = statement["robres"]
    assert (robre["winner"], both(robre["points"]), robre["margin"]) == ("ns", totals, margin)
    assert paid(statement) == [(len(deals), "Bruno", "Anne", margin), (len(deals), "David", "Chloé", margin)]


def test_east_west_are_paid_by_north_south() -> None:
    statement = scored([*EW_DOUBLE, *EW_SINGLE])
    assert paid(statement) == [(5, "Chloé", "Bruno", 4), (5, "Anne", "David", 4)]
    assert [counters["fiches"] for counters in statement["balances"].values()] == [-4, 4, -4, 4]


@pytest.mark.parametrize(("robre_points", "margin"), [(1, 5), (2, 6), (4, 8), (6, 10)])
def test_a_robres_points_are_those_of_the_house_rules(robre_points: int, margin: int) -> None:
    (robre,) = scored([*NS_DOUBLE, *NS_DOUBLE], robre_points=robre_points)["robres"]
    assert (both(robre["points"]), robre["margin"]) == ((4 + robre_points, 0), margin)


def test_a_manche_pays_nothing_before_the_robre_is_won() -> None:
    statement = scored([*NS_DOUBLE, *EW_SINGLE])
    assert statement["robres"] == []
    assert statement["robre"] == {"manches": {"ns": 1, "ew": 1}, "points": {"ns": 2, "ew": 1}}
    assert paid(statement) == []


def test_a_robre_follows_another_and_starts_from_nothing() -> None:
    statement = scored([*NS_DOUBLE, *NS_DOUBLE, *EW_SINGLE])
    assert statement["robre"] == {"manches": {"ns": 0, "ew": 1}, "points": {"ns": 0, "ew": 1}}
    assert [manche["robre"] for manche in statement["manches"]] == [1, 1, 2]
    assert statement["status"] == "open"


def test_robres_of_both_sides_balance() -> None:
    # 5 to North–South, then 3 to East–West.
    statement = scored([*NS_DOUBLE, *NS_DOUBLE, *EW_SINGLE, *EW_SINGLE])
    assert [counters["fiches"] for counters in statement["balances"].values()] == [2, -2, 2, -2]
    assert [payment["fiches"] for payment in statement["settlement"]] == [2, 2]


def test_surplus_does_not_carry() -> None:
    assert both(scored([*at(9, 8), deal(13), deal(8)])["scores"]) == (2, 0)


def test_an_adjustment_ends_a_manche_and_a_robre() -> None:
    statement = scored([*NS_DOUBLE, points("ew", 4), points("ns", 12)])
    assert statement["manches"][-1] == {
        "robre": 1,
        "deal": 4,
        "winner": "ns",
        "scores": {"ns": 12, "ew": 4},
        "points": 2,
    }
    assert statement["robres"] == [{"deal": 4, "winner": "ns", "points": {"ns": 5, "ew": 0}, "margin": 5}]
    assert paid(statement) == [(4, "Bruno", "Anne", 5), (4, "David", "Chloé", 5)]
    assert statement["dealer"] == "Bruno"


# --- dealers and adjustments ---------------------------------------------------------------------------------


def test_the_deal_passes_to_the_left_across_manches_and_robres() -> None:
    statement = scored([*NS_DOUBLE, MISDEAL, *NS_DOUBLE, deal(7), deal(7) | {"dealer": "Anne"}])
    dealers = [row["dealer"] for row in statement["deals"]]
    assert dealers == ["Anne", "Anne", "Bruno", "Bruno", "Bruno", "Chloé", "Anne"]
    assert statement["dealer"] == "Bruno"


def test_a_misdeal_scores_nothing() -> None:
    statement = scored([*at(3, 4), MISDEAL])
    assert (both(last(statement)["scored"]), both(statement["scores"])) == ((0, 0), (3, 4))


def test_fiches_move_between_two_players() -> None:
    statement = scored([{"adjustment": {"from": "Anne", "to": "Chloé", "fiches": 3, "reason": "a bet"}}])
    assert [counters["fiches"] for counters in statement["balances"].values()] == [-3, 0, 3, 0]
    assert statement["settlement"] == [{"from": "Anne", "to": "Chloé", "fiches": 3}]


def test_a_score_can_be_taken_down_to_0() -> None:
    assert both(scored([*at(3, 4), points("ew", -4)])["scores"]) == (3, 0)


# --- impossible deals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({}, "tricks"),
        ({"honours": {"side": "ns", "count": 3}}, "tricks"),
        ({"tricks": {}}, "tricks"),
        ({"tricks": 7}, "tricks"),
        ({"tricks": None}, "tricks"),
        ({"tricks": {"ns": 7, "ew": 7}}, "tricks"),
        ({"tricks": {"ns": 7, "ew": 5}}, "tricks"),
        ({"tricks": {"ns": 14}}, "tricks.ns"),
        ({"tricks": {"ew": -1}}, "tricks.ew"),
        ({"tricks": {"ns": True}}, "tricks.ns"),
        ({"tricks": {"ns": "7"}}, "tricks.ns"),
        ({"tricks": {"ns": 6.5}}, "tricks.ns"),
        ({"tricks": {"ns": 7, "ew": None}}, "tricks.ew"),
        ({"tricks": {"Anne": 7}}, "tricks.Anne"),
        ({"tricks": {"ns": 7, "nw": 6}}, "tricks.nw"),
        (deal(7, "ns 2"), "honours.count"),
        (deal(7, "ns 5"), "honours.count"),
        (deal(7, "ns 0"), "honours.count"),
        (deal(7, "Anne 3"), "honours.side"),
        ({"tricks": {"ns": 7}, "honours": {"side": "ns", "count": "3"}}, "honours.count"),
        ({"tricks": {"ns": 7}, "honours": {"side": "ns", "count": 3.0}}, "honours.count"),
        ({"tricks": {"ns": 7}, "honours": {"side": "ns"}}, "honours.count"),
        ({"tricks": {"ns": 7}, "honours": {"count": 3}}, "honours.side"),
        ({"tricks": {"ns": 7}, "honours": {"side": "ns", "count": 3, "suit": "hearts"}}, "honours.suit"),
        ({"tricks": {"ns": 7}, "honours": None}, "honours"),
        ({"tricks": {"ns": 7}, "honours": [["ns", 3]]}, "honours"),
        ({"called": "Anne"}, "called"),
        ({"called": True}, "called"),
        ({"called": None}, "called"),
        ({"called": ["ns"]}, "called"),
        ({"tricks": {"ns": 7}, "welche": {"event": "hidden"}}, "welche"),
        (points("ns", -9), "adjustment.points"),
        (points("Anne", 1), "adjustment.to"),
        ({"adjustment": {"from": "Anne", "to": "Bruno", "jetons": 1}}, "adjustment.jetons"),
        ({"adjustment": {"from": "Anne", "to": "ew", "fiches": 1}}, "adjustment.to"),
        ({"adjustment": {"from": "ns", "to": "Anne", "fiches": 1}}, "adjustment.from"),
    ],
)
def test_an_impossible_deal_is_refused_with_its_field(facts: dict[str, Any], field: str) -> None:
    number, fields = fields_refused([points("ns", 8), facts])
    assert (number, fields[0]) == (2, field)


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        ({"robre_points": 3}, "house_rules.robre_points"),
        ({"robre_points": True}, "house_rules.robre_points"),
        ({"robre_points": "1"}, "house_rules.robre_points"),
        ({"losing_honours": 1}, "house_rules.losing_honours"),
        ({"losing_honours": None}, "house_rules.losing_honours"),
        ({"honours_at_nine": "no"}, "house_rules.honours_at_nine"),
        ({"target": 10}, "house_rules.target"),
    ],
)
def test_an_invalid_house_rule_is_refused(rules: dict[str, Any], field: str) -> None:
    assert fields_refused([], **rules) == (None, [field])


# --- the next robre ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("new_robre", "drawn"), [("draw", [False] * 3 + [True, True, False]), ("keep", [False] * 6)])
def test_partners_and_dealer_are_drawn_when_a_robre_has_ended_and_the_house_rules_say_so(
    new_robre: str, drawn: list[bool]
) -> None:
    """A payment leaves the draw to come, a deal is the next robre's first. Manches of 13 and 9 tricks: two, two."""
    game = games()["whist"]
    standing = game.open(played.PLAYERS, "Anne", game.options(new_robre=new_robre))
    found = []
    for facts in (deal(13), deal(9), deal(13), deal(9), PAYMENT, deal(7)):
        assert fold(game, standing, [facts]) is None
        found.append(game.is_redrawn(standing))
    assert found == drawn
