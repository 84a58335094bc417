"""The rules of Joffre, clause by clause."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.statement import score

from ..problems import in_words
from . import played
from .played import MISDEAL, PLAYERS, SIDES, at, both, points

scored = partial(played.scored, "joffre")
fields_refused = partial(played.fields_refused, "joffre")


def contract(text: str) -> dict[str, Any]:
    """Parse a contract: "Anne 7", or "Anne 7n" at no trump."""
    player, bid = text.split()
    return {"player": player, "points": int(bid.removesuffix("n")), "no_trump": bid.endswith("n")}


def deal(bid_by: str, ns: int, five: str, three: str, **more: Any) -> dict[str, Any]:
    """Build a deal from the contract, North–South's tricks, and the sides that took the 5♥ and the 3♠."""
    facts = {"contract": contract(bid_by), "tricks": {"ns": ns}, "five_of_hearts": five, "three_of_spades": three}
    return facts | more


# --- what a deal scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "marked"),
    [
        # Made: all points made count, not those bid. 5 tricks + 5 = 10; 5 + 5 − 3 = 7; 2 + 5 = 7; 7 + 5 = 12.
        (deal("Anne 7", 5, "ns", "ew"), (10, 0)),
        (deal("Anne 7", 5, "ns", "ns"), (7, 3)),
        (deal("Anne 7", 2, "ns", "ew"), (7, 3)),
        (deal("Chloé 7", 7, "ns", "ew"), (12, -2)),
        (deal("Bruno 5", 3, "ew", "ns"), (0, 10)),
        (deal("David 6", 6, "ew", "ns"), (3, 7)),
        (deal("Anne 7", 8, "ns", "ns"), (10, 0)),
        (deal("Anne 8", 8, "ns", "ns"), (10, 0)),
        # Failed: the bid is lost. 4 + 5 − 3 = 6 on 7; 1 − 3 = −2 on 5; nothing on 5; 7 + 5 − 3 = 9 on 10.
        (deal("Anne 7", 4, "ns", "ns"), (-7, 4)),
        (deal("Anne 5", 1, "ew", "ns"), (-5, 12)),
        (deal("Anne 5", 0, "ew", "ew"), (-5, 10)),
        (deal("Chloé 10", 7, "ns", "ns"), (-10, 1)),
        (deal("Bruno 11", 8, "ns", "ns"), (10, -11)),
        (deal("David 7", 7, "ns", "ew"), (12, -7)),
        # At no trump the bidders' points are doubled, made or failed; the others' never, negative included.
        (deal("Anne 7n", 5, "ns", "ew"), (20, 0)),
        (deal("Anne 8n", 7, "ns", "ns"), (18, 1)),
        (deal("Anne 7n", 7, "ns", "ew"), (24, -2)),
        (deal("Anne 8n", 5, "ns", "ns"), (-16, 3)),
        (deal("Bruno 5n", 7, "ns", "ew"), (12, -10)),
        (deal("Bruno 5n", 7, "ns", "ns"), (9, -10)),
        (deal("Bruno 5n", 1, "ew", "ns"), (-2, 24)),
        # 12 points on a lower bid are not a slam.
        (deal("Anne 11", 7, "ns", "ew"), (12, -2)),
    ],
)
def test_bidders_score_their_points_or_lose_the_bid_and_the_others_score_theirs(
    facts: dict[str, Any], marked: tuple[int, int]
) -> None:
    statement = scored([facts])
    assert (both(statement["scores"]), statement["winner"]) == (marked, None)


def test_both_sides_together_always_make_10() -> None:
    for ns in range(1, 8):
        for five in SIDES:
            for three in SIDES:
                made = ns + 5 * (five == "ns") - 3 * (three == "ns")
                row = scored([deal("Anne 1", ns, five, three)], minimum_bid=1)["deals"][0]
                assert both(row["scored"]) == (made if made >= 1 else -1, 10 - made)


def test_the_tricks_of_one_side_imply_those_of_the_other() -> None:
    facts = deal("Anne 7", 5, "ns", "ew")
    assert (
        scored([facts | {"tricks": {"ew": 3}}]) == scored([facts]) == scored([facts | {"tricks": {"ns": 5, "ew": 3}}])
    )


@pytest.mark.parametrize(
    ("facts", "marked", "winner"),
    [
        (deal("Anne 12", 7, "ns", "ew"), (12, -2), "ns"),
        (deal("David 12", 1, "ew", "ns"), (-2, 12), "ew"),
        (deal("Anne 12n", 7, "ns", "ew"), (24, -2), "ns"),
        # Every trick brings the 3♠ as well: 8 + 5 − 3 = 10.
        (deal("Anne 12", 8, "ns", "ns"), (-12, 0), "ew"),
        # 6 + 5 = 11; 7 + 5 − 3 = 9; 7 without the 5♥; 7 − 3 = 4.
        (deal("Anne 12", 6, "ns", "ew"), (-12, -1), "ew"),
        (deal("Anne 12", 7, "ns", "ns"), (-12, 1), "ew"),
        (deal("Anne 12", 7, "ew", "ew"), (-12, 3), "ew"),
        (deal("Bruno 12", 7, "ns", "ns"), (9, -12), "ns"),
        (deal("Bruno 12", 0, "ew", "ew"), (0, -12), "ns"),
        (deal("Anne 12n", 8, "ns", "ns"), (-24, 0), "ew"),
    ],
)
@pytest.mark.parametrize("rules", [{}, {"win": "either"}, {"minus_target_loses": True, "target": 5}])
def test_a_slam_wins_or_loses_the_partie_at_once_and_its_points_are_marked(
    facts: dict[str, Any], marked: tuple[int, int], winner: str, rules: dict[str, Any]
) -> None:
    statement = scored([facts], **rules)
    assert (both(statement["scores"]), statement["winner"]) == (marked, winner)
    assert (statement["status"], statement["dealer"]) == ("finished", None)


def test_a_slam_ends_the_partie_at_any_score() -> None:
    assert scored([*at(-30, 90), deal("Anne 12", 7, "ns", "ew")])["winner"] == "ns"
    assert scored([*at(90, -30), deal("Anne 12", 8, "ns", "ns")], win="either")["winner"] == "ew"


# --- the end of the partie -----------------------------------------------------------------------------------

NS_MAKE_7 = deal("Anne 6", 5, "ns", "ns")  # 7 to 3
NS_FAIL_5 = deal("Anne 5", 4, "ew", "ew")  # −5 to 6
EW_MAKE_7 = deal("Bruno 6", 3, "ew", "ew")  # 3 to 7
EW_FAIL_5 = deal("Bruno 5", 5, "ns", "ew")  # 10 to −5


@pytest.mark.parametrize(
    ("before", "facts", "bidder", "either"),
    [
        ((34, 0), NS_MAKE_7, "ns", "ns"),
        ((33, 0), NS_MAKE_7, None, None),
        ((36, 0), NS_MAKE_7, "ns", "ns"),
        ((0, 34), EW_MAKE_7, "ew", "ew"),
        # Carried to 41 in defence.
        ((31, 0), EW_FAIL_5, None, "ns"),
        ((30, 0), EW_FAIL_5, None, None),
        ((38, 10), EW_MAKE_7, None, "ns"),
        # Both at the target: the bidders win, even if the others have more.
        ((34, 60), NS_MAKE_7, "ns", "ns"),
        ((60, 34), EW_MAKE_7, "ew", "ew"),
        # The bidders make it but are below the target; the others were at it before.
        ((0, 60), NS_MAKE_7, None, "ew"),
        # Bidders who fail, and are still at the target or no longer.
        ((50, 0), NS_FAIL_5, None, "ns"),
        ((50, 60), NS_FAIL_5, None, "ns"),
        ((60, 50), EW_FAIL_5, None, "ew"),
        ((45, 60), NS_FAIL_5, None, "ew"),
        ((45, 34), NS_FAIL_5, None, None),
    ],
)
def test_41_wins_by_a_contract_made_or_for_either_side_by_the_house_rule(
    before: tuple[int, int], facts: dict[str, Any], bidder: str | None, either: str | None
) -> None:
    deals = [*at(*before), facts]
    assert scored(deals)["winner"] == bidder
    assert scored(deals, win="bidder")["winner"] == bidder
    assert scored(deals, win="either")["winner"] == either


@pytest.mark.parametrize("win", ["bidder", "either"])
@pytest.mark.parametrize("after", [[], [MISDEAL], [{"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1}}]])
def test_an_adjustment_past_the_target_wins_nothing(win: str, after: list[dict[str, Any]]) -> None:
    assert scored([points("ns", 100), *after], win=win)["winner"] is None


def test_a_side_carried_past_the_target_in_defence_wins_with_its_next_contract() -> None:
    deals = [*at(36, 0), EW_FAIL_5, EW_MAKE_7, NS_MAKE_7]
    statement = scored(deals)
    assert (statement["winner"], both(statement["scores"])) == ("ns", (56, 5))
    assert scored(deals[:-1])["winner"] is None


@pytest.mark.parametrize(("target", "winner"), [(7, "ns"), (8, None), (1, "ns")])
def test_the_target_is_that_of_the_house_rules(target: int, winner: str | None) -> None:
    assert scored([NS_MAKE_7], target=target)["winner"] == winner


@pytest.mark.parametrize(
    ("before", "facts", "rules", "winner"),
    [
        ((-36, 0), NS_FAIL_5, {}, "ew"),
        ((-35, 0), NS_FAIL_5, {}, None),
        ((-37, 0), NS_FAIL_5, {}, "ew"),
        ((0, -36), EW_FAIL_5, {}, "ns"),
        # In defence: −40 and then −2; by an adjustment; with another target.
        ((0, -40), deal("Anne 7", 7, "ns", "ew"), {}, "ns"),
        ((-30, 0), points("ns", -11), {}, "ew"),
        ((-30, 0), points("ns", -10), {}, None),
        ((0, -15), EW_FAIL_5, {"target": 20}, "ns"),
        ((0, -15), EW_FAIL_5, {"target": 21}, None),
        ((0, -36), EW_FAIL_5, {"win": "either"}, "ns"),
        # 12 and −2: the bidders are at 41, the others at −41, and both rules name the same winner.
        ((29, -39), deal("Anne 7", 7, "ns", "ew"), {}, "ns"),
    ],
)
def test_minus_the_target_loses_only_by_the_house_rule(
    before: tuple[int, int], facts: dict[str, Any], rules: dict[str, Any], winner: str | None
) -> None:
    deals = [*at(*before), facts]
    assert scored(deals, minus_target_loses=True, **rules)["winner"] == winner
    others = scored(deals, minus_target_loses=False, **rules)
    assert others["winner"] == ("ns" if both(others["scores"])[0] >= 41 else None)
    assert others == scored(deals, **rules)


# --- house rules of the slam and of the last points ------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "marked"),
    [
        (deal("Anne 12", 7, "ns", "ew"), (12, -2)),
        (deal("David 12", 1, "ew", "ns"), (-2, 12)),
        (deal("Anne 12n", 7, "ns", "ew"), (24, -2)),
        (deal("Anne 12", 8, "ns", "ns"), (-12, 0)),
        (deal("Anne 12", 6, "ns", "ew"), (-12, -1)),
        (deal("Bruno 12n", 0, "ew", "ew"), (0, -24)),
    ],
)
@pytest.mark.parametrize("win", ["bidder", "either"])
def test_a_bid_of_12_ends_nothing_by_the_house_rule(facts: dict[str, Any], marked: tuple[int, int], win: str) -> None:
    statement = scored([facts], slam="scores", win=win)
    assert (both(statement["scores"]), statement["winner"], statement["dealer"]) == (marked, None, "Bruno")


def test_a_bid_of_12_that_is_no_slam_wins_and_loses_at_the_target_as_any_bid() -> None:
    assert scored([*at(29, 0), deal("Anne 12", 7, "ns", "ew")], slam="scores")["winner"] == "ns"
    assert scored([*at(28, 0), deal("Anne 12", 7, "ns", "ew")], slam="scores")["winner"] is None
    assert scored([*at(60, 0), deal("Anne 12", 8, "ns", "ns")], slam="scores")["winner"] is None
    failed = [*at(-29, 0), deal("Anne 12", 8, "ns", "ns")]
    assert scored(failed, slam="scores", minus_target_loses=True)["winner"] == "ew"
    assert scored(failed, slam="scores")["winner"] is None


@pytest.mark.parametrize(
    ("before", "facts", "marked"),
    [
        # North–South in defence make 4: scored at 35, held back at 36 and at any score above it.
        ((35, 0), deal("Bruno 5", 4, "ew", "ew"), (4, 6)),
        ((36, 0), deal("Bruno 5", 4, "ew", "ew"), (0, 6)),
        ((40, 0), deal("Bruno 5", 4, "ew", "ew"), (0, 6)),
        ((90, 0), deal("Bruno 5", 4, "ew", "ew"), (0, 6)),
        # The bidders fail: the points of the others are held back all the same.
        ((36, 0), EW_FAIL_5, (0, -5)),
        ((0, 36), NS_FAIL_5, (-5, 0)),
        # 0 stays 0, 1 is held back, and negative points are lost.
        ((36, 0), deal("Bruno 5", 3, "ew", "ns"), (0, 10)),
        ((36, 0), deal("Bruno 5", 1, "ew", "ew"), (0, 9)),
        ((36, 0), deal("Bruno 5", 1, "ew", "ns"), (-2, 12)),
        # The bidders' own score does not matter to what they score.
        ((36, 0), deal("Anne 5", 4, "ew", "ew"), (-5, 6)),
        ((30, 36), deal("Bruno 5n", 4, "ew", "ew"), (4, 12)),
        ((36, 36), deal("Bruno 5", 4, "ew", "ew"), (0, 6)),
        # A slam is decided all the same.
        ((0, 36), deal("Anne 12", 5, "ns", "ns"), (-12, 0)),
    ],
)
def test_a_side_near_the_target_adds_nothing_in_defence_by_the_house_rule(
    before: tuple[int, int], facts: dict[str, Any], marked: tuple[int, int]
) -> None:
    row = scored([*at(*before), facts], near_target="held")["deals"][-1]
    assert both(row["scored"]) == marked
    assert both(row["scores"]) == (before[0] + marked[0], before[1] + marked[1])


@pytest.mark.parametrize(("target", "before", "ns"), [(20, 14, 4), (20, 15, 0), (3, -3, 4), (3, -2, 0)])
def test_points_are_held_back_from_5_below_any_target(target: int, before: int, ns: int) -> None:
    deals = [points("ns", before), deal("Bruno 5", 4, "ew", "ew")]
    assert scored(deals, near_target="held", target=target)["deals"][-1]["scored"]["ns"] == ns


def test_the_score_when_the_deal_begins_decides_whether_points_are_held_back() -> None:
    facts = deal("Bruno 5", 4, "ew", "ew")
    rows = scored([*at(35, 0), points("ns", 1), facts, MISDEAL, points("ns", -1), facts], near_target="held")["deals"]
    assert [row["scored"]["ns"] for row in rows] == [35, 1, 0, 0, -1, 4]


def test_a_side_held_back_at_the_target_has_still_won_where_either_side_may_win() -> None:
    deals = [points("ns", 50), deal("Bruno 5", 4, "ew", "ew")]
    assert scored(deals, near_target="held", win="either")["winner"] == "ns"
    assert scored(deals, near_target="held")["winner"] is None
    short = [points("ns", 40), EW_FAIL_5]
    assert scored(short, near_target="held", win="either")["winner"] is None
    assert scored(short, win="either")["winner"] == "ns"


@pytest.mark.parametrize(
    "after",
    [
        NS_MAKE_7,
        MISDEAL,
        points("ns", 1),
        {"adjustment": {"from": "Anne", "to": "Bruno", "fiches": 1}},
        {"nonsense": 1},
        7,
    ],
)
def test_deals_after_the_end_are_refused(after: Any) -> None:
    assert fields_refused([points("ns", 40), NS_MAKE_7, after]) == (3, ["deals"])


# --- fiches, dealers, adjustments ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "payments"),
    [
        (deal("Anne 12", 7, "ns", "ew"), [("Bruno", "Anne", 2), ("David", "Chloé", 2)]),
        (deal("Anne 12", 8, "ns", "ns"), [("Chloé", "Bruno", 2), ("Anne", "David", 2)]),
    ],
)
def test_each_winner_is_paid_by_the_player_on_his_left(
    facts: dict[str, Any], payments: list[tuple[str, str, int]]
) -> None:
    journal = scored([facts], stake=2)["journal"]
    assert [(entry["from"], entry["to"], entry["amount"]) for entry in journal] == payments


def test_without_a_stake_there_is_no_payment() -> None:
    for rules in ({}, {"stake": 0}):
        assert scored([deal("Anne 12", 7, "ns", "ew")], **rules)["journal"] == []


def test_the_loser_at_minus_the_target_pays_the_stake() -> None:
    journal = scored([points("ns", -41)], minus_target_loses=True, stake=1)["journal"]
    assert [(entry["deal"], entry["from"], entry["to"]) for entry in journal] == [
        (1, "Chloé", "Bruno"),
        (1, "Anne", "David"),
    ]


def test_the_deal_passes_after_every_deal_played() -> None:
    statement = scored([NS_MAKE_7, MISDEAL, points("ew", -50), EW_FAIL_5, NS_FAIL_5 | {"dealer": "David"}])
    assert [row["dealer"] for row in statement["deals"]] == ["Anne", "Bruno", "Bruno", "Bruno", "David"]
    assert statement["dealer"] == "Anne"


# --- the auction ---------------------------------------------------------------------------------------------

ORDER = {
    "Anne": ("Bruno", "Chloé", "David", "Anne"),
    "Bruno": ("Chloé", "David", "Anne", "Bruno"),
    "Chloé": ("David", "Anne", "Bruno", "Chloé"),
    "David": ("Anne", "Bruno", "Chloé", "David"),
}


def auction(calls: str, dealer: str = "Anne") -> list[list[Any]]:
    """Parse calls from the dealer's left: "7 7n - 8", with "-" for a pass."""
    return [
        [player, "pass", False] if call == "-" else [player, int(call.removesuffix("n")), call.endswith("n")]
        for player, call in zip(ORDER[dealer], calls.split(), strict=False)
    ]


def after(calls: list[list[Any]], led_to: str, **more: Any) -> dict[str, Any]:
    return deal(led_to, 5, "ns", "ew", auction=calls, **more)


@pytest.mark.parametrize(
    ("calls", "led_to", "minimum"),
    [
        ("5 - - -", "Bruno 5", 5),
        ("- 5 - -", "Chloé 5", 5),
        ("- - 5 -", "David 5", 5),
        ("5 6 7 8", "Anne 8", 5),
        ("5 6 7 -", "David 7", 5),
        ("7 7n 8 -", "David 8", 5),
        ("7 7n 8 8n", "Anne 8n", 5),
        ("7n 8 - -", "Chloé 8", 5),
        ("5 - 9n -", "David 9n", 5),
        ("8 - - -", "Bruno 8", 5),
        # The dealer may equal the last bid, in number and kind.
        ("5 6 7 7", "Anne 7", 5),
        ("5 - - 5", "Anne 5", 5),
        ("5 5n - 5n", "Anne 5n", 5),
        ("5n - - 6", "Anne 6", 5),
        # Three passes: the minimum, with trumps or without, spoken or not.
        ("- - - 5", "Anne 5", 5),
        ("- - - 5n", "Anne 5n", 5),
        ("- - -", "Anne 5", 5),
        ("- - -", "Anne 5n", 5),
        ("- - - 7", "Anne 7", 7),
        ("- - - 1n", "Anne 1n", 1),
        # The slam is a bid like any other, and the highest.
        ("12 - - -", "Bruno 12", 5),
        ("12 12n - -", "Chloé 12n", 5),
        ("11n 12 - 12", "Anne 12", 5),
        ("1 1n 2 2", "Anne 2", 1),
        ("7 - - -", "Bruno 7", 7),
    ],
)
def test_a_valid_auction_leads_to_its_contract(calls: str, led_to: str, minimum: int) -> None:
    facts = after(auction(calls), led_to)
    without = {key: value for key, value in facts.items() if key != "auction"}
    assert scored([facts], minimum_bid=minimum) == scored([without], minimum_bid=minimum)


@pytest.mark.parametrize("dealer", PLAYERS)
def test_the_auction_begins_on_the_dealers_left(dealer: str) -> None:
    first = ORDER[dealer][0]
    facts = after(auction("6 - - -", dealer), f"{first} 6")
    assert scored([facts | {"dealer": dealer}])["deals"][0]["dealer"] == dealer
    other = after(auction("6 - - -", first), f"{ORDER[first][0]} 6")
    assert fields_refused([other | {"dealer": dealer}]) == (1, ["auction"])


def test_the_auction_goes_by_the_rotation() -> None:
    assert len(scored([EW_FAIL_5, after(auction("6 - - -", "Bruno"), "Chloé 6")])["deals"]) == 2
    assert fields_refused([EW_FAIL_5, after(auction("6 - - -", "Anne"), "Bruno 6")]) == (2, ["auction"])


def test_no_trump_may_be_left_out_of_a_call() -> None:
    calls: list[list[Any]] = [["Bruno", "pass"], ["Chloé", 6], ["David", "pass"], ["Anne", 6, True]]
    assert scored([after(calls, "Anne 6n")])["deals"][0]["scored"] == {"ns": 20, "ew": 0}


@pytest.mark.parametrize(
    ("calls", "led_to", "minimum"),
    [
        # Not higher than the last bid.
        ("5 5 - -", "Chloé 5", 5),
        ("7 6 - -", "Bruno 7", 5),
        ("7n 7 - -", "Bruno 7n", 5),
        ("7 - 7 -", "David 7", 5),
        ("8 7n - -", "Bruno 8", 5),
        # The dealer neither equals it nor bids higher.
        ("6 - - 5", "Anne 5", 5),
        ("7n - - 7", "Anne 7", 5),
        ("8 - - 7n", "Anne 7n", 5),
        # Three passes oblige the dealer to the minimum.
        ("- - - -", "Anne 5", 5),
        ("- - - 6", "Anne 6", 5),
        ("- - - 12", "Anne 12", 5),
        ("- - - 6", "Anne 6", 7),
        ("- - -", "Anne 6", 5),
        ("- - -", "Bruno 5", 5),
        # Below the minimum.
        ("4 - - 5", "Anne 5", 5),
        ("6 7 - -", "Chloé 7", 7),
        # Not exactly one round of all players.
        ("5 - -", "Bruno 5", 5),
        ("5", "Bruno 5", 5),
        ("- -", "Anne 5", 5),
        # The contract differs from the auction: in player, points or kind.
        ("5 6 - -", "Bruno 5", 5),
        ("5 6 - -", "Anne 6", 5),
        ("5 6 - -", "Chloé 7", 5),
        ("5 6 - -", "Chloé 6n", 5),
        ("5 6n - -", "Chloé 6", 5),
        ("5 6 7 7", "David 7", 5),
    ],
)
def test_an_auction_against_the_rules_is_refused(calls: str, led_to: str, minimum: int) -> None:
    number, fields = fields_refused([after(auction(calls), led_to)], minimum_bid=minimum)
    assert (number, fields[-1]) == (1, "auction")


@pytest.mark.parametrize(
    ("three_passes", "what"), [("minimum", "must take the contract at 5"), ("free", "bid 5 or more")]
)
def test_a_dealer_who_passes_after_three_is_told_what_he_may_bid(three_passes: str, what: str) -> None:
    facts = after(auction("- - - -"), "Anne 5")
    refusal = score(played.sheet("joffre", [facts], after_three_passes=three_passes), games())
    assert isinstance(refusal, Refusal)
    assert what in in_words(refusal.problems[-1])


PASSES = auction("- - -")


@pytest.mark.parametrize(
    "calls",
    [
        [],
        [*auction("5 - - -"), ["Bruno", 6, False]],
        [*auction("5 6 - -"), ["Bruno", "pass", False]],
        [["Chloé", "pass", False], ["Bruno", 5, False], ["David", "pass", False], ["Anne", "pass", False]],
        [["Bruno", 5, False]] * 4,
        [*PASSES, ["Anne", "pass", True]],
        [["Bruno", "pass", True], *auction("- 5 - -")[1:]],
        [*PASSES, ["Zoé", 5, False]],
        [*PASSES, ["ns", 5, False]],
        [*PASSES, ["Anne", 13, False]],
        [*PASSES, ["Anne", 0, False]],
        [*PASSES, ["Anne", "5", False]],
        [*PASSES, ["Anne", "Pass", False]],
        [*PASSES, ["Anne", True, False]],
        [*PASSES, ["Anne", 5.0, False]],
        [*PASSES, ["Anne", None, False]],
        [*PASSES, ["Anne", 5, "no"]],
        [*PASSES, ["Anne", 5, 0]],
        [*PASSES, ["Anne", 5, None]],
        [*PASSES, ["Anne", 5, False, "hearts"]],
        [*PASSES, ["Anne"]],
        [*PASSES, []],
        [*PASSES, "Anne 5"],
        [*PASSES, {"player": "Anne", "points": 5}],
        [*PASSES, None],
        {"Anne": 5},
        "5 - - -",
        None,
        True,
    ],
)
def test_an_invalid_auction_is_refused(calls: Any) -> None:
    number, fields = fields_refused([after(calls, "Anne 5")])
    assert (number, fields[0]) == (1, "auction")


# --- impossible deals ----------------------------------------------------------------------------------------


def changed(**facts: Any) -> dict[str, Any]:
    return {key: value for key, value in (NS_MAKE_7 | facts).items() if value != "left out"}


def contracted(**contract: Any) -> dict[str, Any]:
    return NS_MAKE_7 | {"contract": {"player": "Anne", "points": 6} | contract}


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        (changed(contract="left out"), "contract"),
        (changed(tricks="left out"), "tricks"),
        (changed(five_of_hearts="left out"), "five_of_hearts"),
        (changed(three_of_spades="left out"), "three_of_spades"),
        (changed(contract=None), "contract"),
        (changed(contract="Anne 6"), "contract"),
        (changed(contract=["Anne", 6]), "contract"),
        (changed(contract={"player": "Anne"}), "contract.points"),
        (changed(contract={"points": 6}), "contract.player"),
        (contracted(player="Zoé"), "contract.player"),
        (contracted(player="ns"), "contract.player"),
        (contracted(player=None), "contract.player"),
        (contracted(points=0), "contract.points"),
        (contracted(points=13), "contract.points"),
        (contracted(points="6"), "contract.points"),
        (contracted(points=True), "contract.points"),
        (contracted(points=6.0), "contract.points"),
        (contracted(points=4), "contract.points"),
        (contracted(points=1), "contract.points"),
        (contracted(no_trump=1), "contract.no_trump"),
        (contracted(no_trump="no"), "contract.no_trump"),
        (contracted(no_trump=None), "contract.no_trump"),
        (contracted(trumps="hearts"), "contract.trumps"),
        (changed(tricks={"ns": 9}), "tricks.ns"),
        (changed(tricks={"ew": -1}), "tricks.ew"),
        (changed(tricks={"ns": "5"}), "tricks.ns"),
        (changed(tricks={"ns": True}), "tricks.ns"),
        (changed(tricks={"ns": 5, "ew": 4}), "tricks"),
        (changed(tricks={"ns": 5, "ew": 2}), "tricks"),
        (changed(tricks={"Anne": 5}), "tricks.Anne"),
        (changed(tricks={}), "tricks"),
        (changed(tricks=5), "tricks"),
        (changed(five_of_hearts="Anne"), "five_of_hearts"),
        (changed(five_of_hearts=None), "five_of_hearts"),
        (changed(five_of_hearts=["ns"]), "five_of_hearts"),
        (changed(three_of_spades="nobody"), "three_of_spades"),
        (changed(three_of_spades=True), "three_of_spades"),
        # A card taken by a side without a trick.
        (changed(tricks={"ns": 0}, five_of_hearts="ns", three_of_spades="ew"), "five_of_hearts"),
        (changed(tricks={"ns": 0}, five_of_hearts="ew", three_of_spades="ns"), "three_of_spades"),
        (changed(tricks={"ns": 8}, five_of_hearts="ew", three_of_spades="ns"), "five_of_hearts"),
        (changed(tricks={"ns": 8}, five_of_hearts="ns", three_of_spades="ew"), "three_of_spades"),
        (changed(tricks={"ew": 8}, five_of_hearts="ns", three_of_spades="ns"), "five_of_hearts"),
        (changed(clique={"player": "Anne", "rank": "kings", "count": 3}), "clique"),
        (points("Anne", 1), "adjustment.to"),
        ({"adjustment": {"from": "Anne", "to": "Bruno", "jetons": 1}}, "adjustment.jetons"),
    ],
)
def test_an_impossible_deal_is_refused_with_its_field(facts: dict[str, Any], field: str) -> None:
    number, fields = fields_refused([EW_FAIL_5, facts])
    assert (number, fields[0]) == (2, field)


@pytest.mark.parametrize(
    ("bid", "minimum", "stands"),
    [(1, 1, True), (2, 3, False), (3, 3, True), (5, 5, True), (6, 7, False), (7, 7, True)],
)
def test_the_lowest_bid_is_that_of_the_house_rules(bid: int, minimum: int, stands: bool) -> None:
    facts = contracted(points=bid)
    if stands:
        assert len(scored([facts], minimum_bid=minimum)["deals"]) == 1
    else:
        assert fields_refused([facts], minimum_bid=minimum) == (1, ["contract.points"])


@pytest.mark.parametrize(
    ("facts", "fields"),
    [
        (
            changed(tricks={"ns": 0}, five_of_hearts="ns", three_of_spades="ns"),
            ["five_of_hearts", "three_of_spades"],
        ),
        (
            contracted(points=4) | {"tricks": {"ns": 4, "ew": 5}, "auction": auction("4 - - -")},
            ["contract.points", "tricks", "auction"],
        ),
        ({}, ["contract", "tricks", "five_of_hearts", "three_of_spades"]),
    ],
)
def test_all_problems_of_a_deal_are_found_together(facts: dict[str, Any], fields: list[str]) -> None:
    assert fields_refused([facts]) == (1, fields)


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        ({"minimum_bid": 0}, "house_rules.minimum_bid"),
        ({"minimum_bid": 8}, "house_rules.minimum_bid"),
        ({"minimum_bid": "5"}, "house_rules.minimum_bid"),
        ({"minimum_bid": True}, "house_rules.minimum_bid"),
        ({"target": -41}, "house_rules.target"),
        ({"win": "both"}, "house_rules.win"),
        ({"win": True}, "house_rules.win"),
        ({"minus_target_loses": "yes"}, "house_rules.minus_target_loses"),
        ({"stake": -2}, "house_rules.stake"),
        ({"clique_first": True}, "house_rules.clique_first"),
    ],
)
def test_an_invalid_house_rule_is_refused(rules: dict[str, Any], field: str) -> None:
    assert fields_refused([], **rules) == (None, [field])
