"""What games say for tests, in their packages: deals and the taps that record them, and cases worked out by hand."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from scorekeeper.games import find_folder, games
from scorekeeper.scoring import schema


@cache
def _data_of(slug: str) -> dict[str, Any]:
    path = find_folder(games()[slug]) / "tests.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def data(part: str) -> dict[str, Any]:
    """Return a part of the data by game, of the games that have it."""
    return {slug: _data_of(slug)[part] for slug in games() if part in _data_of(slug)}


def needed_rules(slug: str) -> dict[str, Any]:
    """Return the house rules without which a sheet of a game is none: none, unless the game has to be described."""
    game = games().get(slug)  # None of one that a test makes up
    return {"house_rules": schema.dump(game.usual_options)} if game is not None and game.house_rules.examples else {}


def variants_of(slug: str) -> list[str]:
    """Return a game and its variants."""
    return [slug, *(other for other, game in games().items() if game.variant_of == slug)]


def all_cases() -> dict[str, dict[str, Any]]:
    return {
        f"{slug}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
        for slug, game in games().items()
        for path in sorted((find_folder(game) / "cases").glob("*.json"))
    }


def sheets(slug: str) -> list[dict[str, Any]]:
    """Return the valid sheets of a game."""
    return [case["sheet"] for name, case in all_cases().items() if name.startswith(f"{slug}/") and "expect" in case]
