"""What Short Whist tells of its players: as Whist, without the call, and with the bumper."""

from __future__ import annotations

from collections.abc import Iterator

from ...scoring.figures import Figure
from ...scoring.standing import ROBRE, Row
from ..whist.figures import figures_of_closings, figures_of_play, of_both
from ..whist.ledger import MANCHES_TO_WIN, WhistStanding
from .ledger import SHORT

FIGURES = ("tricks_over", "all_tricks", "honours", "manche", "robre", "bumper")


def figures(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    yield from figures_of_play(standing, row)
    yield from figures_of_closings(standing, row)
    for closing in row.closings:
        if closing.kind == ROBRE and closing.figures["margin"] == _bumper(standing):
            yield from of_both(standing, closing.winner, "bumper")


def _bumper(standing: WhistStanding) -> int:
    """What two trebles and the robre make: 8, unless the table gave the robre a value of its own."""
    points: int = standing.options.robre_points
    return MANCHES_TO_WIN * SHORT.manche_points(0) + points
