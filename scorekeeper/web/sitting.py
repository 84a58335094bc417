"""Whose this phone is: kept in its cookie for each circle, by player, so that it holds at the next table too."""

from __future__ import annotations

from flask import g, request, session

from ..language import knows
from ..scoring.sides import SIDES
from ..table import Open

FOR_OTHERS = ("seats.display", "history.printed", "history.recap")  # pages on which nobody is "we"


def seat_of_mine(table: Open) -> str | None:
    """The seat of this phone's owner; None where nobody has said, or the owner does not play at this table."""
    player = session.get("me", {}).get(table.table.circle.name)
    seats = table.table.seats if player is not None else []
    return next((seat.seat for seat in seats if player in (seat.player_id, seat.player.person.id)), None)


def sit(table: Open, seat: str) -> None:
    player = next(kept.player.person.id for kept in table.table.seats if kept.seat == seat)
    session["me"] = dict(session.get("me", {})) | {table.table.circle.name: player}
    session.permanent = True


def rise(circle: str) -> None:
    """Be nobody's phone in that circle any more."""
    session["me"] = {name: player for name, player in session.get("me", {}).items() if name != circle}


def sides(table: Open) -> dict[str, str]:
    """The keys of what this phone calls the two sides, in games that have a word for one's own."""
    ours, theirs = (f"{table.game.slug}.side.{whose}" for whose in ("ours", "theirs"))
    if request.endpoint in FOR_OTHERS or not (table.game.in_sides and knows(g.language, ours)):
        return {}
    seat = seat_of_mine(table)
    if seat is None:
        return {}
    own = table.standing.side_of(seat)
    return {side: ours if side == own else theirs for side in SIDES}
