"""The players' positions around the table, the display page, and the choice of one's own seat."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...scoring.problems import Problem, abbreviate_value, refuse
from ...scoring.standing import AnyStanding
from ...services import Refused
from ..support import access, my_seat
from .writes import render_table

blueprint = Blueprint("seats", __name__, url_prefix="/tables/<token>")


@blueprint.get("/display")
def display(token: str) -> str:
    """Show the scores for a screen that lies on the table, readable from every seat."""
    return render_template("tables/display.html", table=access.get_table_or_404(token))


@blueprint.post("/me")
def mine(token: str) -> Response | tuple[str, int]:
    """Claim a seat for this browser's owner; without a seat, release it."""
    table = access.get_table_or_404(token)
    seat = request.form.get("seat", "")
    if seat and seat not in table.names:
        problem = Problem("seat", "player", {"found": abbreviate_value(seat), "parties": tuple(table.names)})
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
    step = -1 if standing.clockwise else 1
    return [SeatPosition(player, step * (index - first) % len(players)) for index, player in enumerate(players)]


blueprint.app_template_global()(my_seat.owner_seat)
