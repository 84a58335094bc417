"""The sheets in `tests/cases`, worked out by hand: a folder per game, each sheet with its expected statement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "cases"


def all_cases() -> dict[str, dict[str, Any]]:
    return {
        f"{path.parent.name}/{path.stem}": json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*/*.json"))
    }


def sheets(slug: str) -> list[dict[str, Any]]:
    """Return the valid sheets of a game."""
    return [case["sheet"] for name, case in all_cases().items() if name.startswith(f"{slug}/") and "expect" in case]
