"""When a deal goes wrong, and honours that may still be claimed once it is recorded (rules.md beside this file)."""

from __future__ import annotations

from ...scoring.agreed import Agreed, Misdeal
from ...scoring.incidents import ALWAYS, IF_CHOSEN, NEVER, THE_DEALER, THE_OTHERS, Claim, Incident
from ...scoring.sides import SIDES
from ...scoring.standing import MANCHE, Row
from .ledger import WhistStanding

INCIDENTS = (
    Incident("face_up", ALWAYS),
    Incident("exposed_by_dealers", IF_CHOSEN, THE_OTHERS),
    Incident("exposed_by_others", IF_CHOSEN, THE_DEALER),
    Incident("touched", NEVER),  # forbidden, and the source names no penalty
)


def claimable(standing: WhistStanding) -> tuple[Claim, ...]:
    """Honours of the last deal, until the next card is turned up, for the sides to whom they would still count.

    A misdeal comes before that card is turned up, and an adjustment has none: neither ends the time to claim.
    """
    row = next((row for row in reversed(standing.rows) if not isinstance(row.fact, Misdeal | Agreed)), None)
    if row is None or row.fact.honours is not None or getattr(row.fact, "called", None) is not None:
        return ()
    sides = [side for side in SIDES if _would_count(standing, row, side)]
    if len(sides) == len(SIDES):
        return (Claim("claim.honours", row.number),)
    return tuple(Claim("claim.honours-of", row.number, {"party": side}) for side in sides)


def _would_count(standing: WhistStanding, row: Row, side: str) -> bool:
    if row.scores[side] - row.scored[side] == standing.scale.silent_at:
        return False
    winner = next((closing.winner for closing in row.closings if closing.kind == MANCHE), None)
    return winner is None or (side != winner and standing.options.losing_honours)
