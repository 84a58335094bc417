"""The games' cases: sheets with their expected statements, worked out by hand, in each game's own folder."""

from __future__ import annotations

import json
from typing import Any

from scorekeeper.games import find_folder, games


def all_cases() -> dict[str, dict[str, Any]]:
    return {
        f"{slug}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
        for slug, game in games().items()
        for path in sorted((find_folder(game) / "cases").glob("*.json"))
    }


def sheets(slug: str) -> list[dict[str, Any]]:
    """Return the valid sheets of a game."""
    return [case["sheet"] for name, case in all_cases().items() if name.startswith(f"{slug}/") and "expect" in case]
