"""The games and event formats that the installed packages declare as entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

_OURS = "scorekeeper"  # the distribution with the bundled games and formats


@cache  # reading the metadata of all packages takes a fifth of the time of a page
def find_entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, the bundled ones first: of two with the same name, the first one counts."""
    declared = entry_points(group=group)
    return tuple(
        sorted(declared, key=lambda point: (find_distribution(point) != _OURS, find_distribution(point), point.name))
    )


def find_distribution(entry_point: EntryPoint) -> str:
    """Return the name of the distribution that declares an entry point."""
    return entry_point.dist.name if entry_point.dist else ""
