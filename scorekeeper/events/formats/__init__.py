"""The installed formats. A package declares a format as an entry point in the group `scorekeeper.event_formats`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...entry_points import EntryPoint, find_entry_points
from ...scoring.problems import abbreviate_key
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
            raise UnschedulableError("rounds", rounds=rounds)
        return self.build(players, rounds)


def limit_rounds(players: int, rounds: int | None, most: int) -> int:
    """Return how many rounds to schedule: those that are wanted, or as many as there are.

    Raises:
        UnschedulableError: there are fewer.
    """
    if rounds is not None and rounds > most:
        raise UnschedulableError("too-many-rounds", players=players, most=most, rounds=rounds)
    return most if rounds is None else rounds


def format_slugs() -> list[str]:
    """Return the slugs of the declared formats, sorted."""
    return sorted({entry_point.name for entry_point in find_entry_points(GROUP)})


def find_format(slug: str) -> Format:
    """Import a format and return it. Of two with the same slug a bundled one comes first. Raises UnschedulableError."""
    declared = [entry_point for entry_point in find_entry_points(GROUP) if entry_point.name == slug]
    if not declared:
        raise UnschedulableError("unknown-format", format=abbreviate_key(slug), formats=tuple(format_slugs()))
    entry_point = min(declared, key=_rank)
    try:
        found = entry_point.load()
    except (Exception, SystemExit) as error:  # whatever its code raises, it is not an error of ours
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise UnschedulableError("unusable-format", format=slug, reason=reason) from error
    if not isinstance(found, Format) or found.slug != slug:
        reason = f"{entry_point.value} must name a Format with this slug"
        raise UnschedulableError("unusable-format", format=slug, reason=reason)
    return found


def _rank(entry_point: EntryPoint) -> tuple[bool, str]:
    return entry_point.distribution != _OURS, entry_point.distribution
