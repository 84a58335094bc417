"""Tonight: who is here, who plays next and who sits out; one tap opens the table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...games import games
from ...limits import MAX_SEATS
from ...models import SCORE, Circle
from ...scoring.game import AnyGame
from ...scoring.problems import Problem, Refusal
from ...scoring.values import clean_name
from ...services.circles.players import list_players, read_ids_by_token
from ...services.outcome import Conflict, Done
from ...services.people import tonight
from ...services.people.tonight import Ticks
from ...services.planned import list_expected
from ...services.tables.opening import find_last_table, read_names
from ...stats.summary import slug_of
from ..support import access
from ..support.forms import new_key, read_key, read_meanings
from ..tables.table import check_unit

blueprint = Blueprint("tonight", __name__, url_prefix="/circles/<name>/tonight")


@blueprint.get("")
def show(name: str) -> str:
    """Show who is here, and who plays the game `?game=<key>` next; `?partners=new` changes the partners."""
    return _page(access.get_circle_or_404(name).circle)


@blueprint.post("")
def set_present(name: str) -> Response | tuple[str, int]:
    browser = access.get_circle_or_404(name, SCORE)
    typed = clean_name(request.form.get("name"))
    ids = read_ids_by_token(browser.circle)
    ticks = Ticks(request.form.get("day", ""), _sent("here-", ids), _sent("shown-", ids), typed, read_meanings())
    problem = tonight.set_present(browser.circle, ticks, browser)
    if problem is not None:
        return _page(browser.circle, [problem], ticked=ticks.ticked, typed=typed), 422
    game, partners = request.form.get("game"), request.form.get("partners")
    return redirect(url_for("tonight.show", name=name, game=game, partners=partners, _anchor="next"), 303)


@blueprint.post("/seat")
def seat(name: str) -> Response | tuple[str, int]:
    browser = access.get_circle_or_404(name, SCORE)
    game_key, turns = request.form.get("game", ""), request.form.get("turns", "")
    if game_key not in tonight.list_playable(browser.circle):
        abort(400)
    check_unit(games()[slug_of(game_key)], turns)
    seats = [request.form.get(f"seat-{number}") for number in range(1, MAX_SEATS + 1)]
    ids = read_ids_by_token(browser.circle)
    people = [ids.get(token, 0) for token in seats if token is not None]
    result = tonight.seat(browser.circle, game_key, people, turns, read_key(), browser)
    if isinstance(result, Done):
        return redirect(url_for("table.show", token=result.value), 303)
    circle = access.get_circle_or_404(name, SCORE).circle
    if isinstance(result, Refusal):
        return _page(circle, result.problems), 422
    opened = result.earlier if isinstance(result, Conflict) else None
    return _page(circle, has_changed=opened is None, opened_token=opened), 409


def _sent(prefix: str, ids: Mapping[str, int]) -> set[int]:
    ends = (name.removeprefix(prefix) for name in request.form if name.startswith(prefix))
    return {ids[end] for end in ends if end in ids}


def _page(
    circle: Circle, problems: Sequence[Problem] = (), ticked: Collection[int] | None = None, **refused: Any
) -> str:
    """Render the page; the rest is of a form that was refused.

    Ticked are those whom it had, or who are here; before anybody is, those who have said that they come.
    """
    evening, playable = tonight.read(circle), tonight.list_playable(circle)
    game_key, game = _choose_game(circle, playable)
    has_new_partners = request.values.get("partners") == "new"
    last = find_last_table(circle, game_key) if game_key is not None else None
    g.names = dict  # problems with a table name people
    return render_template(
        "people/tonight.html",
        circle=circle,
        tonight=evening,
        candidates=[*evening.people, *(each for each in list_players(circle) if each.id not in evening.arrivals)],
        people_by_id={person.id: person for person in evening.people},
        game=game,
        game_key=game_key,
        playable=playable,
        names=read_names(circle),
        lineup=evening.lineup(game, has_new_partners) if game is not None else None,
        has_new_partners=has_new_partners,
        turns=request.form.get("turns", last.turns if last is not None else None),
        problems=problems,
        ticked=ticked if ticked is not None else evening.arrivals or list_expected(circle),
        key=new_key(),
        **refused,
    )


def _choose_game(circle: Circle, playable: list[str]) -> tuple[str, AnyGame] | tuple[None, None]:
    """Return the game that is asked for with its key, else that of the circle's newest table, else the first one."""
    for key in (request.values.get("game"), tonight.find_last_game(circle), *playable):
        if key in playable and (game := tonight.as_last_played(circle, key)) is not None:
            return key, game
    return None, None
