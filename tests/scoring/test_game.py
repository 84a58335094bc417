"""Replaying deals: what manches leave behind, what rows are called, and where the problems of a deal are found."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.standing import name_rows

from ..support.sheets import PLAYERS, refused_deals

MANCHE = {"adjustment": {"to": "Anne", "points": 6}}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_manche_that_has_ended_is_counted(count: int) -> None:
    game = games()["francion"]
    standing = game.open(PLAYERS, "Anne", game.usual_options)
    assert fold(game, standing, [MANCHE] * count) is None
    assert standing.manches == count


@pytest.mark.parametrize(
    ("deal", "fields"),
    [
        ({"tricks": {"ns": 7}, "hearts": 1}, ["hearts"]),
        ({"tricks": {"ns": 7}, "honours": {"side": "ns", "count": 3, "suit": "hearts"}}, ["honours.suit"]),
        ({"tricks": {"ns": 7}, "honours": {"side": "ns"}}, ["honours.count"]),
        ({"tricks": {"ns": 7}, "called": "ns", "hearts": 1}, ["hearts", "called", "called"]),
    ],
)
def test_every_problem_names_the_path_of_its_key(deal: dict[str, Any], fields: list[str]) -> None:
    assert refused_deals("whist", [deal]) == (1, fields)


def test_a_welche_won_without_a_trick_is_found_beside_another_problem() -> None:
    deal = {"tricks": {"Anne": 9}, "welche": {"event": "won", "player": "Bruno"}, "hearts": 1}
    assert refused_deals("francion", [deal]) == (1, ["hearts", "welche.player"])


SHEET: list[dict[str, Any]] = [
    {"misdeal": True},
    {"substitution": {"out": "Anne", "in": "Emil"}},
    {"adjustment": {}},
    {"tricks": {"ns": 7}},
]


def test_only_deals_and_misdeals_have_numbers() -> None:
    assert [name.deal_number for name in name_rows(SHEET)] == [1, None, None, 2]
    assert [name.deal_count for name in name_rows(SHEET)] == [1, 1, 1, 2]


def test_an_adjustment_needs_no_explanation() -> None:
    game = games()["whist"]
    standing = game.open(PLAYERS, "Anne", game.usual_options)
    assert fold(game, standing, [{"adjustment": {"to": "ns", "points": 2}}]) is None
    (row,) = standing.rows
    assert [game.explain_entry(standing, row, entry) for entry in row.entries] == [{}]
