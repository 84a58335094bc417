"""Statistics of Short Whist: those of Whist without calls, and bumpers."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import ROBRE, Figure, Row
from ..whist.rules import MANCHES_TO_WIN, WhistStanding
from ..whist.stats import figures_of_closings, figures_of_play, for_partners
from .rules import SHORT

FIGURES = ("tricks_over", "all_tricks", "honours", "manche", "robre", "bumper")


def figures(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    """Yield the figures of a row."""
    yield from figures_of_play(standing, row)
    yield from figures_of_closings(standing, row)
    for closing in row.closings:
        if closing.kind == ROBRE and closing.figures["margin"] == _bumper(standing):
            yield from for_partners(standing, closing.winner, "bumper")


def _bumper(standing: WhistStanding) -> int:
    """Return the margin of a bumper: two trebles and the robre, 8 points unless the robre has another value."""
    return MANCHES_TO_WIN * SHORT.manche_points(0) + standing.options.robre_points
