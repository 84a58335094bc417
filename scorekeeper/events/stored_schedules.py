"""Schedules that were found or published. Each is stored as its first rounds, from which all others follow."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from .schedule import UnschedulableError

LEAST, MOST = 4, 200  # players


class NotStoredError(UnschedulableError):
    """There is no schedule for so many: rounds are drawn from those so far."""

    def __init__(self, players: int) -> None:
        super().__init__("players", players=players, least=LEAST, most=MOST)


def find_stored(format_slug: str, number: int, players: int) -> Any:
    """Return what is stored for this number. Raises NotStoredError."""
    found = _read().get(format_slug, {}).get(str(number))
    if found is None:
        raise NotStoredError(players)
    return found


def parse_tables(text: str) -> list[list[int]]:
    """Return the numbers of each table."""
    return [[int(number) for number in table.split("-")] for table in text.split()]


@cache
def _read() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(
        resources.files(__package__).joinpath("schedules.json").read_text(encoding="utf-8")
    )
    return found
