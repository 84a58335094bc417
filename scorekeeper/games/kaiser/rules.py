"""The rules of Kaiser: those of Joffre, with other defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ...api import MAX_AMOUNT, Range
from ..joffre import rules as joffre


@dataclass(frozen=True)
class Options(joffre.Options):
    """The house rules of Kaiser."""

    minimum_bid: Annotated[int, Range(1, 7)] = 7
    target: Annotated[int, Range(1, MAX_AMOUNT)] = 52
    win: Literal["bidder", "either"] = "either"
    near_target: Literal["scores", "held"] = "held"
    minus_target_loses: bool = True
    slam: Literal["wins", "scores"] = "scores"
