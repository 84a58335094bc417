"""The players' positions around the table, the display page, and the choice of one's own seat."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...scoring.game import ANTICLOCKWISE, CLOCKWISE
from ...scoring.problems import Problem, abbreviate_value, refuse
from ...scoring.standing import AnyStanding
from ...services.tables.table import Refused
from ..support import access, my_seat
from ..support.sessions import read_preference, remember_preference
from .writes import render_table

blueprint = Blueprint("seats", __name__, url_prefix="/tables/<token>")


DISPLAY = "display"  # the name of the preference
PLACES = ("flat", "wall")


@blueprint.get("/display")
def display(token: str) -> str:
    """Show the scores alone: flat on the table or on a wall, as this browser chose last, else by the screen's width."""
    table = access.get_table_or_404(token)
    chosen = request.args.get("place")
    if chosen in PLACES:
        remember_preference(DISPLAY, chosen)
    place = next((place for place in (chosen, read_preference(DISPLAY)) if place in PLACES), None)
    return render_template("tables/display.html", table=table, place=place)


@blueprint.post("/me")
def mine(token: str) -> Response | tuple[str, int]:
    """Claim a seat for this browser's owner; without a seat, release it."""
    table = access.get_table_or_404(token)
    seat = request.form.get("seat", "")
    if seat and seat not in table.seated_now:
        problem = Problem("seat", "player", {"found": abbreviate_value(seat), "parties": table.seated_now})
        return render_table(table, Refused(refuse(None, [problem]), None, True)), 422
    if seat:
        my_seat.claim_seat(table, seat)
    else:
        my_seat.release_seat()
    return redirect(url_for("table.show", token=token), 303)


class SeatPosition(NamedTuple):
    """A player's position as drawn: 0 is nearest to the reader, counted from there to the right."""

    player: str
    position: int


@blueprint.app_template_global()
def seat_positions(standing: AnyStanding, nearest: str | None) -> list[SeatPosition]:
    """Return every player's position, in order of seats; without `nearest`, the first player is nearest."""
    players = standing.players
    first = players.index(nearest) if nearest in players else 0
    direction = CLOCKWISE if standing.clockwise else ANTICLOCKWISE
    positions = [place_of_seat(index - first + 1, len(players), direction) for index in range(len(players))]
    return list(map(SeatPosition, players, positions))


@blueprint.app_template_global()
def place_of_seat(seat: int, seats: int, direction: str) -> int:
    """Return where a seat is drawn, counted to the right from the first, if turns go in this direction."""
    return (seat - 1) * (-1 if direction == CLOCKWISE else 1) % seats


@blueprint.app_template_global()
def place_classes(seat: SeatPosition, nearest: str | None) -> str:
    """Return the classes that draw a seat at its position."""
    return f"at-{seat.position} nearest" if seat.player == nearest else f"at-{seat.position}"


blueprint.app_template_global()(my_seat.owner_seat)
