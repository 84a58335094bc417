"""Kaiser: Joffre to 52 points, as it is played on the Canadian prairies."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from ...api import IF_CHOSEN, MAX_AMOUNT, Incident, Range
from .. import joffre
from ..joffre import rules


@dataclass(frozen=True)
class Options(rules.Options):
    """The house rules of Kaiser: those of Joffre with other defaults."""

    minimum_bid: Annotated[int, Range(1, 7)] = 7
    target: Annotated[int, Range(1, MAX_AMOUNT)] = 52
    win: Literal["bidder", "either"] = "either"
    near_target: Literal["scores", "held"] = "held"
    minus_target_loses: bool = True
    slam: Literal["wins", "scores"] = "scores"


GAME = replace(
    joffre.GAME,
    slug="kaiser",
    options=Options,
    dealing=replace(joffre.GAME.dealing, incidents=(Incident("thrown_in", IF_CHOSEN),)),
    variant_of="joffre",
)
