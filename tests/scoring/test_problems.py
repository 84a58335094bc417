"""The messages of a refusal: what was found and what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import announcement_problems
from scorekeeper.scoring.problems import Refusal, abbreviate_key, abbreviate_value
from scorekeeper.scoring.sheet import score

from ..support.sheets import fields_of, in_words

FOUR = ["Anne", "Bruno", "Chloé", "David"]
EVERYBODY = "Anne, Bruno, Chloé, or David"
JOFFRE = {
    "contract": {"player": "Anne", "points": 6},
    "tricks": {"ns": 5},
    "five_of_hearts": "ns",
    "three_of_spades": "ew",
}
AUCTION = [["Bruno", "pass"], ["Chloé", "pass"], ["David", "pass"], ["Anne", 6]]


def sheet(slug: str, *deals: Any, **head: Any) -> dict[str, Any]:
    players = FOUR if slug not in games() or games()[slug].in_sides else FOUR[:3]
    return {"format": "scorekeeper-sheet/1", "game": slug, "players": players, "deals": list(deals)} | head


def said(raw: Any) -> dict[str, str]:
    """Return the English messages of a refusal by field."""
    refusal = score(raw, games())
    assert isinstance(refusal, Refusal)
    fields_of(refusal.problems)
    return {problem.field: in_words(problem) for problem in refusal.problems}


def adjustment(**fields: Any) -> dict[str, Any]:
    return {"adjustment": {key.rstrip("_"): value for key, value in fields.items()}}


def points(to: str, number: int) -> dict[str, Any]:
    return adjustment(to=to, points=number)


@pytest.mark.parametrize(
    ("raw", "field", "words"),
    [
        # The head
        ([], "format", ["scorekeeper-sheet/1"]),
        (sheet("whist", format="x"), "format", ["“x”", "scorekeeper-sheet/1"]),
        (sheet("whist", nonsense=1), "nonsense", ["format, game, players, dealer, house_rules, deals, value, title"]),
        (sheet("bridge"), "game", ["“bridge”", "Choose", *games()]),
        (sheet("whist", players="Anne"), "players", ["“Anne”", "order of turn"]),
        (sheet("whist", players=[*FOUR[:3], " "]), "players", ["blank"]),
        (sheet("whist", players=[*FOUR[:3], "Anne"]), "players", ["Anne", "twice"]),
        (sheet("whist", players=FOUR[:3]), "players", ["3", "for 4"]),
        (sheet("francion", players=FOUR[:2]), "players", ["2", "3, 4, or 5"]),
        (sheet("whist", dealer="Zoé"), "dealer", ["Zoé", EVERYBODY]),
        (sheet("whist", deals={}), "deals", ["{} is not a list"]),
        (sheet("whist", house_rules=7), "house_rules", ["7 is not a JSON object"]),
        (sheet("whist", house_rules={"robre_points": 3}), "house_rules.robre_points", ["3", "1, 2, 4, or 6"]),
        (sheet("whist", title=7), "title", ["7 is not valid text"]),
        (sheet("whist", played_on="2026-13-01"), "played_on", ["2026-13-01", "year, month and day"]),
        (sheet("whist", value=7), "value", ["7 is not a JSON object"]),
        (sheet("whist", value={"x": 1}), "value.x", ["currency, unit, or amount"]),
        (sheet("whist", value={"currency": "eur", "unit": "x", "amount": 1}), "value.currency", ["“eur”", "capital"]),
        (sheet("whist", value={"currency": "EUR", "unit": "jeton", "amount": "1"}), "value.unit", ["“jeton”", "fiche"]),
        (sheet("francion", value={"currency": "EUR", "unit": 1, "amount": "1"}), "value.unit", ["1", "jeton or fiche"]),
        (sheet("whist", value={"currency": "EUR", "unit": "fiche", "amount": "0"}), "value.amount", ["“0”", "above 0"]),
        # Deals of any game
        (sheet("whist", 7), "deals", ["not a deal"]),
        (sheet("whist", {}), "tricks", ["missing"]),
        (sheet("whist", {"tricks": {"ns": 7}, "x": 1}), "x", ["tricks, honours, or called"]),
        (sheet("whist", {"tricks": 7}), "tricks", ["North–South or East–West", "from 0 to 13"]),
        (sheet("whist", {"tricks": {"ns": 14}}), "tricks.ns", ["14", "from 0 to 13"]),
        (sheet("whist", {"tricks": {"Anne": 7}}), "tricks.Anne", ["“Anne” is not a side", "North–South or East–West"]),
        (sheet("whist", {"tricks": {"ns": 7}, "called": "Anne"}), "called", ["Anne", "North–South or East–West"]),
        (
            sheet("whist", {"tricks": {"ns": 7}, "honours": {"side": "ns", "count": 2}}),
            "honours.count",
            ["2", "3 or 4"],
        ),
        (sheet("whist", {"tricks": {"ns": 7, "ew": 7}}), "tricks", ["add up to 14", "must make 13"]),
        (sheet("whist", {"misdeal": False}), "misdeal", ["only be true"]),
        (sheet("whist", {"misdeal": 1}), "misdeal", ["1 is not true or false"]),
        (sheet("whist", {"dealer": "Zoé", "misdeal": True}), "dealer", ["Zoé", EVERYBODY]),
        # Adjustments
        (sheet("whist", adjustment(to="ns")), "adjustment", ["points or fiches"]),
        (sheet("francion", adjustment(to="Anne")), "adjustment", ["points, jetons, or fiches"]),
        (
            sheet("whist", adjustment(from_="Anne", to="ns", points=2)),
            "adjustment.from",
            ["not come from another player"],
        ),
        (sheet("whist", points("Anne", 2)), "adjustment.to", ["Anne is not a side", "North–South or East–West"]),
        (sheet("francion", adjustment(to="ns", points=2)), "adjustment.to", ["ns", "Anne, Bruno, or Chloé"]),
        (sheet("whist", points("ns", 0)), "adjustment.points", ["0 points"]),
        (sheet("whist", points("ew", 3), points("ew", -4)), "adjustment.points", ["3", "East–West"]),
        (sheet("whist", points("ns", 10**9 + 1)), "adjustment.points", ["from −1,000,000,000 to 1,000,000,000"]),
        (sheet("whist", adjustment(from_="Anne", to="Bruno", jetons=1)), "adjustment.jetons", ["fiches"]),
        (sheet("whist", adjustment(from_="Anne", to="Bruno", fiches=0)), "adjustment.fiches", ["from 1 to 1,000,"]),
        (sheet("francion", adjustment(from_="Anne", to="Bruno", jetons=0)), "adjustment.jetons", ["from 1 to 1,0"]),
        (sheet("whist", adjustment(from_="Anne", to="ns", fiches=1)), "adjustment.to", ["ns does not play", EVERYBODY]),
        (sheet("whist", adjustment(to="Anne", fiches=1)), "adjustment.from", ["missing"]),
        (sheet("whist", adjustment(from_="Anne", to="Anne", fiches=1)), "adjustment.to", ["pay themselves"]),
        # Whist
        (sheet("whist", points("ns", 7), {"called": "ns"}), "called", ["North–South", "7", "8"]),
        # Francion
        (
            sheet("francion", {"tricks": {"Anne": 8}, "welche": {"event": "hidden"}}),
            "tricks",
            ["add up to 8", "make 9"],
        ),
        (
            sheet("francion", {"tricks": 7, "welche": {"event": "hidden"}}),
            "tricks",
            ["Enter one from 0 to 9 for Anne, Bruno, or Chloé"],
        ),
        (
            sheet("francion", {"tricks": {"Zoé": 9}, "welche": {"event": "hidden"}}),
            "tricks.Zoé",
            ["“Zoé” does not play", "Anne, Bruno, or Chloé"],
        ),
        (
            sheet("francion", {"tricks": {"Anne": 9}, "welche": {"event": "won"}}),
            "welche.player",
            ["Anne, Bruno, or Chloé"],
        ),
        (
            sheet("francion", {"tricks": {"Anne": 9}, "welche": {"event": "won", "player": "Bruno"}}),
            "welche.player",
            ["Bruno"],
        ),
        (
            sheet("francion", {"tricks": {"Anne": 9}, "welche": {"event": "taken", "player": "Anne"}}),
            "welche.player",
            ["Anne"],
        ),
        (
            sheet("francion", house_rules={"box": {"fiches": 1, "jetons": 10}}),
            "house_rules.box.jetons",
            ["10", "multiple of 9", "from 0"],
        ),
        # Quarante de rois
        (sheet("quarante-de-rois", {"card_points": {"ns": 46}}), "card_points.ns", ["46"]),
        (sheet("quarante-de-rois", {"card_points": {"ew": 49}}), "card_points.ew", ["49", "from 0 to 48"]),
        (sheet("quarante-de-rois", house_rules={"target": 0}), "house_rules.target", ["0", "from 1 to 1,000,000,000"]),
        (sheet("quarante-de-rois", house_rules={"stake": -1}), "house_rules.stake", ["-1", "from 0 to 1,000,000,000"]),
        # Joffre
        (
            sheet("joffre", JOFFRE | {"contract": {"player": "Anne", "points": 4}}),
            "contract.points",
            ["4 is too low", "table is 5"],
        ),
        (
            sheet("joffre", JOFFRE | {"contract": {"player": "Anne", "points": 13}}),
            "contract.points",
            ["13", "from 1 to 12"],
        ),
        (sheet("joffre", JOFFRE | {"tricks": {"ew": 0}}), "three_of_spades", ["East–West"]),
        (sheet("joffre", JOFFRE | {"tricks": {"ns": 0}}), "five_of_hearts", ["North–South"]),
        (sheet("joffre", JOFFRE | {"tricks": {"ns": 9}}), "tricks.ns", ["9", "from 0 to 8"]),
        (sheet("joffre", JOFFRE | {"tricks": {"ns": 3, "ew": 4}}), "tricks", ["add up to 7", "make 8"]),
        (sheet("joffre", JOFFRE | {"auction": "x"}), "auction", ["“x” is not a list"]),
        (sheet("joffre", JOFFRE | {"auction": [["Anne"]]}), "auction", ['["Anne"]', "player, says, no_trump"]),
        (sheet("joffre", JOFFRE | {"auction": [["Bruno", "no"]]}), "auction", ["“no”", "from 1 to 12"]),
        (sheet("joffre", JOFFRE | {"auction": AUCTION[:1]}), "auction", ["this order: Bruno, Chloé, David, and Anne"]),
        (
            sheet("joffre", JOFFRE | {"auction": [["Bruno", "pass", True], *AUCTION[1:]]}),
            "auction",
            ["A pass has no “no trump”"],
        ),
        (sheet("joffre", JOFFRE | {"auction": [*AUCTION[:3], ["Anne", "pass"]]}), "auction", ["Anne deals", "at 5"]),
        (sheet("joffre", JOFFRE | {"auction": AUCTION}), "auction", ["Anne deals", "at 5"]),
        (
            sheet("joffre", JOFFRE | {"auction": [["Bruno", 7], *AUCTION[1:3], ["Anne", "pass"]]}),
            "auction",
            ["Bruno bid highest"],
        ),
    ],
)
def test_a_refusal_names_the_found_and_the_expected_value(raw: Any, field: str, words: list[str]) -> None:
    sentence = said(raw)[field]
    for part in words:
        assert part in sentence


def test_deals_after_the_end_of_a_partie_are_refused() -> None:
    raw = sheet("quarante-de-rois", points("ns", 200), {"card_points": {"ns": 24}})
    assert "ended with the deal before" in said(raw)["deals"]


# --- announcements -------------------------------------------------------------------------------------------


def announced(slug: str, **facts: Any) -> list[str]:
    game = games()[slug]
    players = tuple(FOUR[: game.player_counts[0]])
    return fields_of(announcement_problems(game, game.open(players, "Anne", game.usual_options), facts))


def test_a_contract_may_be_announced_before_the_deal_is_played() -> None:
    assert announced("joffre", contract={"player": "Anne", "points": 7}) == []
    assert announced("joffre", contract={"player": "Bruno", "points": 5}, auction=[["Bruno", 5], *AUCTION[1:3]]) != []


def test_an_announcement_has_its_facts_only() -> None:
    assert announced("joffre") == ["contract"]
    assert announced("joffre", contract=7) == ["contract"]
    assert announced("joffre", contract={"player": "Anne", "points": 7}, tricks={"ns": 4}) == ["tricks"]
    assert announced("joffre", contract={"player": "Anne", "points": 4}) == ["contract.points"]


# --- abbreviated values --------------------------------------------------------------------------------------


def test_a_value_without_a_short_form_is_shown_as_dots() -> None:
    tower: Any = []
    for _ in range(200_000):
        tower = [tower]
    assert abbreviate_value(tower) == "…"


def test_a_key_is_shown_as_it_is_up_to_forty_characters() -> None:
    assert abbreviate_key("x" * 40) == "x" * 40
    assert abbreviate_key("x" * 41) == '"' + "x" * 38 + "…"


def test_half_a_surrogate_pair_in_a_value_is_escaped_and_other_text_is_not() -> None:
    assert abbreviate_value("é\ud800") == '"é\\ud800"'
    assert abbreviate_key("Chloé\udfff") == "Chloé\\udfff"
