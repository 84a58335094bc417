"""The rules of Short Whist: Whist on another scale, without calling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ...api import ROBRE, Check, ChoiceGroup, Entry, Facts, Figure, Problem, Row, sum_problems
from ..whist.pad import honours_group, odd_tricks
from ..whist.rules import MANCHES_TO_WIN, TRICKS, Honours, Scale, Tricks, WhistStanding, score_play
from ..whist.stats import figures_of_closings, figures_of_play, for_partners

SHORT = Scale(points=5, worth=((0, 3), (1, 2), (3, 1)), no_honours_at=4)

REASONS = ("tricks", "honours", "robre", "unfinished_robre")


@dataclass(frozen=True)
class Options:
    """The house rules of Short Whist."""

    robre_points: Literal[1, 2, 4, 6] = 2
    losing_honours: bool = False
    losers_total: Literal["marked", "tricks"] = "marked"
    unfinished_robre: Literal["nothing", "points"] = "nothing"
    new_robre: Literal["keep", "draw"] = "keep"


@dataclass(frozen=True)
class Deal:
    """The facts of a deal."""

    tricks: Tricks
    honours: Honours | None = None


short_standing = partial(WhistStanding, scale=SHORT)


def tricks_problems(_standing: WhistStanding, deal: Deal) -> list[Problem]:
    return sum_problems("tricks", deal.tricks, TRICKS)


CHECKS = (Check(("tricks",), tricks_problems),)


def score(standing: WhistStanding, deal: Deal) -> list[Entry]:
    return score_play(standing, deal.tricks, deal.honours)


def pad(_standing: WhistStanding, _facts: Facts) -> Iterator[ChoiceGroup]:
    yield ChoiceGroup("tricks", ("tricks",), odd_tricks())
    yield honours_group()


FIGURES = ("tricks_over", "all_tricks", "honours", "manche", "robre", "bumper")


def figures(standing: WhistStanding, row: Row) -> Iterator[Figure]:
    yield from figures_of_play(standing, row)
    yield from figures_of_closings(standing, row)
    for closing in row.closings:
        if closing.kind == ROBRE and closing.figures["margin"] == _bumper(standing):
            yield from for_partners(standing, closing.winner, "bumper")


def _bumper(standing: WhistStanding) -> int:
    """Return the margin of a bumper: two trebles and the robre, 8 points unless the robre has another value."""
    bonus: int = standing.options.robre_points
    return MANCHES_TO_WIN * SHORT.manche_points(0) + bonus
