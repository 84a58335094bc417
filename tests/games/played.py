"""What the clause-by-clause tests of the four-handed games say alike: a sheet of theirs, and what became of it."""

from __future__ import annotations

from typing import Any

from scorekeeper.games import games
from scorekeeper.scoring.remarks import Refusal
from scorekeeper.scoring.statement import score

PLAYERS = ("Anne", "Bruno", "Chloé", "David")
SIDES = ("ns", "ew")
MISDEAL = {"misdeal": True}


def sheet(game: str, deals: list[dict[str, Any]], **house_rules: Any) -> dict[str, Any]:
    return {
        "format": "scorekeeper-sheet/1",
        "game": game,
        "players": list(PLAYERS),
        "house_rules": house_rules,
        "deals": deals,
    }


def scored(game: str, deals: list[dict[str, Any]], **house_rules: Any) -> dict[str, Any]:
    statement = score(sheet(game, deals, **house_rules), games())
    assert not isinstance(statement, Refusal), statement
    return statement


def fields_refused(game: str, deals: list[dict[str, Any]], **house_rules: Any) -> tuple[int | None, list[str]]:
    refusal = score(sheet(game, deals, **house_rules), games())
    assert isinstance(refusal, Refusal)
    return refusal.deal, [remark.field for remark in refusal.remarks]


def points(to: str, number: int) -> dict[str, Any]:
    return {"adjustment": {"to": to, "points": number}}


def at(ns: int, ew: int) -> list[dict[str, Any]]:
    """Adjustments that bring the sides to these scores."""
    return [points(side, number) for side, number in zip(SIDES, (ns, ew), strict=True) if number]


def both(scores: dict[str, int]) -> tuple[int, int]:
    return scores["ns"], scores["ew"]
