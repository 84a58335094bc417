"""Who takes part in an event: typed, pasted or ticked; leaving, coming back, substitutes."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from flask import Blueprint, abort, g, redirect, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, Field, HiddenField, TextAreaField
from wtforms.validators import DataRequired, ValidationError

from ...limits import MAX_NAME_LENGTH
from ...people.reading import list_active_persons, read_ids_by_token
from ...scoring.problems import Problem, Refusal
from ...scoring.values import clean_name
from ...site.fields import ChoiceField, ChoicesField, MaxLength, TapField, TextField, parse_digits
from ...site.forms import MEANING, Form, SentField
from ...site.language import t
from .. import entrants
from ..access import get_state_or_404
from ..drawing import GROUPS, Member
from ..entrants import Entered, find_long_names, list_names
from ..phones import DIRECT, Outcome
from ..reading import EventState
from .rendering import render_event

blueprint = Blueprint("event_entrants", __name__, url_prefix="/events/<token>/entrants")

MAX_LIST_LENGTH = 60_000  # characters: more than a thousand of the longest names


def list_group_choices() -> list[tuple[str, str]]:
    return [("", t("event-setup.prize.group.none")), *((group, t(f"event-group.{group}")) for group in GROUPS)]


class EnteringForm(Form):
    """People to enter, of whom `team_size` play together, and their group."""

    group = TapField(default="", choices=list_group_choices)

    def __init__(self, state: EventState, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.team_size = state.format.team_size


class NamesForm(EnteringForm):
    """A list of names."""

    names = TextAreaField(validators=[MaxLength(MAX_LIST_LENGTH)])
    meanings = SentField(MEANING)

    def read_names(self) -> tuple[list[str], list[str]]:
        """Return the names, and who of them has no partner."""
        return parse_names(self.names.data or "", in_pairs=self.team_size > 1)

    def validate_names(self, field: Field) -> None:
        names, without_partner = self.read_names()
        if not names:
            raise ValidationError(Problem(field.name, "list-empty"))
        if without_partner:
            raise ValidationError(Problem(field.name, "pair-incomplete", {"found": list_names(without_partner)}))
        if len(names) % self.team_size:
            raise ValidationError(
                Problem(field.name, "fort-incomplete", {"count": self.team_size, "found": len(names)})
            )
        if problem := find_long_names(field.name, names):
            raise ValidationError(problem)


class PeopleForm(EnteringForm):
    """People of the circle, by their tokens; those who take part already may be among them, if it is sent twice."""

    person = ChoicesField(validators=[DataRequired(Problem("person", "tick-somebody"))])

    def __init__(self, state: EventState, **kwargs: Any) -> None:
        super().__init__(state, **kwargs)
        self.person.choices = [(person.token, person.name) for person in list_active_persons(state.event.circle)]

    def validate_person(self, field: Field) -> None:
        if len(field.data) % self.team_size:
            raise ValidationError(Problem(field.name, "tick-all", {"count": self.team_size}))

    def find_field(self, name: str) -> Field | None:
        return super().find_field("person" if name == "names" else name)


def _render(
    state: EventState,
    *,
    by_name: NamesForm | None = None,
    by_person: PeopleForm | None = None,
    added: int | None = None,
    entered: Entered | None = None,
) -> str:
    """Render the list; `entered` says who was not entered again."""
    already = entered.already if entered is not None else ()
    return render_event(
        "events/entrants.html",
        state,
        by_name=by_name or NamesForm(state, formdata=None),
        by_person=by_person or PeopleForm(state, formdata=None),
        candidates=[(person.token, person.name) for person in entrants.list_candidates(state)],
        added=added,
        twice=entered.twice if entered is not None else (),
        already=already,
        left=[
            member
            for member in state.entrants.values()
            if member.name in already and member.has_left(state.current_number)
        ],
    )


def _redirect_to_list(token: str, added: int | None = None) -> ResponseReturnValue:
    return redirect(url_for("event_entrants.show", token=token, added=added), 303)


@blueprint.get("")
def show(token: str) -> str:
    return _render(get_state_or_404(token, DIRECT), added=parse_digits(request.args.get("added")))


@blueprint.post("")
def add_names(token: str) -> ResponseReturnValue:
    state = get_state_or_404(token, DIRECT)
    form = NamesForm(state)
    if not form.validate():
        return _render(state, by_name=form), 422
    names, _ = form.read_names()
    outcome = entrants.add_names(state.event, names, g.membership, form.group.data, form.meanings.data)
    state = get_state_or_404(token, DIRECT)
    if isinstance(outcome, Refusal):
        form.add_problems(outcome.problems)
        return _render(state, by_name=form), 422
    entered = outcome.value
    if entered.already or entered.twice:  # they are named, and stay in the field
        form.names.data = "\n".join(dict.fromkeys([*entered.twice, *entered.already]))
        return _render(state, by_name=form, added=len(entered.numbers), entered=entered)
    return _redirect_to_list(token, len(entered.numbers))


@blueprint.post("/people")
def add_people(token: str) -> ResponseReturnValue:
    state = get_state_or_404(token, DIRECT)
    form = PeopleForm(state)
    if not form.validate():
        return _render(state, by_person=form), 422
    ids = read_ids_by_token(state.event.circle)
    people = [ids[person] for person in form.person.data]
    outcome = entrants.add_people(state.event, people, g.membership, form.group.data)
    if isinstance(outcome, Refusal):
        form.add_problems(outcome.problems)
        return _render(get_state_or_404(token, DIRECT), by_person=form), 422
    return _redirect_to_list(token, len(outcome.value.numbers))


# --- one entrant -------------------------------------------------------------------------------------------


class EntrantForm(Form):
    """A change of an entrant. The page names the person, since the number may be somebody else's by now."""

    person = HiddenField()

    def __init__(self, state: EventState, entrant: Member, **kwargs: Any) -> None:
        person = next(row.player for row in state.event.entrants if row.number == entrant.number)
        current = {"person": person.token, "group": entrant.group, "is_stationary": entrant.is_stationary}
        super().__init__(data=current, **kwargs)

    @property
    def is_of_same_person(self) -> bool:
        return bool(self.person.data == self.person.object_data)


class LeavingForm(EntrantForm):
    round = ChoiceField(coerce=int)  # the last one that is played

    def __init__(self, state: EventState, entrant: Member, **kwargs: Any) -> None:
        super().__init__(state, entrant, **kwargs)
        first = max(state.current_number, 1, entrant.first_round - 1)
        rounds = range(first, state.event.rounds)
        self.round.choices = [(number, t("entrants.after-round", number=number)) for number in rounds]


class SubstituteForm(EntrantForm):
    """Who plays under the number from a round on: somebody else, or the entrant `themselves` again."""

    name = TextField(validators=[MaxLength(MAX_NAME_LENGTH, "long-name")])
    round = ChoiceField(coerce=int)
    themselves = BooleanField()
    meanings = SentField(MEANING)

    def __init__(self, state: EventState, entrant: Member, **kwargs: Any) -> None:
        super().__init__(state, entrant, **kwargs)
        first = max(state.current_number, 1)
        self.round.choices = [
            (number, _name_first_round(number, state.current_number))
            for number in range(first, min(first + 1, state.event.rounds) + 1)
        ]

    def validate_name(self, field: Field) -> None:
        if not field.data and not self.themselves.data:
            raise ValidationError(Problem(field.name, "name-blank"))

    def find_field(self, name: str) -> Field | None:
        return super().find_field("name" if name == "names" else name)


def _name_first_round(number: int, current: int) -> str:
    words = t("entrants.from-round", number=number)
    return f"{words} ({t('entrants.now')})" if number == current else words


class GroupForm(EntrantForm):
    group = TapField(choices=list_group_choices)


class StationaryForm(EntrantForm):
    is_stationary = BooleanField()


EntrantFormT = TypeVar("EntrantFormT", bound=EntrantForm)


def _render_one(state: EventState, number: int, sent: EntrantForm | None = None) -> str:
    """Render an entrant's page, with the form that was `sent` as it is, if one was refused."""
    entrant = state.entrants.get(number) or abort(404)
    current, planned = state.current_number, state.event.rounds
    has_left = entrant.has_left(current)

    def prepare(form_class: type[EntrantFormT]) -> EntrantFormT:
        return sent if isinstance(sent, form_class) else form_class(state, entrant, formdata=None)

    return render_event(
        "events/entrant.html",
        state,
        entrant=entrant,
        unchanged=prepare(EntrantForm),
        leaving=prepare(LeavingForm),
        substitute=prepare(SubstituteForm),
        group=prepare(GroupForm),
        stationary=prepare(StationaryForm),
        form_errors=sent.form_errors if sent is not None else (),
        partners=[member for member in state.team_of(number) if member is not entrant],
        candidates=entrants.list_candidates(state),
        has_left=has_left,
        may_be_removed=entrants.may_be_removed(state, number),
        may_return=entrant.last_round is not None and (not has_left or current < planned),
    )


@blueprint.get("/<int:number>")
def show_one(token: str, number: int) -> str:
    return _render_one(get_state_or_404(token, DIRECT), number)


def _read_change(form_class: type[EntrantFormT], token: str, number: int) -> tuple[EventState, EntrantFormT]:
    """Return the event, and the form that was sent for the entrant; 404 if the number is somebody else's by now."""
    state = get_state_or_404(token, DIRECT)
    entrant = state.entrants.get(number) or abort(404)
    form = form_class(state, entrant)
    return (state, form) if form.is_of_same_person else abort(404)


def _respond(outcome: Outcome, token: str, number: int, form: EntrantForm) -> ResponseReturnValue:
    if isinstance(outcome, Refusal):
        form.add_problems(outcome.problems)
        return _render_one(get_state_or_404(token, DIRECT), number, form), 422
    return redirect(url_for("event_entrants.show_one", token=token, number=number, done="saved"), 303)


@blueprint.post("/<int:number>/leave")
def leave(token: str, number: int) -> ResponseReturnValue:
    state, form = _read_change(LeavingForm, token, number)
    if not form.validate():
        return _render_one(state, number, form), 422
    outcome = entrants.change(state.event, number, g.membership, last_round=form.round.data)
    return _respond(outcome, token, number, form)


@blueprint.post("/<int:number>/return")
def come_back(token: str, number: int) -> ResponseReturnValue:
    state, form = _read_change(EntrantForm, token, number)
    return _respond(entrants.change(state.event, number, g.membership, last_round=None), token, number, form)


@blueprint.post("/<int:number>/substitute")
def substitute(token: str, number: int) -> ResponseReturnValue:
    state, form = _read_change(SubstituteForm, token, number)
    if not form.validate():
        return _render_one(state, number, form), 422
    name = state.entrants[number].name if form.themselves.data else form.name.data
    outcome = entrants.substitute(state.event, number, name, form.round.data, g.membership, form.meanings.data)
    return _respond(outcome, token, number, form)


@blueprint.post("/<int:number>/group")
def set_group(token: str, number: int) -> ResponseReturnValue:
    state, form = _read_change(GroupForm, token, number)
    if not form.validate():
        return _render_one(state, number, form), 422
    return _respond(entrants.change(state.event, number, g.membership, group=form.group.data), token, number, form)


@blueprint.post("/<int:number>/stationary")
def set_stationary(token: str, number: int) -> ResponseReturnValue:
    state, form = _read_change(StationaryForm, token, number)
    outcome = entrants.change(state.event, number, g.membership, is_stationary=form.is_stationary.data)
    return _respond(outcome, token, number, form)


@blueprint.post("/<int:number>/remove")
def remove(token: str, number: int) -> ResponseReturnValue:
    """Remove the entrant; nobody if the number is somebody else's by now, as after a form that was sent twice."""
    state = get_state_or_404(token, DIRECT)
    entrant = state.entrants.get(number)
    form = EntrantForm(state, entrant) if entrant is not None else None
    if entrant is None or form is None or not form.is_of_same_person:
        return _redirect_to_list(token)
    outcome = entrants.remove(state.event, number, entrant.player_id, g.membership)
    if isinstance(outcome, Refusal):
        form.add_problems(outcome.problems)
        return _render_one(get_state_or_404(token, DIRECT), number, form), 422
    return _redirect_to_list(token)


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
