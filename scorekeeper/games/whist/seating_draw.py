"""The draw of Whist: one card each, the ace being low. The two highest are partners, the lowest deals."""

from __future__ import annotations

from collections.abc import Mapping

from ...api import FULL_PACK, RANKS, Draw, Players, Seating, Stage, by_rank, facing

ACE_LOW = (*RANKS[1:], RANKS[0])


def seat(_players: Players, orders: Mapping[str, Players]) -> Seating:
    """Seat the two highest against the others, and make the lowest card the dealer."""
    order = orders["cards"]
    high, low, dealer = order[:2], order[2:], order[-1]
    because = (("sides", {"all": high}), ("dealer", {"party": dealer}))
    return Seating(facing(high, low), dealer, because, swap=low)


def sides_and_dealer(players: int) -> tuple[int, ...]:
    """Return the cuts below the two highest cards and above the lowest."""
    return (2, players - 1)


DRAW = Draw(stages=(Stage("cards", lambda _players: FULL_PACK, by_rank(ACE_LOW), sides_and_dealer),), seat=seat)
