"""Who takes part in an event: typed, pasted or ticked; leaving, coming back, substitutes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from flask import Blueprint, abort, g, redirect, request, url_for
from wtforms import BooleanField, HiddenField, RadioField, SelectMultipleField, StringField, TextAreaField

from ...db.outcome import Done
from ...people.reading import read_ids_by_token
from ...scoring.problems import Problem, Refusal
from ...scoring.values import clean_name
from ...site.fields import DigitsField, parse_digits
from ...site.forms import MEANING, Form, SentField
from ...site.language import t
from .. import entrants
from ..access import get_state_or_404
from ..drawing import GROUPS
from ..entrants import Entered, EntrantColumns, list_names
from ..phones import DIRECT
from ..reading import EventState
from .rendering import Answer, render_event, respond

blueprint = Blueprint("event_entrants", __name__, url_prefix="/events/<token>")

MAX_TYPED = 60_000  # characters of a list: more than a thousand of the longest names


def known_group(sent: str | None) -> str:
    """Return the group that was sent; "" for what is none, so that a field needs no choices."""
    return sent if sent in GROUPS else ""


class EntrantsForm(Form):
    do = HiddenField()  # "names" or "people"
    names = TextAreaField(filters=[lambda typed: (typed or "")[:MAX_TYPED]])
    person = SelectMultipleField(validate_choice=False)  # who is no longer in the circle is left out
    group = RadioField(validate_choice=False, default="", filters=[known_group])
    meanings = SentField(MEANING)


def _render(
    state: EventState,
    form: EntrantsForm,
    problems: Sequence[Problem] = (),
    *,
    added: int | None = None,
    twice: Sequence[str] = (),
    already: Sequence[str] = (),
) -> str:
    """Render the list; `twice` and `already` are the names of those who were not entered again."""
    form.group.choices = list_group_choices(state)
    form.person.choices = [(person.token, person.name) for person in entrants.list_candidates(state)]
    return render_event(
        "events/entrants.html",
        state,
        form=form,
        problems=problems,
        added=added,
        twice=twice,
        already=already,
        left=[each for each in state.members if each.name in already and each.has_left(state.current_number)],
    )


def list_group_choices(state: EventState) -> list[tuple[str, str]]:
    if not state.format.has_groups:
        return []
    return [("", t("event-setup.prize.group.none")), *((group, t(f"event-group.{group}")) for group in GROUPS)]


@blueprint.route("/entrants", methods=["GET", "POST"])
def show(token: str) -> str | Answer:
    state = get_state_or_404(token, DIRECT)
    if request.method != "POST":
        return _render(state, EntrantsForm(None), added=parse_digits(request.args.get("added")))
    form = EntrantsForm()
    is_list = form.do.data != "people"
    outcome = (_add_names if is_list else _add_people)(state, form)
    numbers, already, twice = outcome.value if isinstance(outcome, Done) else Entered((), (), ())
    if is_list and (already or twice):  # they are named, and stay in the field
        form.names.data = "\n".join(dict.fromkeys([*twice, *already]))
        return _render(get_state_or_404(token, DIRECT), form, added=len(numbers), twice=twice, already=already)
    done = url_for("event_entrants.show", token=token, added=len(numbers))
    return respond(outcome, lambda **shown: _render(get_state_or_404(token, DIRECT), form, **shown), done)


def _add_names(state: EventState, form: EntrantsForm) -> Done[Entered] | Refusal | Problem:
    size = state.format.team_size
    names, without_partner = parse_names(form.names.data, in_pairs=size > 1)
    if not names:
        return Problem("names", "list-empty")
    if without_partner:
        return Problem("names", "pair-incomplete", {"found": list_names(without_partner)})
    if len(names) % size:
        return Problem("names", "fort-incomplete", {"count": size, "found": len(names)})
    return entrants.add_names(state.event, names, g.membership, form.group.data, form.meanings.data)


def _add_people(state: EventState, form: EntrantsForm) -> Done[Entered] | Refusal | Problem:
    ids = read_ids_by_token(state.event.circle)
    size = state.format.team_size
    ticked = [ids[person] for person in form.person.data or () if person in ids]
    if not ticked or len(ticked) % size:
        return Problem("people", "tick-all", {"count": size}) if ticked else Problem("people", "tick-somebody")
    return entrants.add_people(state.event, ticked, g.membership, form.group.data)


# --- one entrant -------------------------------------------------------------------------------------------


class EntrantForm(Form):
    do = HiddenField()  # "remove", "substitute", or one of _CHANGES
    person = HiddenField()
    round = DigitsField()
    name = StringField(filters=[clean_name])
    themselves = BooleanField()
    group = RadioField(validate_choice=False, default="", filters=[known_group])
    is_stationary = BooleanField()
    meanings = SentField(MEANING)


def _render_one(state: EventState, number: int, form: EntrantForm, problems: Sequence[Problem] = ()) -> str:
    entrant = state.entrants.get(number) or abort(404)
    current, planned = state.current_number, state.event.rounds
    first = max(current, 1)
    stays, has_left = entrant.last_round is None, entrant.has_left(current)
    form.group.choices = list_group_choices(state)
    form.group.data = entrant.group
    form.is_stationary.data = entrant.is_stationary
    form.person.data = next(each.player.token for each in state.event.entrants if each.number == number)
    return render_event(
        "events/entrant.html",
        state,
        form=form,
        problems=problems,
        entrant=entrant,
        partners=[each for each in state.team_of(number) if each is not entrant],
        candidates=entrants.list_candidates(state),
        has_left=has_left,
        may_be_removed=entrants.may_be_removed(state, number),
        may_return=not stays and (not has_left or current < planned),
        leaving_rounds=range(max(first, entrant.first_round - 1), planned) if stays else (),
        substitute_rounds=range(first, min(first + 1, planned) + 1),
    )


@blueprint.get("/entrants/<int:number>")
def show_one(token: str, number: int) -> str:
    return _render_one(get_state_or_404(token, DIRECT), number, EntrantForm(None))


@blueprint.post("/entrants/<int:number>")
def change(token: str, number: int) -> Answer:
    """Change an entrant as `do` says; the page names the person, in case the number is somebody else's by now."""
    state, form = get_state_or_404(token, DIRECT), EntrantForm()
    entrant = state.entrants.get(number)
    what = form.do.data
    if what not in ("remove", "substitute", *_CHANGES):
        abort(400)
    person = read_ids_by_token(state.event.circle).get(form.person.data or "")
    listed = url_for("event_entrants.show", token=token)
    if entrant is None or entrant.player_id != person:
        # Sent again, or somebody else has removed them: the numbers have closed up.
        return redirect(listed, 303) if what == "remove" else abort(404)
    done = url_for("event_entrants.show_one", token=token, number=number, done="saved")
    if what == "remove":
        outcome, done = entrants.remove(state.event, number, person, g.membership), listed
    elif what == "substitute":
        name = entrant.name if form.themselves.data else form.name.data or ""
        first_round = form.round.data or 0
        outcome = entrants.substitute(state.event, number, name, first_round, g.membership, form.meanings.data)
    else:
        outcome = entrants.change(state.event, number, g.membership, **_CHANGES[what](form))
    return respond(outcome, lambda **shown: _render_one(get_state_or_404(token, DIRECT), number, form, **shown), done)


# What is set of an entrant.
_CHANGES: dict[str, Callable[[EntrantForm], EntrantColumns]] = {
    "leave": lambda form: {"last_round": -1 if form.round.data is None else form.round.data},
    "return": lambda _: {"last_round": None},
    "stationary": lambda form: {"is_stationary": form.is_stationary.data},
    "group": lambda form: {"group": form.group.data},
}


# --- lists of names ----------------------------------------------------------------------------------------


_BETWEEN_PEOPLE = re.compile(r"[\t,;]")
_BETWEEN_PARTNERS = re.compile(r"[&+/]")
_NUMBERING = re.compile(r"\A\s*\(?\d+\s*[.):]")  # 1. Anne, 2) Bruno


def parse_names(text: str, *, in_pairs: bool) -> tuple[list[str], list[str]]:
    """Return the names in a text: one a line, or with commas, semicolons or tabs between them; and who has no partner.

    Partners may stand in one line as "Anne & Bruno". Without that, every two names are partners. Numbers before the
    names, as lists have them, are left out.
    """
    names, broken = list[str](), list[str]()
    waiting = ""  # who stands alone so far
    for part in (part for line in text.splitlines() for part in _BETWEEN_PEOPLE.split(line)):
        pieces = _BETWEEN_PARTNERS.split(part) if in_pairs else [part]
        together = [name for name in map(_clean, pieces) if name]
        names += together
        if len(together) > 1:
            broken += filter(None, (waiting, *together[2:3]))
            waiting = ""
        elif together:
            waiting = "" if waiting else together[0]
    broken += filter(None, (waiting,))
    return names, broken if in_pairs else []


def _clean(piece: str) -> str:
    """Return a name without the number before it; "" for a number alone."""
    name = clean_name(_NUMBERING.sub("", piece))
    return "" if name.isdecimal() else name
