"""Incidents while dealing, and honours that may be claimed after a deal is recorded (rules.en.md beside this file)."""

from __future__ import annotations

from ...api import ALWAYS, IF_CHOSEN, MANCHE, NEVER, SIDES, THE_DEALER, THE_OTHERS, Claim, Incident, Row
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
