"""Helpers of the tests of the four-handed games: sheets, their statements and their refusals."""

from __future__ import annotations

from typing import Any

from .. import sheets

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
    return sheets.scored(sheet(game, deals, **house_rules))


def fields_refused(game: str, deals: list[dict[str, Any]], **house_rules: Any) -> tuple[int | None, list[str]]:
    return sheets.refused(sheet(game, deals, **house_rules))


def points(to: str, number: int) -> dict[str, Any]:
    return {"adjustment": {"to": to, "points": number}}


def at(ns: int, ew: int) -> list[dict[str, Any]]:
    """Return adjustments that bring the sides to these scores."""
    return [points(side, number) for side, number in zip(SIDES, (ns, ew), strict=True) if number]
