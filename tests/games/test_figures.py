"""The statistics of each game: every figure and feat by hand, and properties of all of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game_parts import Feat
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.testing.playing import play

from ..support.sheets import MISDEAL, PLAYERS, at, francion_deal, joffre_deal, points, quarante_deal, sheet, whist_deal

CALLED = (*at(8, 0), {"called": "ns"})
ROBRE_IN_THREE = (points("ns", 10), points("ew", 10), points("ns", 10))  # 2 + 2 + 1 against 2
TREBLE, DOUBLE, SINGLE = (whist_deal(11),), (*at(0, 2), whist_deal(11)), (*at(0, 3), whist_deal(11))
THREE_ALL = (whist_deal(2), *SINGLE, *SINGLE)  # two singles and 1 for the robre, against a treble

MADE, MADE_NO_TRUMP = joffre_deal("Anne 7", 5, "ns", "ew"), joffre_deal("Chloé 7n", 5, "ns", "ew")
FAILED, FAILED_NO_TRUMP = joffre_deal("Anne 8", 5, "ns", "ns"), joffre_deal("Chloé 8n", 5, "ns", "ns")
SLAM, SLAM_FAILED = joffre_deal("David 12", 1, "ew", "ns"), joffre_deal("Anne 12", 8, "ns", "ns")

OUT = (points("Anne", 5), francion_deal(9, 0, 0))  # Anne wins the manche, Bruno and Chloé make the bête


def case(named: str, worked: Any, *deals: dict[str, Any], **rules: Any) -> Any:
    """Build a case: a figure or feat, the expected result, and the deals and house rules that lead to it."""
    return pytest.param(*named.split(), deals, rules, worked, id=named)


def folded(slug: str, deals: tuple[dict[str, Any], ...], rules: dict[str, Any]) -> AnyStanding:
    players = list(PLAYERS[: games()[slug].player_counts[0]])
    _, standing = play(sheet(slug, list(deals), **rules) | {"players": players})
    return standing


def parties_of(who: str, standing: AnyStanding) -> tuple[str, ...]:
    """Return the parties that a case names: all players, or one party."""
    return standing.players if who == "all" else (who,)


# --- figures by hand: "ns 3" is of a side, and of part 3 ----------------------------------------------------

FIGURES = [
    # A misdeal and points agreed on are no tricks.
    case("whist tricks_over", {"ns": 3, "ew": 2}, whist_deal(9), MISDEAL, points("ns", 2), whist_deal(5)),
    case("whist tricks_over", {"ew": 1}, {"tricks": {"ew": 7}}),
    case("whist tricks_over", {}, *CALLED),
    case("whist all_tricks", {"ns": 1, "ew": 1}, whist_deal(13), whist_deal(12), whist_deal(0)),
    case("whist honours", {"ns 3": 2, "ew 4": 1}, whist_deal(7, "ns 3"), whist_deal(7, "ew 4"), whist_deal(6, "ns 3")),
    # Out by tricks: the others' honours came too late to score, and were held all the same.
    case("whist honours", {"ew 3": 1}, *at(8, 0), whist_deal(8, "ew 3")),
    case("whist honours", {}, *CALLED),
    case("whist called", {"ns": 1}, *CALLED),
    case("whist called", {}, *at(8, 0), whist_deal(7, "ns 3")),
    case("whist manche", {"ns 2": 1}, whist_deal(13), whist_deal(9)),
    case("whist manche", {"ns 1": 1}, *at(0, 5), whist_deal(13), whist_deal(9)),
    case("whist manche", {"ns 2": 2, "ew 2": 1}, *ROBRE_IN_THREE),
    case("whist manche", {"ns 1": 1}, *at(8, 9), {"called": "ns"}),
    case("whist robre", {"ns 5": 1}, whist_deal(13), whist_deal(9), whist_deal(13), whist_deal(9)),
    case("whist robre", {"ns 3": 1}, *ROBRE_IN_THREE),
    case("whist robre", {"ns 8": 1}, *ROBRE_IN_THREE, robre_points=6),
    case("whist robre", {"ew 5": 2}, *[points("ew", 10)] * 4),
    case("short-whist tricks_over", {"ns": 3, "ew": 2}, whist_deal(9), whist_deal(5)),
    case("short-whist all_tricks", {"ns": 1}, whist_deal(13)),
    # At 4 honours are silent, and are held all the same.
    case("short-whist honours", {"ns 4": 1}, *at(4, 0), whist_deal(6, "ns 4")),
    case("short-whist manche", {"ns 3": 1, "ns 2": 1, "ns 1": 1}, *TREBLE, *DOUBLE, *SINGLE),
    case("short-whist robre", {"ns 8": 1}, *TREBLE, *TREBLE),
    case("short-whist robre", {"ns 0": 1}, *THREE_ALL, robre_points=1),
    case("short-whist bumper", {"ns": 1}, *TREBLE, *TREBLE),
    case("short-whist bumper", {"ns": 1}, *TREBLE, *TREBLE, robre_points=1),
    case("short-whist bumper", {}, *TREBLE, *DOUBLE),
    # 3 + 1 + 4 makes 8 as well, and is no bumper.
    case("short-whist bumper", {}, *TREBLE, *SINGLE, robre_points=4),
    case("joffre contract_made", {"Anne 7": 1, "Chloé 7-no-trump": 1}, MADE, MISDEAL, FAILED, MADE_NO_TRUMP),
    case("joffre contract_made", {"Bruno 5": 1}, joffre_deal("Bruno 5", 3, "ew", "ns")),
    case("joffre contract_made", {"David 12": 1}, SLAM),
    case("joffre contract_failed", {"Anne 8": 2, "Chloé 8-no-trump": 1}, FAILED, MADE, FAILED_NO_TRUMP, FAILED),
    case("joffre contract_failed", {"Anne 12": 1}, SLAM_FAILED),
    case("joffre slam_made", {"David": 1}, SLAM),
    # 12 points on a lower bid are no slam.
    case("joffre slam_made", {}, joffre_deal("Anne 11", 7, "ns", "ew")),
    case("joffre slam_failed", {"Anne": 1}, SLAM_FAILED),
    # Under the house rule a bid of 12 is a contract like any other.
    case("joffre slam_made", {}, SLAM, slam="scores"),
    case("joffre slam_failed", {}, SLAM_FAILED, slam="scores"),
    case("joffre contract_made", {"David 12": 2}, SLAM, SLAM, slam="scores"),
    case("joffre contract_failed", {"Anne 12": 2}, SLAM_FAILED, SLAM_FAILED, slam="scores"),
    case("joffre defended", {"ew": 2, "ns": 1}, FAILED, joffre_deal("David 7", 7, "ns", "ew"), MADE, FAILED_NO_TRUMP),
    case("joffre defended", {"ew": 1}, SLAM_FAILED),
    case("joffre five_of_hearts", {"ns": 2, "ew": 1}, MADE, joffre_deal("Bruno 5", 3, "ew", "ns"), FAILED),
    case("joffre three_of_spades", {"ns": 1, "ew": 2}, MADE, MISDEAL, FAILED, MADE),
    case(
        "quarante-de-rois clique",
        {"Bruno kings-3": 2, "Anne queens-4": 1},
        *(
            quarante_deal(26, "Bruno 3 kings"),
            quarante_deal(24, "Bruno 3 kings"),
            MISDEAL,
            quarante_deal(20, "Anne 4 queens"),
            quarante_deal(24),
        ),
    ),
    case("quarante-de-rois card_points", {"ns": 26, "ew": 22}, quarante_deal(26, "Anne 3 jacks"), points("ns", 9)),
    case("quarante-de-rois card_points", {"ns": 3, "ew": 48 + 45}, {"card_points": {"ew": 48}}, quarante_deal(3)),
    case("francion most_tricks", {"Anne outright": 1}, francion_deal(4, 3, 2), MISDEAL, points("Chloé", 2)),
    # Anne deals and comes last: of the equals, Bruno is the first after her.
    case("francion most_tricks", {"Bruno primaute": 1}, francion_deal(4, 4, 1)),
    case("francion all_nine", {"Anne": 1}, francion_deal(9, 0, 0), francion_deal(0, 8, 1)),
    case(
        "francion welche_won",
        {"Bruno": 2},
        francion_deal(4, 3, 2, welche="won", by="Bruno"),
        francion_deal(4, 3, 2, welche="won", by="Bruno", hearts_led=True),
        francion_deal(4, 3, 2, welche="taken", by="Bruno"),
    ),
    case("francion welche_taken", {"Chloé": 1}, francion_deal(4, 3, 2, welche="taken", by="Chloé")),
    # Anne misdeals and deals again, and the Welche is hidden; then Bruno deals.
    case(
        "francion welche_turned", {"Bruno": 1}, MISDEAL, francion_deal(4, 3, 2), francion_deal(4, 3, 2, welche="turned")
    ),
    case("francion bete", {"Bruno": 2, "Chloé": 1}, francion_deal(9, 0, 0), francion_deal(5, 0, 4)),
    case("francion bete", {"Bruno": 1, "Chloé": 1}, *OUT),
    # The second pot is the dealer's 9 and two bêtes of 9.
    case("francion bete_jetons", {"Bruno": 9 + 27, "Chloé": 9}, francion_deal(9, 0, 0), francion_deal(5, 0, 4)),
    case("francion bete_jetons", {}, *OUT),
    case("francion bete_jetons", {"Bruno": 9, "Chloé": 9}, *OUT, last_bete="carry"),
]


@pytest.mark.parametrize(("slug", "name", "deals", "rules", "worked"), FIGURES)
def test_a_figure_equals_the_one_worked_out_by_hand(
    slug: str, name: str, deals: tuple[dict[str, Any], ...], rules: dict[str, Any], worked: dict[str, int]
) -> None:
    standing = folded(slug, deals, rules)
    found: Counter[tuple[str, str]] = Counter()
    for row in standing.rows:
        for party, figure, part, count in games()[slug].counted.figures(standing, row):
            found[party, part] += count if figure == name else 0
    expected: dict[tuple[str, str], int] = {}
    for figure, count in worked.items():
        who, _, part = figure.partition(" ")
        expected[who, part] = count
    assert +found == expected


# --- feats by hand: all of them, in the order of the rows ----------------------------------------------------

FEATS = [
    case("whist robre_margin", [(3, "ns")], *ROBRE_IN_THREE),
    case("whist robre_margin", [(6, "ns")], *ROBRE_IN_THREE, robre_points=4),
    # 10 to 1 and 10 to 0 in four deals; then 10 that were agreed on, and 7 + 4 in two deals.
    case(
        "whist longest_robre",
        [(4, "all"), (2, "all")],
        *(whist_deal(13), MISDEAL, points("ew", 1), whist_deal(9), whist_deal(13), whist_deal(9)),
        *(points("ew", 10), whist_deal(0), whist_deal(3)),
    ),
    case("whist longest_robre", [(2, "all")], *CALLED, *CALLED),
    case("whist longest_robre", [], *ROBRE_IN_THREE),
    case(
        "whist most_in_a_deal",
        [(3, "ns"), (4, "ew"), (3, "ns")],
        whist_deal(9, "ew 4"),
        points("ns", 5),
        whist_deal(7, "ns 3"),
    ),
    case("short-whist robre_margin", [(8, "ns")], *TREBLE, *TREBLE),
    case("short-whist robre_margin", [], *THREE_ALL, robre_points=1),
    case("short-whist longest_robre", [(2, "all")], *TREBLE, *SINGLE, *TREBLE),
    case("short-whist most_in_a_deal", [(2, "ns"), (2, "ew")], whist_deal(8, "ew 3")),
    case("joffre highest_contract_made", [(7, "Anne")], MADE, FAILED, MADE_NO_TRUMP),
    case("joffre highest_no_trump_made", [(7, "Chloé")], MADE, FAILED_NO_TRUMP, MADE_NO_TRUMP),
    # Doubled at no trump; neither the −8 of a failed contract nor 0 is a feat.
    case("joffre most_in_a_deal", [(20, "ns"), (3, "ew")], MADE_NO_TRUMP, points("ew", 30), FAILED),
    case("joffre most_in_a_deal", [(9, "ns"), (1, "ew")], joffre_deal("Anne 7", 7, "ns", "ns")),
    case("joffre longest_partie", [(2, "all")], FAILED, points("ns", 42), MISDEAL, MADE),
    # Points held back in defence are no feat: 10 for the bidders, and 0 for the others, who made 3.
    case("joffre most_in_a_deal", [(7, "ew")], *at(36, 0), joffre_deal("Bruno 7", 3, "ew", "ew"), near_target="held"),
    case("joffre longest_partie", [], MADE),
    case("joffre longest_partie", [], points("ns", -41), minus_target_loses=True),
    case("quarante-de-rois best_clique", [(10, "Bruno")], quarante_deal(26, "Bruno 3 kings"), quarante_deal(26)),
    case(
        "quarante-de-rois most_in_a_deal",
        [(26, "ns"), (22 + 10, "ew"), (48 + 40, "ns")],
        *(quarante_deal(26, "Bruno 3 kings"), points("ew", 100), quarante_deal(48, "Anne 4 kings")),
    ),
    case(
        "quarante-de-rois longest_partie", [(2, "all")], quarante_deal(48), MISDEAL, quarante_deal(48), points("ns", 54)
    ),
    # The last pot is 9 and Bruno's bête of 27; three tricks each, and primauté wins no jetons.
    case(
        "francion largest_pot",
        [(9, "Anne"), (27, "Anne"), (36, "all")],
        *(francion_deal(9, 0, 0), francion_deal(5, 0, 4), MISDEAL, francion_deal(3, 3, 3)),
    ),
    # Doubled, since it was hidden before; turned up for Chloé, who deals third; and one that was taken.
    case(
        "francion best_welche",
        [(2 * 8, "Bruno"), (2 * 4, "Chloé")],
        *(francion_deal(4, 3, 2), francion_deal(4, 3, 2, welche="won", by="Bruno")),
        *(francion_deal(4, 3, 2, welche="turned"), francion_deal(4, 3, 2, welche="taken", by="Anne")),
    ),
    # 6 − 2 of Bruno, 12 of Chloé who has no point.
    case("francion manche_fiches", [(4 + 12, "Anne")], points("Bruno", 2), *OUT),
    case(
        "francion longest_manche",
        [(2, "all"), (1, "all")],
        *(francion_deal(9, 0, 0), MISDEAL, points("Anne", 4), francion_deal(9, 0, 0)),
        *(francion_deal(0, 9, 0), points("Bruno", 5)),
    ),
    case("francion longest_manche", [], points("Anne", 6)),
]


@pytest.mark.parametrize(("slug", "name", "deals", "rules", "worked"), FEATS)
def test_a_feat_is_found_where_it_was_by_hand(
    slug: str, name: str, deals: tuple[dict[str, Any], ...], rules: dict[str, Any], worked: list[tuple[int, str]]
) -> None:
    standing = folded(slug, deals, rules)
    found = [feat for row in standing.rows for feat in games()[slug].counted.feats(standing, row) if feat.name == name]
    assert found == [Feat(name, amount, parties_of(who, standing)) for amount, who in worked]
