"""The seat of a browser's owner.

A browser stores its owner as a player of the circle, so the choice applies at the circle's other tables too.
"""

from __future__ import annotations

from flask import g, request

from ...scoring.standing import other_side
from ...services.access import claim_browser
from ...tables.state import TableState
from .language import has_message, t

# Endpoints of pages for all players, on which no side is "we"; nor is one in what such a page then asks for.
SHARED_PAGES = ("table.display", "history.printed", "history.recap")
FOR_DISPLAY = "display"  # the value of `?page=` with which the display page asks for updates


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
    """Return the words for the owner's own side and the other ("we" and "they"), by side, the own side first.

    Empty if the owner has no seat, on shared pages, and in games and languages without such words.
    """
    is_shared = request.endpoint in SHARED_PAGES or request.args.get("page") == FOR_DISPLAY
    if is_shared or not (table.game.in_sides and has_message(f"{table.game.slug}.side.ours")):
        return {}
    seat = owner_seat(table)
    if seat is None:
        return {}
    own = table.standing.side_of(seat)
    return {own: t(f"{table.game.slug}.side.ours"), other_side(own): t(f"{table.game.slug}.side.theirs")}
