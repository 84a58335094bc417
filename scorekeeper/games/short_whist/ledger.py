"""Short Whist: Whist on another scale, without the call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from ...scoring.game import Check
from ...scoring.ledger import Entry
from ...scoring.pad import Group
from ...scoring.remarks import Remark
from ...scoring.sides import sum_faults
from ..whist.ledger import TRICKS, Honours, Scale, Tricks, WhistStanding, score_play
from ..whist.pad import honours_group, odd_tricks

SHORT = Scale(points=5, worth=((0, 3), (1, 2), (3, 1)), silent_at=4)

REASONS = ("tricks", "honours", "robre")


@dataclass(frozen=True)
class Options:
    robre_points: Literal[1, 2, 4, 6] = 2
    losing_honours: bool = False


@dataclass(frozen=True)
class Deal:
    tricks: Tricks
    honours: Honours | None = None


short_standing = partial(WhistStanding, scale=SHORT)


def tricks_faults(_standing: WhistStanding, deal: Deal) -> list[Remark]:
    return sum_faults("tricks", deal.tricks, TRICKS)


CHECKS = (Check(("tricks",), tricks_faults),)


def score(standing: WhistStanding, deal: Deal) -> list[Entry]:
    return score_play(standing, deal.tricks, deal.honours)


def pad(_standing: WhistStanding, _said: Mapping[str, Any]) -> Iterator[Group]:
    yield Group("tricks", ("tricks",), odd_tricks())
    yield honours_group()
