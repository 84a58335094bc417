"""Short Whist: Whist on another scale, five points a manche, and without calling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from ...api import ROBRE, Check, ChoiceGroup, Entry, Facts, Figure, Game, Problem, Row, sum_problems
from .. import whist
from ..whist import rules
from ..whist.rules import MANCHES_TO_WIN, Honours, Scale, Tricks, WhistStanding

SHORT = Scale(points=5, worth=((0, 3), (1, 2), (3, 1)), no_honours_at=4)


@dataclass(frozen=True)
class Options:
    robre_points: Literal[1, 2, 4, 6] = 2
    losing_honours: bool = False
    losers_total: Literal["marked", "tricks"] = "marked"
    unfinished_robre: Literal["nothing", "points"] = "nothing"
    new_robre: Literal["keep", "draw"] = "keep"

    @property
    def scale(self) -> Scale:
        return SHORT


@dataclass(frozen=True)
class Deal:
    tricks: Tricks
    honours: Honours | None = None


def tricks_problems(_standing: WhistStanding, deal: Deal) -> list[Problem]:
    return sum_problems("tricks", deal.tricks, rules.TRICKS)


def score(standing: WhistStanding, deal: Deal) -> list[Entry]:
    return rules.score_play(standing, deal.tricks, deal.honours)


def pad(_standing: WhistStanding, _facts: Facts) -> Iterator[ChoiceGroup]:
    yield ChoiceGroup("tricks", ("tricks",), rules.odd_tricks())
    yield rules.honours_group()


def figures(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    """Yield those of Whist without calls, and bumpers: two trebles and the robre."""
    yield from rules.figures_of_play(standing, row)
    yield from rules.figures_of_closings(standing, row)
    bumper = MANCHES_TO_WIN * SHORT.manche_points(0) + standing.options.robre_points
    for closing in row.closings:
        if closing.kind == ROBRE and closing.figures["margin"] == bumper:
            yield from rules.for_partners(standing, closing.winner, "bumper")


GAME = replace(
    cast(Game[Any, Any, Any], whist.GAME),
    slug="short-whist",
    options=Options,
    deal=Deal,
    checks=(Check(("tricks",), tricks_problems),),
    score=score,
    pad=pad,
    reasons=("tricks", "honours", "robre", "unfinished_robre"),
    counted=replace(
        whist.GAME.counted,
        figure_names=("tricks_over", "all_tricks", "honours", "manche", "robre", "bumper"),
        figures=figures,
    ),
    variant_of="whist",
)
