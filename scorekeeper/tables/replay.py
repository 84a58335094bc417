"""An immutable replay of a table's revisions, which later revisions extend without scoring the earlier deals again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..scoring.game import Game, fold
from ..scoring.problems import Refusal
from ..scoring.standing import Standing
from . import revisions as history
from .revisions import RecordedDeal, RevisionLike


class CannotStandError(ValueError):
    """A deal could not have been as its revisions tell it. `deal` is its id."""

    def __init__(self, refusal: Refusal, deal: int) -> None:
        super().__init__(str(refusal))
        self.refusal, self.deal = refusal, deal


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a table's revisions. Immutable, so threads may share it.

    Attributes:
        initial: the standing before the first deal.
        standing: the standing after all deals that are not withdrawn.
        deals: every deal in order, withdrawn ones included.
        view_cache: rendered deals, by keys the views choose. Kept as long as deals are only appended.
    """

    game: Game
    opened: Standing  # before the first deal
    standing: Standing
    revisions: Sequence[RevisionLike] = ()
    deals: Sequence[RecordedDeal] = ()
    said: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def extended(self, further: Iterable[RevisionLike]) -> Replay:
        """Return the replay with further revisions. Only appended deals are scored, unless an earlier deal changed.

        Raises:
            IllegalDealError: a deal breaks the rules after these revisions.
        """
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
