"""The rules of Short Whist: Whist on another scale, without calling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ...api import Check, ChoiceGroup, Entry, Facts, Problem, sum_problems
from ..whist.pad import honours_group, odd_tricks
from ..whist.rules import TRICKS, Honours, Scale, Tricks, WhistStanding, score_play

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
    """Check the sum of the tricks."""
    return sum_problems("tricks", deal.tricks, TRICKS)


CHECKS = (Check(("tricks",), tricks_problems),)


def score(standing: WhistStanding, deal: Deal) -> list[Entry]:
    """Return the marks of a deal."""
    return score_play(standing, deal.tricks, deal.honours)


def pad(_standing: WhistStanding, _facts: Facts) -> Iterator[ChoiceGroup]:
    """Yield the odd tricks of both sides, then honours."""
    yield ChoiceGroup("tricks", ("tricks",), odd_tricks())
    yield honours_group()
