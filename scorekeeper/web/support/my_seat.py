"""The seat of a browser's owner.

A browser stores its owner as a player of the circle, so the choice applies at the circle's other tables too.
"""

from __future__ import annotations

from flask import g, request

from ...scoring.sides import SIDES
from ...services.access.links import claim_browser
from ...tables.state import TableState
from .language import has_message

# Endpoints of pages for all players, on which no side is "we".
SHARED_PAGES = ("seats.display", "history.printed", "history.recap")


def owner_seat(table: TableState) -> str | None:
    """Return the label of this browser's owner; None if the owner is unknown or does not sit at this table now."""
    player = g.browser.player_id if "browser" in g else None
    seated = [at for at in table.seated if at.seat in table.seated_now] if player is not None else ()
    return next((at.seat for at in seated if player in (at.player_id, at.person_id)), None)


def claim_seat(table: TableState, seat: str) -> None:
    """Store the player in this seat as this browser's owner."""
    claim_browser(g.browser, next(row.player.person.id for row in table.stored.seats if row.seat == seat))


def release_seat() -> None:
    """Forget this browser's owner."""
    claim_browser(g.browser, None)


def sides(table: TableState) -> dict[str, str]:
    """Return the message keys for the owner's own side and the other ("we" and "they"), by side.

    Empty if the owner has no seat, on shared pages, and in games and languages without such words.
    """
    ours, theirs = f"{table.game.slug}.side.ours", f"{table.game.slug}.side.theirs"
    if request.endpoint in SHARED_PAGES or not (table.game.in_sides and has_message(ours)):
        return {}
    seat = owner_seat(table)
    if seat is None:
        return {}
    own = table.standing.side_of(seat)
    return {side: ours if side == own else theirs for side in SIDES}
