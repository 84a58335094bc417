"""The formats: eight ways to run an event."""

from __future__ import annotations

from . import military, progressive, scheduled
from .base import MIN_PLAYERS, Format

__all__ = ["FORMATS", "MIN_PLAYERS", "Format"]

_ALL = (
    scheduled.HOWELL,
    scheduled.INDIVIDUAL,
    military.FORMAT,
    scheduled.MITCHELL,
    progressive.FORMAT,
    progressive.PAIRS,
    scheduled.ROUND_ROBIN,
    scheduled.SWISS,
)
FORMATS = {each.slug: each for each in _ALL}
