"""What stands in for a game that is not installed or fails, and what a game's own failures become."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.failing import GAME_CODE, GAME_FAILS, GameFailedError, Interrupted, log_failure
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.missing import COUNTERS, is_installed, is_missing, missing_game, rename_unread
from scorekeeper.scoring.problems import Problem

from ..games.played import MISDEAL, PLAYERS, points


def test_the_stand_in_takes_sides_and_players_and_is_installed_if_the_game_itself_failed() -> None:
    missing, failing = missing_game("belote"), missing_game("belote", "ZeroDivisionError")
    for game, installed in ((missing, False), (failing, True)):
        assert is_missing(game)
        assert is_installed(game) is installed
        assert set(game.seats(PLAYERS).parties) == {*PLAYERS, "ns", "ew"}
        assert game.unit_of_value("pebble") == COUNTERS
    (installed_game, *_) = games().values()
    assert is_installed(installed_game)
    assert not is_missing(installed_game)


def test_players_are_renamed_wherever_they_stand_in_facts_that_nobody_can_read_but_not_in_words() -> None:
    facts = {"Anne": 3, "taker": "Bruno", "order": ["Anne", {"to": "Bruno"}], "reason": "Anne", "points": 5}
    renamed = {"1": 3, "taker": "2", "order": ["1", {"to": "2"}], "reason": "Anne", "points": 5}
    assert rename_unread(facts, {"Anne": "1", "Bruno": "2"}) == renamed


def test_a_deal_at_which_the_games_own_code_fails_is_refused_with_its_number() -> None:
    def fail(*_: Any) -> Any:
        raise LookupError("no such card")

    (game, *_) = [game for game in games().values() if game.in_sides]
    broken = replace(game, close=fail)
    standing = broken.open(PLAYERS, "Anne", broken.options())
    refusal = fold(broken, standing, [MISDEAL, points("ns", 1)])
    assert refusal is not None
    assert refusal.first == Problem("game", GAME_FAILS, {"game": game.slug, "why": "LookupError: no such card"})
    assert (refusal.deal, standing.rows) == (1, [])


def test_whatever_a_games_code_raises_is_its_failure_but_ctrl_c_is_not() -> None:
    for raised in (SystemExit(1), KeyboardInterrupt(), ValueError("x")):
        with pytest.raises(GameFailedError), GAME_CODE:
            raise raised
    with pytest.raises(Interrupted), GAME_CODE:
        raise Interrupted


def test_a_failure_is_logged_with_the_game_and_the_table(caplog: pytest.LogCaptureFixture) -> None:
    log_failure("belote", 7, GameFailedError("LookupError: no such card"))
    assert caplog.messages == ["The game belote fails at table 7: LookupError: no such card"]
    assert GameFailedError("x").problem("belote").key == GAME_FAILS
