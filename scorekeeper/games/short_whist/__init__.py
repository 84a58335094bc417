"""Short Whist: Whist on another scale, five points a manche, and without calling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast

from ...api import ROBRE, Check, Figure, Game, Row
from .. import whist
from ..whist import rules

TREBLE = 3  # points of a manche in which the losers have none
SHORT = rules.Scale(points=5, worth=((3, 1), (1, 2), (0, TREBLE)), no_honours_at=4)


@dataclass(frozen=True)
class Options:
    robre_points: Literal[1, 2, 4, 6] = 2
    losing_honours: bool = False
    losers_total: Literal["marked", "tricks"] = "marked"
    unfinished_robre: Literal["nothing", "points"] = "nothing"
    new_robre: Literal["keep", "draw"] = "keep"

    @property
    def scale(self) -> rules.Scale:
        return SHORT


@dataclass(frozen=True)
class Deal(rules.Deal):
    """The facts of a deal: those of Whist but for `called`, which is no field here."""

    called: ClassVar[None] = None  # type: ignore[misc]  # a field in Whist


def figures(standing: rules.WhistStanding, row: Row) -> Iterator[Figure]:
    """Yield those of Whist, and bumpers: two trebles and the robre."""
    yield from rules.figures(standing, row)
    bumper = rules.MANCHES_TO_WIN * TREBLE + standing.options.robre_points
    for closing in row.closings:
        if closing.kind == ROBRE and closing.figures["margin"] == bumper:
            yield Figure(closing.winner, "bumper")


GAME = replace(
    cast(Game[Any, Any, Any], whist.GAME),
    slug="short-whist",
    options=Options,
    deal=Deal,
    checks=(Check(("tricks",), rules.tricks_problems),),
    reasons=("tricks", "honours", "robre", "unfinished_robre"),
    counted=replace(
        whist.GAME.counted,
        figure_names=("tricks_over", "all_tricks", "honours", "manche", "robre", "bumper"),
        figures=figures,
    ),
    variant_of="whist",
)
