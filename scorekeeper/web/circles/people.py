"""The people of a circle; for hosts, renaming, retiring, merging and erasing them."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...models import Circle, Table
from ...scoring.problems import Problem
from ...services import HOST, people
from ...services.people import PersonRow
from ..support import access
from ..support.forms import is_typed, one_line

blueprint = Blueprint("people", __name__, url_prefix="/circles/<name>/people")


@blueprint.get("")
def show(name: str) -> str:
    """List the people who play, and those who have retired."""
    circle = access.get_circle_or_404(name).circle
    everybody = people.people_of(circle)
    return render_template(
        "circles/people/people.html",
        circle=circle,
        playing=[person for person in everybody if person.player.retired_at is None],
        retired=[person for person in everybody if person.player.retired_at is not None],
    )


@blueprint.get("/<int:player_id>")
def player(name: str, player_id: int) -> str | Response:
    """Show a person to a host; a merged player's URL redirects to the person it was merged into."""
    found = _found(name, player_id)
    person_id = found.known.player.id
    if person_id != player_id:  # one who turned out to be another is found with that other
        return _back_to(name, person_id)
    return _page(found)


@blueprint.post("/<int:player_id>/rename")
def rename(name: str, player_id: int) -> Response | tuple[str, int]:
    """Rename a person."""
    known = _named(name, player_id).known
    typed = one_line(request.form.get("name"))
    return _answer(name, player_id, people.rename(known.player, typed, g.browser), typed=typed)


@blueprint.post("/<int:player_id>/retire")
def retire(name: str, player_id: int) -> Response | tuple[str, int]:
    """Retire a person, who is no longer suggested for new tables."""
    known = _named(name, player_id).known
    return _answer(name, player_id, people.set_retired(known.player, True, g.browser))


@blueprint.post("/<int:player_id>/return")
def bring_back(name: str, player_id: int) -> Response | tuple[str, int]:
    """Reverse a retirement."""
    known = _named(name, player_id).known
    return _answer(name, player_id, people.set_retired(known.player, False, g.browser))


@blueprint.post("/<int:player_id>/merge")
def merge(name: str, player_id: int) -> Response | tuple[str, int]:
    """Merge a person into the one whose id is in the field `into`."""
    _, known, everybody = _found(name, player_id)
    told = request.form.get("into", "")
    if known.player.id != player_id and told == str(known.player.id):
        return _back_to(name, known.player.id)  # sent again: it is done
    _need_a_name(known, player_id)
    into = next((other.player for other in _others(known, everybody) if str(other.player.id) == told), None)
    if into is None:
        return _page(_found(name, player_id), problem=Problem("into", "who-is-it")), 422
    into_id, merged = into.id, people.merge(known.player, into, g.browser)
    if isinstance(merged, Table):
        return _page(_found(name, player_id), into=told, shared=merged), 422
    return _answer(name, into_id if merged is None else player_id, merged, into=told)


@blueprint.post("/<int:player_id>/apart")
def unmerge(name: str, player_id: int) -> Response:
    """Separate a merged player from its person again."""
    known = _found(name, player_id).known
    person_id = known.player.id
    merged = next((other for other in known.merged if other.id == player_id), None)
    if merged is not None and merged.erased_at is None:
        people.unmerge(merged, g.browser)
    return _back_to(name, person_id)


@blueprint.route("/<int:player_id>/erase", methods=["GET", "POST"])
def erase(name: str, player_id: int) -> str | Response | tuple[str, int]:
    """Erase a person's name, once it is typed as a confirmation."""
    if request.method == "GET":
        return _erasing_page(name, player_id)
    known = _found(name, player_id).known
    problem = _erased(known, player_id) if known.player.erased_at is None else None  # None: sent again, it is done
    if problem is None:
        return redirect(url_for("people.show", name=name, erased="yes"), 303)
    return _erasing_page(name, player_id, problem), 422


def _erased(known: PersonRow, player_id: int) -> Problem | None:
    _need_a_name(known, player_id)
    typed, earlier = one_line(request.form.get("typed")), one_line(request.form.get("earlier"))
    if not is_typed(typed, known.player.name):
        return Problem("typed", "not-the-words", {"must": known.player.name})
    return people.erase(known.player, [name.strip() for name in earlier.split(",")], g.browser)


def _erasing_page(name: str, player_id: int, problem: Problem | None = None) -> str:
    circle, known, _ = _named(name, player_id)
    typed, earlier = one_line(request.form.get("typed")), one_line(request.form.get("earlier"))
    return render_template(
        "circles/people/erase.html", circle=circle, known=known, typed=typed, earlier=earlier, problem=problem
    )


class PersonContext(NamedTuple):
    """A person with the circle and everybody in it."""

    circle: Circle
    known: PersonRow
    everybody: list[PersonRow]


def _found(name: str, player_id: int) -> PersonContext:
    """For a host, who the player of that number is, perhaps as somebody else by now."""
    circle = access.get_circle_or_404(name, HOST).circle
    everybody = people.people_of(circle)
    found = (one for one in everybody if player_id in (one.player.id, *(other.id for other in one.merged)))
    known = next(found, None)
    if known is None:
        abort(404)
    return PersonContext(circle, known, everybody)


def _named(name: str, player_id: int) -> PersonContext:
    """The same for what is done to a person as such, one who still has a name."""
    found = _found(name, player_id)
    _need_a_name(found.known, player_id)
    return found


def _need_a_name(known: PersonRow, player_id: int) -> None:
    if known.player.id != player_id or known.player.erased_at is not None:
        abort(404)


def _others(known: PersonRow, everybody: list[PersonRow]) -> list[PersonRow]:
    """Return the people that a person may be merged into."""
    return [other for other in everybody if other.player.id != known.player.id and other.player.erased_at is None]


def _answer(
    name: str, player_id: int, problem: Problem | None, *, typed: str | None = None, into: str = ""
) -> Response | tuple[str, int]:
    """Return the response to a write: a redirect to the person, or the page with the problem."""
    if problem is None:
        return _back_to(name, player_id)
    return _page(_found(name, player_id), problem=problem, typed=typed, into=into), 422


def _page(
    found: PersonContext,
    *,
    typed: str | None = None,
    into: str = "",
    problem: Problem | None = None,
    shared: Table | None = None,
) -> str:
    """Render a person's page; `shared` is a table at which both people of a refused merge played."""
    circle, known, everybody = found
    return render_template(
        "circles/people/player.html",
        circle=circle,
        known=known,
        others=_others(known, everybody),
        typed=known.player.name if typed is None else typed,
        into=into,
        problem=problem,
        shared=shared,
    )


def _back_to(name: str, player_id: int) -> Response:
    return redirect(url_for("people.player", name=name, player_id=player_id), 303)
