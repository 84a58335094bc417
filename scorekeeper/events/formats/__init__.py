"""The formats: eight ways to run an event."""

from __future__ import annotations

from . import individual, military, pairs, progressive
from .base import MIN_PLAYERS, Format

__all__ = ["FORMATS", "MIN_PLAYERS", "Format"]

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
        pairs.SWISS,
    )
}
