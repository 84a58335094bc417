"""The people of a circle: who they are, and for a host their names, who still comes, who is one and the same."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ..book import HOST, people
from ..book.people import Known
from ..scoring.remarks import Remark
from ..store import Circle, Table
from . import access
from .forms import is_typed, one_line

blueprint = Blueprint("people", __name__, url_prefix="/circles/<name>/people")


@blueprint.get("")
def show(name: str) -> str:
    circle = access.circle_or_not_yours(name).circle
    everybody = people.people_of(circle)
    return render_template(
        "people/people.html",
        circle=circle,
        playing=[known for known in everybody if known.player.retired_at is None],
        retired=[known for known in everybody if known.player.retired_at is not None],
    )


@blueprint.get("/<int:player_id>")
def player(name: str, player_id: int) -> str | Response:
    circle, known, _ = _found(name, player_id)
    if known.player.id != player_id:  # one who turned out to be another is found with that other
        return _back_to(circle, known.player.id)
    return _page(circle, known)


@blueprint.post("/<int:player_id>/rename")
def rename(name: str, player_id: int) -> Response | tuple[str, int]:
    circle, known, _ = _named(name, player_id)
    typed = one_line(request.form.get("name"))
    remark = people.rename(known.player, typed)
    if remark is not None:
        return _page(circle, known, typed=typed, remark=remark), 422
    return _back_to(circle, player_id)


@blueprint.post("/<int:player_id>/retire")
def retire(name: str, player_id: int) -> Response:
    circle, known, _ = _named(name, player_id)
    people.retire(known.player)
    return _back_to(circle, player_id)


@blueprint.post("/<int:player_id>/return")
def bring_back(name: str, player_id: int) -> Response:
    circle, known, _ = _named(name, player_id)
    people.bring_back(known.player)
    return _back_to(circle, player_id)


@blueprint.post("/<int:player_id>/merge")
def merge(name: str, player_id: int) -> Response | tuple[str, int]:
    circle, known, everybody = _named(name, player_id)
    told = request.form.get("into", "")
    into = next((other.player for other in _others(known, everybody) if str(other.player.id) == told), None)
    if into is None:
        return _page(circle, known, remark=Remark("into", "who-is-it")), 422
    shared = people.merge(known.player, into)
    if shared is not None:
        return _page(circle, known, into=told, shared=shared), 422
    return _back_to(circle, into.id)


@blueprint.post("/<int:player_id>/apart")
def take_apart(name: str, player_id: int) -> Response:
    circle, known, _ = _found(name, player_id)
    merged = next((other for other in known.merged if other.id == player_id), None)
    if merged is not None and merged.erased_at is None:
        people.take_apart(merged)
    return _back_to(circle, known.player.id)


@blueprint.route("/<int:player_id>/erase", methods=["GET", "POST"])
def erase(name: str, player_id: int) -> str | Response | tuple[str, int]:
    """Erase a person's name, once it is typed to say so."""
    circle, known, _ = _named(name, player_id)
    typed, earlier = one_line(request.form.get("typed")), one_line(request.form.get("earlier"))
    remark = None
    if request.method == "POST":
        remark = _erased(known, typed, earlier)
        if remark is None:
            return redirect(url_for("people.show", name=name, erased="yes"), 303)
    page = render_template("people/erase.html", circle=circle, known=known, typed=typed, earlier=earlier, remark=remark)
    return (page, 422) if remark is not None else page


def _erased(known: Known, typed: str, earlier: str) -> Remark | None:
    if not is_typed(typed, known.player.name):
        return Remark("typed", "not-the-words", {"must": known.player.name})
    return people.erase(known.player, [name.strip() for name in earlier.split(",")])


def _found(name: str, player_id: int) -> tuple[Circle, Known, list[Known]]:
    """For a host: the circle, the person that this player is, and everybody."""
    circle = access.circle_or_not_yours(name, HOST).circle
    everybody = people.people_of(circle)
    found = (one for one in everybody if player_id in (one.player.id, *(other.id for other in one.merged)))
    known = next(found, None)
    if known is None:
        abort(404)
    return circle, known, everybody


def _named(name: str, player_id: int) -> tuple[Circle, Known, list[Known]]:
    """The same for what is done to a person as such, one who still has a name."""
    circle, known, everybody = _found(name, player_id)
    if known.player.id != player_id or known.player.erased_at is not None:
        abort(404)
    return circle, known, everybody


def _others(known: Known, everybody: list[Known]) -> list[Known]:
    """Who else this person might be."""
    return [other for other in everybody if other.player.id != known.player.id and other.player.erased_at is None]


def _page(
    circle: Circle,
    known: Known,
    *,
    typed: str | None = None,
    into: str = "",
    remark: Remark | None = None,
    shared: Table | None = None,
) -> str:
    return render_template(
        "people/player.html",
        circle=circle,
        known=known,
        others=_others(known, people.people_of(circle)),
        typed=known.player.name if typed is None else typed,
        into=into,
        remark=remark,
        shared=shared,
    )


def _back_to(circle: Circle, player_id: int) -> Response:
    return redirect(url_for("people.player", name=circle.name, player_id=player_id), 303)
