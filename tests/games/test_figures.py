"""What each game tells of its players, figure by figure and feat by feat; and what holds of all that is told."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.games.joffre.auction import bids
from scorekeeper.language import LANGUAGES, knows, say
from scorekeeper.scoring.figures import Feat, Figure
from scorekeeper.scoring.game import Game, fold
from scorekeeper.scoring.standing import Row, Standing

from .. import strategies
from .played import MISDEAL, PLAYERS, at, points, sheet
from .test_francion import deal as francion
from .test_joffre import deal as joffre
from .test_whist import deal as whist

CALLED = [*at(8, 0), {"called": "ns"}]
ROBRE_IN_THREE = [points("ns", 10), points("ew", 10), points("ns", 10)]  # 2 + 2 + 1 against 2
TREBLE, SINGLE = [whist(11)], [*at(0, 3), whist(11)]
THREE_ALL = [whist(2), *SINGLE, *SINGLE]  # two singles and 1 for the robre, against a treble


def cards(ns: int, clique: str = "") -> dict[str, Any]:
    """Quarante de rois: the card points of North–South, and the clique: "Anne kings 4"."""
    told: dict[str, Any] = {"card_points": {"ns": ns}}
    if clique:
        player, rank, count = clique.split()
        told["clique"] = {"player": player, "rank": rank, "count": int(count)}
    return told


def folded(slug: str, deals: list[dict[str, Any]], rules: dict[str, Any]) -> Standing:
    players = list(PLAYERS[: games()[slug].seatings[0]])
    standing = strategies.opened(sheet(slug, deals, **rules) | {"players": players})
    assert fold(games()[slug], standing, deals) is None
    return standing


def named(who: str, standing: Standing) -> tuple[str, ...]:
    """The players that a table's word stands for: a side, several by name, or all of them."""
    if who == "all":
        return standing.players
    return standing.partners(who) if who in standing.parties and len(who) == 2 else tuple(who.split("+"))


# --- figures by hand: "ns 3" is both partners' figure of part 3, "Anne" is hers alone ------------------------

FIGURES: list[tuple[str, str, list[dict[str, Any]], dict[str, Any], dict[str, int]]] = [
    # A misdeal and points agreed on are no tricks.
    ("whist", "tricks_over", [whist(9), MISDEAL, points("ns", 2), whist(5)], {}, {"ns": 3, "ew": 2}),
    ("whist", "tricks_over", [{"tricks": {"ew": 7}}], {}, {"ew": 1}),
    ("whist", "tricks_over", CALLED, {}, {}),
    ("whist", "all_tricks", [whist(13), whist(12), whist(0)], {}, {"ns": 1, "ew": 1}),
    ("whist", "honours", [whist(7, "ns 3"), whist(7, "ew 4"), whist(6, "ns 3")], {}, {"ns 3": 2, "ew 4": 1}),
    # Out by tricks: the others' honours came too late to score, and were held all the same.
    ("whist", "honours", [*at(8, 0), whist(8, "ew 3")], {}, {"ew 3": 1}),
    ("whist", "honours", CALLED, {}, {}),
    ("whist", "called", CALLED, {}, {"ns": 1}),
    ("whist", "called", [*at(8, 0), whist(7, "ns 3")], {}, {}),
    ("whist", "manche", [whist(13), whist(9)], {}, {"ns 2": 1}),
    ("whist", "manche", [*at(0, 5), whist(13), whist(9)], {}, {"ns 1": 1}),
    ("whist", "manche", ROBRE_IN_THREE, {}, {"ns 2": 2, "ew 2": 1}),
    ("whist", "manche", [*at(8, 9), {"called": "ns"}], {}, {"ns 1": 1}),
    ("whist", "robre", [whist(13), whist(9)] * 2, {}, {"ns 5": 1}),
    ("whist", "robre", ROBRE_IN_THREE, {}, {"ns 3": 1}),
    ("whist", "robre", ROBRE_IN_THREE, {"robre_points": 6}, {"ns 8": 1}),
    ("whist", "robre", [points("ew", 10)] * 4, {}, {"ew 5": 2}),
    ("short-whist", "tricks_over", [whist(9), whist(5)], {}, {"ns": 3, "ew": 2}),
    ("short-whist", "all_tricks", [whist(13)], {}, {"ns": 1}),
    # At 4 honours are silent, and are held all the same.
    ("short-whist", "honours", [*at(4, 0), whist(6, "ns 4")], {}, {"ns 4": 1}),
    ("short-whist", "manche", [*TREBLE, *at(0, 2), *TREBLE, *SINGLE], {}, {"ns 3": 1, "ns 2": 1, "ns 1": 1}),
    ("short-whist", "robre", TREBLE * 2, {}, {"ns 8": 1}),
    ("short-whist", "robre", THREE_ALL, {"robre_points": 1}, {"ns 0": 1}),
    ("short-whist", "bumper", TREBLE * 2, {}, {"ns": 1}),
    ("short-whist", "bumper", TREBLE * 2, {"robre_points": 1}, {"ns": 1}),
    ("short-whist", "bumper", [*TREBLE, *SINGLE], {}, {}),
    # 3 + 1 + 4 makes 8 as well, and is no bumper.
    ("short-whist", "bumper", [*TREBLE, *SINGLE], {"robre_points": 4}, {}),
    (
        "joffre",
        "contract_made",
        [joffre("Anne 7", 5, "ns", "ew"), MISDEAL, joffre("Bruno 5", 3, "ew", "ns"), joffre("Anne 7n", 5, "ns", "ew")],
        {},
        {"Anne 7": 1, "Bruno 5": 1, "Anne 7-no-trump": 1},
    ),
    ("joffre", "contract_made", [joffre("Anne 12", 7, "ns", "ew")], {}, {"Anne 12": 1}),
    ("joffre", "contract_made", [joffre("Anne 7", 4, "ns", "ns")], {}, {}),
    (
        "joffre",
        "contract_failed",
        [joffre("Anne 7", 4, "ns", "ns"), joffre("Chloé 8n", 5, "ns", "ns"), joffre("Anne 7", 4, "ns", "ns")],
        {},
        {"Anne 7": 2, "Chloé 8-no-trump": 1},
    ),
    ("joffre", "contract_failed", [joffre("Anne 12n", 8, "ns", "ns")], {}, {"Anne 12-no-trump": 1}),
    ("joffre", "slam_made", [joffre("David 12", 1, "ew", "ns")], {}, {"David": 1}),
    # 12 points on a lower bid are no slam.
    ("joffre", "slam_made", [joffre("Anne 11", 7, "ns", "ew")], {}, {}),
    ("joffre", "slam_failed", [joffre("Anne 12", 8, "ns", "ns")], {}, {"Anne": 1}),
    ("joffre", "defended", [joffre("Anne 7", 4, "ns", "ns"), joffre("David 7", 7, "ns", "ew")], {}, {"ew": 1, "ns": 1}),
    ("joffre", "defended", [joffre("Anne 7", 5, "ns", "ew")], {}, {}),
    ("joffre", "defended", [joffre("Anne 12", 8, "ns", "ns")], {}, {"ew": 1}),
    ("joffre", "five_of_hearts", [joffre("Anne 7", 5, "ns", "ew"), joffre("Anne 7", 4, "ns", "ns")], {}, {"ns": 2}),
    (
        "joffre",
        "three_of_spades",
        [joffre("Anne 7", 5, "ns", "ew"), joffre("Anne 7", 4, "ns", "ns")],
        {},
        {"ew": 1, "ns": 1},
    ),
    (
        "quarante-de-rois",
        "clique",
        [cards(26, "Bruno kings 3"), cards(24, "Bruno kings 3"), MISDEAL, cards(20, "Anne queens 4"), cards(24)],
        {},
        {"Bruno kings-3": 2, "Anne queens-4": 1},
    ),
    ("quarante-de-rois", "card_points", [cards(26, "Anne jacks 3"), points("ns", 9)], {}, {"ns": 26, "ew": 22}),
    ("quarante-de-rois", "card_points", [{"card_points": {"ew": 48}}, cards(3)], {}, {"ew": 48 + 45, "ns": 3}),
    ("francion", "most_tricks", [francion(4, 3, 2), MISDEAL, points("Chloé", 2)], {}, {"Anne outright": 1}),
    # Anne deals and comes last: of the equals, Bruno is the first after her.
    ("francion", "most_tricks", [francion(4, 4, 1)], {}, {"Bruno primaute": 1}),
    ("francion", "all_nine", [francion(9, 0, 0), francion(0, 8, 1)], {}, {"Anne": 1}),
    (
        "francion",
        "welche_won",
        [
            francion(4, 3, 2, welche="won", by="Bruno"),
            francion(4, 3, 2, welche="won", by="Bruno", hearts_led=True),
            francion(4, 3, 2, welche="taken", by="Bruno"),
        ],
        {},
        {"Bruno": 2},
    ),
    ("francion", "welche_taken", [francion(4, 3, 2, welche="taken", by="Chloé")], {}, {"Chloé": 1}),
    # Hidden it is nobody's. Anne's deal, her misdeal's deal again, then Bruno's.
    ("francion", "welche_turned", [MISDEAL, francion(4, 3, 2), francion(4, 3, 2, welche="turned")], {}, {"Bruno": 1}),
    ("francion", "bete", [francion(9, 0, 0), francion(5, 0, 4)], {}, {"Bruno": 2, "Chloé": 1}),
    # The second pot is 9 of the dealer and two bêtes of 9.
    ("francion", "bete_jetons", [francion(9, 0, 0), francion(5, 0, 4)], {}, {"Bruno": 9 + 27, "Chloé": 9}),
    ("francion", "bete", [points("Anne", 5), francion(9, 0, 0)], {}, {"Bruno": 1, "Chloé": 1}),
    ("francion", "bete_jetons", [points("Anne", 5), francion(9, 0, 0)], {}, {}),
    (
        "francion",
        "bete_jetons",
        [points("Anne", 5), francion(9, 0, 0)],
        {"last_bete": "carry"},
        {"Bruno": 9, "Chloé": 9},
    ),
    ("francion", "manche", [points("Anne", 5), francion(9, 0, 0), points("Chloé", 6)], {}, {"Anne": 1, "Chloé": 1}),
]


@pytest.mark.parametrize(("slug", "name", "deals", "rules", "worked"), FIGURES, ids=lambda told: str(told)[:20])
def test_a_figure_comes_to_what_was_worked_by_hand(
    slug: str, name: str, deals: list[dict[str, Any]], rules: dict[str, Any], worked: dict[str, int]
) -> None:
    standing = folded(slug, deals, rules)
    found: Counter[tuple[str, str]] = Counter()
    for row in standing.rows:
        for figure in games()[slug].figures(standing, row):
            if figure.name == name:
                found[figure.player, figure.part] += figure[3]
    expected = {}
    for told, count in worked.items():
        who, _, part = told.partition(" ")
        expected |= {(player, part): count for player in named(who, standing)}
    assert dict(found) == expected


# --- feats by hand: each one told, in the order of the rows --------------------------------------------------

FEATS: list[tuple[str, str, list[dict[str, Any]], dict[str, Any], list[tuple[int, str]]]] = [
    ("whist", "robre_margin", ROBRE_IN_THREE, {}, [(3, "ns")]),
    ("whist", "robre_margin", ROBRE_IN_THREE, {"robre_points": 4}, [(6, "ns")]),
    # 7 to 1, 10 to 1 and 10 to 0 in four deals; then 10 that were agreed on, and 7 and 4 in two deals.
    (
        "whist",
        "longest_robre",
        [whist(13), MISDEAL, points("ew", 1), whist(9), whist(13), whist(9), points("ew", 10), whist(0), whist(3)],
        {},
        [(4, "all"), (2, "all")],
    ),
    ("whist", "longest_robre", CALLED * 2, {}, [(2, "all")]),
    ("whist", "longest_robre", ROBRE_IN_THREE, {}, []),
    (
        "whist",
        "most_in_a_deal",
        [whist(9, "ew 4"), points("ns", 5), whist(8, "ns 3")],
        {},
        [(3, "ns"), (4, "ew"), (4, "ns")],
    ),
    ("short-whist", "robre_margin", TREBLE * 2, {}, [(8, "ns")]),
    ("short-whist", "robre_margin", THREE_ALL, {"robre_points": 1}, []),
    ("short-whist", "longest_robre", [*TREBLE, *SINGLE, *TREBLE], {}, [(2, "all")]),
    ("short-whist", "most_in_a_deal", [whist(8, "ew 3")], {}, [(2, "ns"), (2, "ew")]),
    (
        "joffre",
        "highest_contract_made",
        [joffre("Anne 7", 5, "ns", "ew"), joffre("Anne 8", 4, "ns", "ns"), joffre("Anne 8n", 5, "ns", "ew")],
        {},
        [(7, "Anne")],
    ),
    (
        "joffre",
        "highest_no_trump_made",
        [joffre("Anne 7", 5, "ns", "ew"), joffre("Anne 8n", 5, "ns", "ns"), joffre("Chloé 7n", 5, "ns", "ew")],
        {},
        [(7, "Chloé")],
    ),
    # Doubled at no trump; the −5 of a contract that failed is nothing to be told, nor is a nought.
    (
        "joffre",
        "most_in_a_deal",
        [joffre("Anne 7n", 5, "ns", "ew"), points("ew", 30), joffre("Anne 5", 1, "ew", "ns")],
        {},
        [(20, "ns"), (12, "ew")],
    ),
    (
        "joffre",
        "longest_partie",
        [joffre("Bruno 5", 3, "ew", "ns"), points("ns", 36), MISDEAL, joffre("Anne 6", 2, "ns", "ew")],
        {},
        [(2, "all")],
    ),
    ("joffre", "longest_partie", [joffre("Bruno 5", 3, "ew", "ns")], {}, []),
    ("joffre", "longest_partie", [points("ns", -41)], {"minus_target_loses": True}, []),
    ("quarante-de-rois", "best_clique", [cards(26, "Bruno kings 3"), cards(26)], {}, [(10, "Bruno")]),
    (
        "quarante-de-rois",
        "most_in_a_deal",
        [cards(26, "Bruno kings 3"), points("ew", 100), cards(48, "Anne kings 4")],
        {},
        [(26, "ns"), (22 + 10, "ew"), (48 + 40, "ns")],
    ),
    (
        "quarante-de-rois",
        "longest_partie",
        [cards(48, "Anne kings 4"), MISDEAL, cards(48), points("ns", 14)],
        {},
        [(2, "all")],
    ),
    # The last pot is 9 and Bruno's bête of 27; three tricks each, and primauté wins no jetons.
    (
        "francion",
        "largest_pot",
        [francion(9, 0, 0), francion(5, 0, 4), MISDEAL, francion(3, 3, 3)],
        {},
        [(9, "Anne"), (27, "Anne"), (36, "all")],
    ),
    # Doubled, since it was hidden before; turned up for Chloé, who deals third; and one that was taken.
    (
        "francion",
        "best_welche",
        [
            francion(4, 3, 2),
            francion(4, 3, 2, welche="won", by="Bruno"),
            francion(4, 3, 2, welche="turned"),
            francion(4, 3, 2, welche="taken", by="Anne"),
        ],
        {},
        [(2 * 8, "Bruno"), (2 * 4, "Chloé")],
    ),
    # 6 − 2 of Bruno, 12 of Chloé who has no point.
    ("francion", "manche_fiches", [points("Bruno", 2), points("Anne", 5), francion(9, 0, 0)], {}, [(4 + 12, "Anne")]),
    (
        "francion",
        "longest_manche",
        [francion(9, 0, 0), MISDEAL, points("Anne", 4), francion(9, 0, 0), francion(0, 9, 0), points("Bruno", 5)],
        {},
        [(2, "all"), (1, "all")],
    ),
    ("francion", "longest_manche", [points("Anne", 6)], {}, []),
]


@pytest.mark.parametrize(("slug", "name", "deals", "rules", "worked"), FEATS, ids=lambda told: str(told)[:20])
def test_a_feat_is_told_of_each_row_that_was_worked_by_hand(
    slug: str, name: str, deals: list[dict[str, Any]], rules: dict[str, Any], worked: list[tuple[int, str]]
) -> None:
    standing = folded(slug, deals, rules)
    found = [feat for row in standing.rows for feat in games()[slug].feats(standing, row) if feat.name == name]
    assert found == [Feat(name, amount, named(who, standing)) for amount, who in worked]


def test_every_figure_and_feat_of_every_game_is_worked_by_hand() -> None:
    declared = {(slug, name) for slug, game in games().items() for name in game.figure_names}
    assert {(slug, name) for slug, name, *_ in FIGURES} == declared
    declared = {(slug, name) for slug, game in games().items() for name in game.feat_names}
    assert {(slug, name) for slug, name, *_ in FEATS} == declared


# --- what holds of all that is told --------------------------------------------------------------------------

every_game = pytest.mark.parametrize("slug", sorted(games()))
law = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def told_of(game: Game, standing: Standing, row: Row) -> tuple[list[Figure], list[Feat]]:
    return list(game.figures(standing, row)), list(game.feats(standing, row))


@every_game
@law
@given(data=st.data())
def test_what_is_told_of_a_row_stays_the_same_when_the_sheet_goes_on(slug: str, data: st.DataObject) -> None:
    played = data.draw(strategies.sheets(slug))
    game, standing = games()[slug], strategies.opened(played)
    at_once = []
    for deal in played["deals"]:
        assert fold(game, standing, [deal]) is None
        at_once.append(told_of(game, standing, standing.rows[-1]))
    assert [told_of(game, standing, row) for row in standing.rows] == at_once


@every_game
@law
@given(data=st.data())
def test_all_that_is_told_is_declared_and_is_something_of_players_at_the_table(slug: str, data: st.DataObject) -> None:
    played = data.draw(strategies.sheets(slug))
    game, standing = games()[slug], strategies.opened(played)
    assert fold(game, standing, played["deals"]) is None
    for row in standing.rows:
        told, feats = told_of(game, standing, row)
        for player, name, part, count in told:
            assert name in game.figure_names
            assert player in standing.players
            assert count > 0
            assert_words(f"{slug}.figure.{name}")
            assert not part or part.isdecimal() or assert_words(f"{slug}.figure.{name}.{part}")
        for feat in feats:
            assert feat.name in game.feat_names
            assert feat.amount > 0
            assert feat.players
            assert set(feat.players) <= set(standing.players)


def assert_words(key: str) -> bool:
    return all(knows(language, key) for language in LANGUAGES) or pytest.fail(key)


@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_feat_is_said_with_its_amount(slug: str, language: str) -> None:
    for name in games()[slug].feat_names:
        for amount in (1, 7):
            assert str(amount) in say(language, f"{slug}.feat.{name}", count=amount)


def test_every_bid_at_no_trump_has_words() -> None:
    for bid in bids(1):
        if bid.no_trump:
            for name in ("contract_made", "contract_failed"):
                assert_words(f"joffre.figure.{name}.{bid.points}-no-trump")
