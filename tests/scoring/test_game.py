"""Replaying deals: what a game's manches leave behind, and where the problems of a deal are found."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold

from ..games.played import PLAYERS, fields_refused, scored

MANCHE = {"adjustment": {"to": "Anne", "points": 6}}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_manche_that_has_ended_is_counted(count: int) -> None:
    game = games()["francion"]
    standing = game.open(PLAYERS, "Anne", game.options())
    assert fold(game, standing, [MANCHE] * count) is None
    assert standing.manches == count


def test_a_statement_names_its_format() -> None:
    assert scored("whist", [])["format"] == "scorekeeper-statement/1"


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
    assert fields_refused("whist", [deal]) == (1, fields)
