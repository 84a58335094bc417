"""Everything that a circle holds about a person, to read, to print and to download: for them, and for hosts."""

from __future__ import annotations

from flask import Blueprint, abort, g, redirect, render_template, url_for
from werkzeug.wrappers import Response

from ...games import find_game
from ...models import Player
from ...services.circles.players import read_ids_by_token, read_persons
from ...services.files.person_export import OwnAmount, may_read, read_everything, write_everything
from ..support import access
from ..support.downloads import file_response

blueprint = Blueprint("person_files", __name__, url_prefix="/circles/<name>/players/<player_token>")


@blueprint.get("/everything")
def show(name: str, player_token: str) -> str | Response:
    """Show everything about a person; a merged player's URL redirects to the person."""
    person = _get_person(name, player_token)
    if person.token != player_token:
        return _redirect_to("person_files.show", person)
    return render_template(
        "people/everything.html",
        circle=g.browser.circle,
        person=person,
        everything=read_everything(person),
        find_game=find_game,
    )


@blueprint.get("/everything.json")
def download(name: str, player_token: str) -> Response:
    """Download everything about a person."""
    person = _get_person(name, player_token)
    if person.token != player_token:
        return _redirect_to("person_files.download", person)
    return file_response(
        "scorekeeper-person.json", "application/json", lambda file: write_everything(read_everything(person), file)
    )


def _get_person(name: str, player_token: str) -> Player:
    """Return the person that a player is; 404 if the name is erased, 403 for those who may not read everything."""
    browser = access.get_circle_or_404(name)
    person = read_persons(browser.circle).get(read_ids_by_token(browser.circle).get(player_token, 0))
    if person is None or person.erased_at is not None:
        abort(404)
    if not may_read(browser, person):
        abort(403)
    return person


def _redirect_to(endpoint: str, person: Player) -> Response:
    return redirect(url_for(endpoint, name=g.browser.circle.name, player_token=person.token))


@blueprint.app_template_global()
def may_read_everything(person: Player) -> bool:
    """Return whether this browser may read everything about a person."""
    return person.erased_at is None and may_read(g.browser, person)


blueprint.app_template_test("amount")(lambda value: isinstance(value, OwnAmount))
