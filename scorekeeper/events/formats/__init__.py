"""The formats: eight ways to run an event."""

from __future__ import annotations

from ..drawing import UnschedulableError
from . import individual, military, pairs, progressive, swiss
from .base import MIN_PLAYERS, Format

__all__ = ["FORMATS", "MIN_PLAYERS", "Format", "find_format", "format_slugs"]

FORMATS = {
    each.slug: each
    for each in (
        pairs.HOWELL,
        individual.FORMAT,
        military.FORMAT,
        pairs.MITCHELL,
        progressive.FORMAT,
        progressive.PAIRS,
        pairs.ROUND_ROBIN,
        swiss.FORMAT,
    )
}


def format_slugs() -> list[str]:
    return [*FORMATS]


def find_format(slug: str) -> Format:
    """Return a format. Raises UnschedulableError."""
    if slug not in FORMATS:
        raise UnschedulableError("unknown-format", format=slug[:40], formats=tuple(FORMATS))
    return FORMATS[slug]
