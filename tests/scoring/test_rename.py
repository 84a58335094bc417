"""Renaming players: every player's name changes, but no side, other string or number."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring import schema
from scorekeeper.scoring.adjustments import Misdeal
from scorekeeper.scoring.rename import rename

NAMES = ("Anne", "Bruno", "Chloé", "David")
SEATS = dict(zip(NAMES, "1234", strict=True))

FRANCION = {"tricks": {"Anne": 5, "Bruno": 4, "Chloé": 0}, "welche": {"event": "won", "player": "Bruno"}}
CONTRACT = {"player": "David", "points": 8, "no_trump": True}
CARDS = {"tricks": {"ns": 5}, "five_of_hearts": "ns", "three_of_spades": "ew"}


@pytest.mark.parametrize(
    ("slug", "facts", "renamed"),
    [
        ("francion", FRANCION, {"tricks": {"1": 5, "2": 4, "3": 0}, "welche": {"event": "won", "player": "2"}}),
        (
            "francion",
            {"tricks": {"Anne": 9}, "welche": {"event": "hidden"}},
            {"tricks": {"1": 9}, "welche": {"event": "hidden"}},
        ),
        ("whist", {"tricks": {"ew": 7}, "honours": {"side": "ew", "count": 4}}, None),
        ("whist", {"called": "ns"}, None),
        ("short-whist", {"tricks": {"ns": 13}}, None),
        (
            "quarante-de-rois",
            {"card_points": {"ns": 24}, "clique": {"player": "Chloé", "rank": "kings", "count": 4}},
            {"card_points": {"ns": 24}, "clique": {"player": "3", "rank": "kings", "count": 4}},
        ),
        ("quarante-de-rois", {"card_points": {"ew": 12}}, None),
        (
            "joffre",
            CARDS
            | {
                "contract": CONTRACT,
                "auction": [["Bruno", "pass"], ["Chloé", 7], ["Anne", 7, True], ["David", 8, True]],
            },
            CARDS
            | {
                "contract": CONTRACT | {"player": "4"},
                "auction": [["2", "pass", False], ["3", 7, False], ["1", 7, True], ["4", 8, True]],
            },
        ),
        ("joffre", CARDS | {"contract": CONTRACT}, CARDS | {"contract": CONTRACT | {"player": "4"}}),
    ],
)
def test_every_name_in_a_deal_is_replaced(slug: str, facts: dict[str, Any], renamed: dict[str, Any] | None) -> None:
    """`renamed` is None for a deal without names, which must not change."""
    game = games()[slug]
    problems: list[Any] = []
    fact = schema.load(game.deal, facts, game.seats(NAMES), problems)
    assert not problems
    assert schema.dump(rename(fact, SEATS)) == (facts if renamed is None else renamed)


@pytest.mark.parametrize(
    ("agreed", "renamed"),
    [
        ({"to": "Anne", "points": -3, "reason": "Anne"}, {"to": "1", "points": -3, "reason": "Anne"}),
        ({"to": "ns", "points": 2}, {"to": "ns", "points": 2}),
        ({"from": "David", "to": "Chloé", "fiches": 4}, {"from": "4", "to": "3", "fiches": 4}),
    ],
)
def test_an_adjustments_players_are_renamed_and_its_reason_is_not(
    agreed: dict[str, Any], renamed: dict[str, Any]
) -> None:
    fact = schema.load(games()["whist"].agreement, {"adjustment": agreed}, games()["whist"].seats(NAMES), [])
    assert schema.dump(rename(fact, SEATS)) == {"adjustment": renamed}


def test_a_misdeal_names_nobody() -> None:
    assert rename(Misdeal(True), SEATS) == Misdeal(True)


def test_renaming_does_not_change_the_original() -> None:
    game = games()["francion"]
    fact = schema.load(game.deal, FRANCION, game.seats(NAMES), [])
    rename(fact, SEATS)
    assert schema.dump(fact) == FRANCION
