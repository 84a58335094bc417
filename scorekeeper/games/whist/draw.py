"""One card each, king high and ace low: the two highest are partners, the lowest deals."""

from __future__ import annotations

from collections.abc import Mapping

from ...scoring.cards import FULL, RANKS, by_rank
from ...scoring.draw import Draw, Players, Seated, Stage, facing

ACE_LOW = (*RANKS[1:], RANKS[0])


def seat(_players: Players, orders: Mapping[str, Players]) -> Seated:
    order = orders["cards"]
    high, low, dealer = order[:2], order[2:], order[-1]
    because = (("sides", {"all": high}), ("dealer", {"party": dealer}))
    return Seated(facing(high, low), dealer, because, swap=low)


def sides_and_dealer(players: int) -> tuple[int, ...]:
    """The cuts below the two highest and above the lowest."""
    return (2, players - 1)


DRAW = Draw(stages=(Stage("cards", lambda _players: FULL, by_rank(ACE_LOW), sides_and_dealer),), seat=seat)
