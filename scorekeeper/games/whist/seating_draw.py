"""The draw of Whist: one card each, the ace being low. The two highest are partners, the lowest deals."""

from __future__ import annotations

from collections.abc import Mapping

from ...api import (
    ALWAYS,
    FULL_PACK,
    IF_CHOSEN,
    MANCHE,
    NEVER,
    RANKS,
    SIDES,
    THE_DEALER,
    THE_OTHERS,
    Claim,
    Draw,
    Incident,
    Players,
    Row,
    Seating,
    Stage,
    by_rank,
    facing,
)
from .rules import WhistStanding, find_deal

INCIDENTS = (
    Incident("face_up", ALWAYS),
    Incident("exposed_by_dealers", IF_CHOSEN, THE_OTHERS),
    Incident("exposed_by_others", IF_CHOSEN, THE_DEALER),
    Incident("touched", NEVER),  # forbidden, and the source names no penalty
)


def claimable(standing: WhistStanding) -> tuple[Claim, ...]:
    """Return the claims to honours in the last deal, for the sides that would still score them.

    Honours may be claimed until the next trump card is turned up. Misdeals, adjustments and substitutions
    do not end it.
    """
    row = next((row for row in reversed(standing.rows) if find_deal(row) is not None), None)
    deal = find_deal(row) if row is not None else None
    if row is None or deal is None or deal.honours is not None or getattr(deal, "called", None) is not None:
        return ()
    sides = [side for side in SIDES if _would_score(standing, row, side)]
    if len(sides) == len(SIDES):
        return (Claim("claim.honours", row.number),)
    return tuple(Claim("claim.honours-of", row.number, {"party": side}) for side in sides)


def _would_score(standing: WhistStanding, row: Row, side: str) -> bool:
    """Return whether honours of this side in this deal would score."""
    if row.scores[side] - row.scored[side] == standing.scale.no_honours_at:
        return False
    winner = next((closing.winner for closing in row.closings if closing.kind == MANCHE), None)
    return winner is None or (side != winner and standing.options.losing_honours)


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
