"""Score sheets that must be valid, or that must be refused."""

from __future__ import annotations

from typing import Any

from scorekeeper.games import games
from scorekeeper.scoring.game import AnyGame
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.sheet import score

from .problems import fields_of


def scored(raw: Any, *more_games: AnyGame) -> dict[str, Any]:
    """Return the statement of a sheet that must be valid."""
    statement = score(raw, {**games(), **{game.slug: game for game in more_games}})
    assert not isinstance(statement, Refusal), statement
    return statement


def refused(raw: Any, *more_games: AnyGame) -> tuple[int | None, list[str]]:
    """Return the refused deal's number and the fields with problems, of a sheet that must be invalid."""
    refusal = score(raw, {**games(), **{game.slug: game for game in more_games}})
    assert isinstance(refusal, Refusal), refusal
    return refusal.deal, fields_of(refusal)
