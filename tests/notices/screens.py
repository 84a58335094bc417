"""The page of notices to check."""

from __future__ import annotations

SCREENS = [("notices", "circle")]


def add(*_: object) -> dict[str, str]:
    return {}
