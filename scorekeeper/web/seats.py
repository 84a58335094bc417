"""Around the table: whose seat is nearest, and the score turned towards every seat."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ..book import Refused
from ..scoring.remarks import Remark, refuse, shown
from ..scoring.standing import Standing
from ..table import Open
from . import access, sitting
from . import table as table_pages

blueprint = Blueprint("seats", __name__, url_prefix="/tables/<token>")


@blueprint.get("/display")
def display(token: str) -> str:
    return render_template("display.html", table=access.table_or_not_yours(token))


@blueprint.post("/me")
def mine(token: str) -> Response | tuple[str, int]:
    """Keep whose this phone is; where no seat is told, that it is nobody's."""
    table = access.table_or_not_yours(token)
    seat = request.form.get("seat", "")
    if seat and seat not in table.names:
        remark = Remark("seat", "player", {"found": shown(seat), "parties": tuple(table.names)})
        return table_pages.page(table, Refused(refuse(None, [remark]), None, True)), 422
    if seat:
        sitting.sit(table, seat)
    else:
        sitting.rise(table.table.circle.name)
    return redirect(url_for("table.show", token=token), 303)


class Place(NamedTuple):
    """Where a player sits: 0 is nearest, and the places are counted from there to the right."""

    player: str
    at: int


@blueprint.app_template_global()
def places(standing: Standing, nearest: str | None) -> list[Place]:
    """Every player in order of seats, as they sit; the first player is nearest where nobody is told."""
    players = standing.players
    first = players.index(nearest) if nearest in players else 0
    step = -1 if standing.clockwise else 1
    return [Place(player, step * (at - first) % len(players)) for at, player in enumerate(players)]


@blueprint.app_template_global()
def seat_of_mine(table: Open) -> str | None:
    return sitting.seat_of_mine(table)
