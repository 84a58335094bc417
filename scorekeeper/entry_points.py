"""The games and event formats that the installed packages declare as entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

_OURS = "scorekeeper"  # the distribution with the bundled games and formats


def find_entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, the bundled ones first: of two with the same name, the first one counts."""
    declared = entry_points(group=group)
    return sorted(declared, key=lambda point: (not is_bundled(point), find_distribution(point), point.name))


def find_distribution(entry_point: EntryPoint) -> str:
    """Return the name of the distribution that declares an entry point."""
    return entry_point.dist.name if entry_point.dist else ""


def is_bundled(entry_point: EntryPoint) -> bool:
    """Return whether an entry point comes with Scorekeeper."""
    return find_distribution(entry_point) == _OURS
