"""The people of a circle; for hosts, renaming, retiring, merging and erasing them."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...models import Circle, Event, Player, Table
from ...models.rights import HOST
from ...scoring.problems import Problem
from ...services.money.balances import read_open_accounts
from ...services.money.scopes import Scope
from ...services.people import erasure, people
from ...services.people.erasure import Answer, Remaining, digest
from ...services.people.people import PersonRow
from ..circles.forms import MergeForm, PersonErasureForm, ProblemForm, RenameForm
from ..support import access
from ..support.amounts import open_amount
from ..support.forms import read_meanings
from ..support.language import in_name_order, t

blueprint = Blueprint("people", __name__, url_prefix="/circles/<name>/people")

SHOWN, TEXT = "shown:", "text:"  # how the fields of texts that hold an erased name begin


@blueprint.get("")
def show(name: str) -> str:
    """List the people who play, and those who have retired."""
    circle = access.get_circle_or_404(name).circle
    everybody = _list_people(circle)
    return render_template(
        "people/people.html",
        circle=circle,
        playing=[person for person in everybody if person.player.retired_at is None],
        retired=[person for person in everybody if person.player.retired_at is not None],
    )


@blueprint.get("/<player_token>")
def player(name: str, player_token: str) -> str | Response:
    """Show a person to a host; a merged player's URL redirects to the person it was merged into."""
    context = _get_person_or_404(name, player_token)
    person_token = context.person.player.token
    return _page(context) if person_token == player_token else _redirect_to(name, person_token)


@blueprint.post("/<player_token>/rename")
def rename(name: str, player_token: str) -> Response | tuple[str, int]:
    """Rename a person."""
    person = _get_changeable_or_404(name, player_token).person
    form = RenameForm()
    return _respond(name, player_token, form, people.rename(person.player, form.name.data, g.browser, read_meanings()))


@blueprint.post("/<player_token>/retire")
def retire(name: str, player_token: str) -> Response | tuple[str, int]:
    """Retire a person, who is no longer suggested for new tables."""
    person = _get_changeable_or_404(name, player_token).person
    return _respond(name, player_token, ProblemForm(), people.set_retired(person.player, True, g.browser))


@blueprint.post("/<player_token>/return")
def bring_back(name: str, player_token: str) -> Response | tuple[str, int]:
    """Reverse a retirement."""
    person = _get_changeable_or_404(name, player_token).person
    return _respond(name, player_token, ProblemForm(), people.set_retired(person.player, False, g.browser))


@blueprint.post("/<player_token>/merge")
def merge(name: str, player_token: str) -> Response | tuple[str, int]:
    """Merge a person into the one whose token is in the field `into`."""
    context = _get_person_or_404(name, player_token)
    person_token, form = context.person.player.token, MergeForm()
    if form.into.data == person_token != player_token:
        return _redirect_to(name, person_token)  # sent again: it is done
    _require_changeable(context.person, player_token)
    others = {other.token: other for other in _others(context)}
    form.into.choices = _choices(context)
    if not form.validate():
        return _page(context, form), 422
    into = others[form.into.data]
    into_token, result = into.token, people.merge(context.person.player, into, g.browser)
    if isinstance(result, Table | Event):
        return _page(_get_person_or_404(name, player_token), form, shared=result), 422
    return _respond(name, into_token if result is None else player_token, form, result)


@blueprint.post("/<player_token>/apart")
def unmerge(name: str, player_token: str) -> Response:
    """Separate a merged player from its person again."""
    person = _get_person_or_404(name, player_token).person
    person_token = person.player.token
    merged = next((other for other in person.merged if other.token == player_token), None)
    if merged is not None and merged.erased_at is None:
        people.unmerge(merged, g.browser)
    return _redirect_to(name, person_token)


@blueprint.route("/<player_token>/erase", methods=["GET", "POST"])
def erase(name: str, player_token: str) -> str | Response | tuple[str, int]:
    """Erase a person's name, once it is typed as a confirmation.

    Texts that hold it inside of another word are shown, to change or keep.
    """
    if request.method == "GET":
        person = _get_changeable_or_404(name, player_token).person
        return _erasure_page(name, player_token, PersonErasureForm(), erasure.find_remaining(person.player))
    person = _get_person_or_404(name, player_token).person
    if person.player.erased_at is not None:  # sent again: it is done
        return _redirect_after_erasure(name)
    _require_changeable(person, player_token)
    form = PersonErasureForm.to_confirm(person.player.name)
    if form.validate():
        result = erasure.erase(person.player, form.earlier_names, g.browser, _answers())
        if result is None:
            return _redirect_after_erasure(name)
        if isinstance(result, Remaining):
            return _erasure_page(name, player_token, form, result), 422
        form.add_problem(result)
    person = _get_changeable_or_404(name, player_token).person
    remaining = erasure.find_remaining(person.player, form.earlier_names)
    return _erasure_page(name, player_token, form, remaining), 422


def _answers() -> dict[str, Answer]:
    """Return the texts that were sent, by their keys."""
    shown = {key: text for key, text in request.form.items() if key.startswith(SHOWN)}
    return {
        key.removeprefix(SHOWN): Answer(mark, request.form.get(f"{TEXT}{key.removeprefix(SHOWN)}", ""))
        for key, mark in shown.items()
    }


def _erasure_page(name: str, player_token: str, form: PersonErasureForm, remaining: Remaining) -> str:
    circle, person, _ = _get_changeable_or_404(name, player_token)
    texts = [(written, digest(written.text)) for written in remaining.texts]
    typed = {(key, answer.shown): answer.text for key, answer in _answers().items()}
    return render_template(
        "people/erase.html",
        circle=circle,
        person=person,
        open_amounts=_find_open_amounts(circle, person.player.name),
        form=form,
        texts=[(written, mark, typed.get((written.key, mark), written.text)) for written, mark in texts],
        hidden=remaining.hidden,
        prefixes=(SHOWN, TEXT),
        was_incomplete=request.method == "POST" and any((written.key, mark) not in typed for written, mark in texts),
    )


def _find_open_amounts(circle: Circle, name: str) -> list[str]:
    """Return what somebody still gets or pays, in words, account by account."""
    amounts = ((account.key, account.coins.get(name, 0)) for account in read_open_accounts(circle, Scope()).values())
    return [open_amount(key, amount) for key, amount in amounts if amount]


def _redirect_after_erasure(name: str) -> Response:
    return redirect(url_for("people.show", name=name, erased="yes"), 303)


def _list_people(circle: Circle) -> list[PersonRow]:
    """Return the people of a circle by name."""
    return in_name_order(people.list_people(circle), lambda row: row.player.name)


class PersonContext(NamedTuple):
    """A person with the circle and everybody in it."""

    circle: Circle
    person: PersonRow
    everybody: list[PersonRow]


def _get_person_or_404(name: str, player_token: str) -> PersonContext:
    """Return the person that a player is, or was merged into; 403 unless the browser is a host's."""
    circle = access.get_circle_or_404(name, HOST).circle
    everybody = _list_people(circle)
    found = (row for row in everybody if player_token in (row.player.token, *(other.token for other in row.merged)))
    person = next(found, None)
    if person is None:
        abort(404)
    return PersonContext(circle, person, everybody)


def _get_changeable_or_404(name: str, player_token: str) -> PersonContext:
    """Return the person with this player's token; 404 also if they have been merged or their name erased."""
    context = _get_person_or_404(name, player_token)
    _require_changeable(context.person, player_token)
    return context


def _require_changeable(person: PersonRow, player_token: str) -> None:
    if person.player.token != player_token or person.player.erased_at is not None:
        abort(404)


def _others(context: PersonContext) -> list[Player]:
    """Return the people that a person may be merged into."""
    others = [other.player for other in context.everybody if other is not context.person]
    return [other for other in others if other.erased_at is None]


def _choices(context: PersonContext) -> list[tuple[str, str]]:
    """Return the options of `MergeForm.into`: an empty one first, so that nobody is chosen by accident."""
    return [("", t("player.merge.choose")), *((other.token, other.name) for other in _others(context))]


def _respond(name: str, player_token: str, form: ProblemForm, problem: Problem | None) -> Response | tuple[str, int]:
    """Redirect to the person after a write, or show their page with the problem."""
    if problem is None:
        return _redirect_to(name, player_token)
    form.add_problem(problem)
    return _page(_get_person_or_404(name, player_token), form), 422


def _page(context: PersonContext, form: ProblemForm | None = None, *, shared: Table | Event | None = None) -> str:
    """Render a person's page.

    `form` is the one that was sent, with its problems; `shared` a table or an event at which both people of a refused
    merge played.
    """
    player = context.person.player
    merge_form = form if isinstance(form, MergeForm) else MergeForm(formdata=None)
    merge_form.into.choices = _choices(context)
    return render_template(
        "people/player.html",
        circle=context.circle,
        person=context.person,
        problems=form.form_errors if form is not None else (),
        rename_form=form if isinstance(form, RenameForm) else RenameForm(formdata=None, name=player.name),
        merge_form=merge_form,
        shared_table=shared if isinstance(shared, Table) else None,
        shared_event=shared if isinstance(shared, Event) else None,
    )


def _redirect_to(name: str, player_token: str) -> Response:
    return redirect(url_for("people.player", name=name, player_token=player_token), 303)
