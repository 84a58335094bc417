"""Replaying deals: what a game's manches leave behind, and where the problems of a deal are found."""

from __future__ import annotations

from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.sheet import score

from ..games.played import PLAYERS, fields_refused, points, scored, sheet

MANCHE = {"adjustment": {"to": "Anne", "points": 6}}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_manche_that_has_ended_is_counted(count: int) -> None:
    game = games()["francion"]
    standing = game.open(PLAYERS, "Anne", game.usual_options)
    assert fold(game, standing, [MANCHE] * count) is None
    assert standing.manches == count


def test_a_statement_names_its_format_and_its_game() -> None:
    statement = scored("whist", [])
    assert (statement["format"], statement["game"]) == ("scorekeeper-statement/1", "whist")


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


@pytest.mark.parametrize("game", [slug for slug, game in games().items() if game.in_sides])
def test_points_for_a_player_of_a_game_with_sides_are_refused_by_naming_sides(game: str) -> None:
    refusal = score(sheet(game, [points("Anne", 1)]), games())
    assert isinstance(refusal, Refusal)
    assert [problem.key for problem in refusal.problems] == ["side"]


@pytest.mark.parametrize(
    ("box", "key"), [({"fiches": 5, "jetons": 10}, "multiple"), ({"fiches": -1, "jetons": 9}, "whole-number")]
)
def test_a_number_says_whether_it_is_out_of_range_or_no_multiple(box: dict[str, int], key: str) -> None:
    refusal = score(sheet("francion", [], box=box), games())
    assert isinstance(refusal, Refusal)
    assert [problem.key for problem in refusal.problems] == [key]


def test_a_welche_won_without_a_trick_is_found_beside_another_problem() -> None:
    deal = {"tricks": {"Anne": 9}, "welche": {"event": "won", "player": "Bruno"}, "hearts": 1}
    assert fields_refused("francion", [deal]) == (1, ["hearts", "welche.player"])
