"""A table's revisions, replayed, and extended by what is added to them: the first need not be read or scored again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import history
from .history import KeptDeal, Revised
from .scoring.game import Game, fold
from .scoring.remarks import Refusal
from .scoring.standing import Standing


class CannotStandError(ValueError):
    """A deal could not have been as its revisions tell it. `deal` is its id."""

    def __init__(self, refusal: Refusal, deal: int) -> None:
        super().__init__(str(refusal))
        self.refusal, self.deal = refusal, deal


@dataclass(frozen=True, slots=True)
class Replay:
    """Never altered once it is made, so that threads may read one together.

    `deals` are all of them in order, the withdrawn among them; `standing` is what the others come to. `said` is for
    what pages have put into words of a deal, by keys of their own: it is kept for as long as deals are only added.
    """

    game: Game
    opened: Standing  # before the first deal
    standing: Standing
    revisions: Sequence[Revised] = ()
    deals: Sequence[KeptDeal] = ()
    said: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def extended(self, further: Iterable[Revised]) -> Replay:
        """With revisions that were added since; raises CannotStandError. A new deal is scored by itself."""
        added = list(further)
        if not added:
            return self
        deals, same = history.replay(added, self.deals)
        is_longer = same == len(self.deals)
        standing, ahead = (self.standing, deals[same:]) if is_longer else (self.opened, deals)
        told = [deal for deal in ahead if deal.body is not None]
        if told or not is_longer:
            standing = standing.copy()
        scored = len(standing.rows)
        refusal = fold(self.game, standing, [deal.body for deal in told])
        if refusal is not None:
            raise CannotStandError(refusal, told[len(standing.rows) - scored].id)
        said = self.said if is_longer else {}
        return Replay(self.game, self.opened, standing, [*self.revisions, *added], deals, said)
