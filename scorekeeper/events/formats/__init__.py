"""The installed formats. A package declares a format as an entry point in the group `scorekeeper.event_formats`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...entry_points import EntryPoint, find_entry_points
from ..schedule import Schedule, UnschedulableError

GROUP = "scorekeeper.event_formats"
_OURS = "scorekeeper"  # the distribution with the bundled formats
MIN_PLAYERS = 4
MAX_PLAYERS = 1_000  # 250 tables; all rounds of their schedule are made within seconds


class Format(NamedTuple):
    """A way to run an event.

    slug: its name in commands and message keys, and that of its entry point.
    build: returns the schedule of so many players and rounds, as many rounds as the format has where they are None.
        Raises UnschedulableError. The number of players is within our limits, that of rounds is at least 1.
    """

    slug: str
    build: Callable[[int, int | None], Schedule]

    def schedule(self, players: int, rounds: int | None = None) -> Schedule:
        """Return a schedule. Raises UnschedulableError."""
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise UnschedulableError("players", players=players, least=MIN_PLAYERS, most=MAX_PLAYERS)
        if rounds is not None and rounds < 1:
            raise UnschedulableError("no-rounds", rounds=rounds)
        return self.build(players, rounds)


def format_slugs() -> list[str]:
    """Return the slugs of the declared formats, sorted."""
    return sorted({entry_point.name for entry_point in find_entry_points(GROUP)})


def find_format(slug: str) -> Format | None:
    """Import a format and return it; None if there is none of that name. Of two, a bundled one comes first."""
    declared = [entry_point for entry_point in find_entry_points(GROUP) if entry_point.name == slug]
    if not declared:
        return None
    found = min(declared, key=_rank).load()
    return found if isinstance(found, Format) and found.slug == slug else None


def _rank(entry_point: EntryPoint) -> tuple[bool, str]:
    return entry_point.distribution != _OURS, entry_point.distribution
