"""Turns at a table: who comes in for whom, and the button that seats them."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, request, url_for
from flask.typing import ResponseReturnValue

from ...limits import MAX_SEATS
from ...models import SCORE
from ...scoring.game import AnyGame
from ...services.circles.players import read_ids_by_token
from ...services.outcome import Done, Stale
from ...services.tables import turns
from ...services.tables.turns import Proposal, SeatTurn, TurnRequest
from ...tables.sitting_out import DEAL, list_units
from ...tables.state import TableState
from ..support import access
from ..support.forms import WriteForm, read_key
from ..support.language import game_text, t
from .writes import render_table

blueprint = Blueprint("turns", __name__, url_prefix="/tables/<token>/turns")


@blueprint.post("")
def take(token: str) -> ResponseReturnValue:
    """Seat those whom the page has proposed; then show the table or the pad."""
    table = access.get_table_or_404(token, SCORE)
    form = WriteForm()
    result = turns.take(table, TurnRequest(tuple(_seats(table)), form.version_in(table), read_key()), g.browser)
    if isinstance(result, Done):
        then = "deals.new" if request.form.get("then") == "pad" else "table.show"
        return redirect(url_for(then, token=token), 303)
    is_refused_for_good = not isinstance(result, Stale) and result.problems[0].key != "turns-changed"
    return render_table(access.get_table_or_404(token, SCORE), result), 422 if is_refused_for_good else 409


def _seats(table: TableState) -> list[SeatTurn]:
    """Return the seats of the form."""
    ids = read_ids_by_token(table.stored.circle)
    fields = [(request.form.get(f"chair-{n}"), request.form.get(f"person-{n}")) for n in range(1, MAX_SEATS + 1)]
    return [SeatTurn(chair, ids.get(person or "", 0)) for chair, person in fields if chair is not None]


def check_unit(game: AnyGame, unit: str | None) -> None:
    """Check after what people take turns, as a form has sent it; nothing if only at the next table.

    Raises:
        BadRequest: it is not one of those that the app's pages offer for the game.
    """
    if unit and unit not in list_units(game):
        abort(400)


@blueprint.app_template_global("turn_units")
def _turn_units(game: AnyGame) -> tuple[str, ...]:
    """Return the choices of a field; the first is for a table at which nobody takes turns."""
    return "", *list_units(game)


@blueprint.app_template_global("turn_unit")
def _turn_unit(game: AnyGame, unit: str) -> str:
    """Return in words after what people take turns."""
    if unit in ("", DEAL):
        return t(f"turns.after.{unit or 'table'}")
    return game_text(game.slug, f"chart.end.{unit}")


@blueprint.app_template_global("proposed_turn")
def _proposed_turn(table: TableState) -> Proposal:
    """Return who comes in for whom, computed once per request and version of the table."""
    proposed: dict[tuple[str, int], Proposal] = g.setdefault("proposed_turns", {})
    key = (table.token, table.version)
    if key not in proposed:
        proposed[key] = turns.propose(table)
    return proposed[key]
