"""Evenings to come: the list, one of them with who comes, and the forms to plan, change and cancel."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response
from wtforms import BooleanField
from wtforms.validators import DataRequired, InputRequired, ValidationError

from ..circles import access
from ..circles.links import SharedLink, join_url, read_link_secrets
from ..db.outcome import Done, Stale
from ..i18n import in_name_order
from ..limits import MAX_GUESTS, MAX_NAME_LENGTH, MAX_PLACE_LENGTH, find_day_problem, parse_day
from ..models import SCORE, WATCH, Circle, Membership, PlannedEvening, Player, may, new_token
from ..people.reading import list_active_persons, read_ids_by_token, read_persons
from ..scoring.problems import Problem
from ..scoring.values import clean_name
from ..site import rate_limits
from ..site.fields import ChoiceField, DayField, MaxLength, NumberField, SwitchField, TapField, TextField
from ..site.forms import MEANING, SentField, WriteForm
from ..site.language import t
from ..site.time_zones import find_today
from ..tables.details import list_places
from . import answers, planned
from .answers import ANSWERS, Coming, Reply
from .meeting_texts import describe_coming, describe_meeting, describe_repeats, find_meeting_url, list_cards
from .planned import EveningPlan, Meeting

blueprint = Blueprint("planned", __name__)

PATH = "/circles/<circle_token>/planned"
MAX_IN_LIST = 4  # days of an evening that repeats, in the list
MAX_ON_PAGE = 8  # and on its own page


@blueprint.get(PATH)
def index(circle_token: str) -> str:
    circle = access.get_membership_or_404(circle_token).circle
    cards = list_cards(circle, planned.list_meetings(circle, MAX_IN_LIST))
    return render_template("evenings/planned/list.html", circle=circle, cards=cards)


# --- one evening, and the answers --------------------------------------------------------------------------


@blueprint.get(f"{PATH}/<planned_token>")
def show(circle_token: str, planned_token: str) -> str | Response:
    """Show an evening, by default its next day: who comes, and the form to answer. An old link leads to the list."""
    evening = planned.find(access.get_membership_or_404(circle_token).circle, planned_token)
    if evening is None:
        return redirect(url_for("planned.index", circle_token=circle_token), 303)
    return _render(evening, parse_day(request.args.get("day", "")))


def _get_or_404(membership: Membership, token: str) -> PlannedEvening:
    return planned.find(membership.circle, token) or abort(404)


def _render(
    evening: PlannedEvening, day: date | None, form: AnswerForm | None = None, *, is_stale: bool = False
) -> str:
    """Render the page of this day, or of the next one. `form` has an answer that was not recorded."""
    membership: Membership = g.membership
    circle = membership.circle
    today = find_today(circle.time_zone)
    meetings = planned.list_meetings_of(evening, today, today + planned.AHEAD)
    meeting = next((meeting for meeting in meetings if meeting.day == day), meetings[0] if meetings else None)
    if meeting is None:
        return render_template("evenings/planned/over.html", circle=circle, evening=evening)
    coming = answers.read_coming(circle, [meeting])[meeting]
    owner = answers.find_owner(membership)
    return render_template(
        "evenings/planned/evening.html",
        circle=circle,
        evening=evening,
        seen=planned.build_seen(evening),
        meeting=meeting,
        title=describe_meeting(meeting),
        addition=" · ".join(filter(None, [evening.place, describe_repeats(evening)])),
        others=[
            (find_meeting_url(circle, other), describe_meeting(other), other.is_cancelled)
            for other in meetings[:MAX_ON_PAGE]
            if other != meeting
        ],
        is_today=meeting.day == today,
        coming=_list_coming(circle, coming),
        tables=describe_coming(coming),
        owner=owner,
        silent=[person for person in in_name_order(list_active_persons(circle)) if person.id not in coming.by_person],
        form=form or _fill_form(membership, coming, owner),
        is_stale=is_stale,
        **_invitation(meeting),
    )


def _list_coming(circle: Circle, coming: Coming) -> list[tuple[str, int, list[tuple[Player, int]]]]:
    """List each answer with its count, and the people who gave it with the number of their guests."""
    persons = read_persons(circle)
    return [
        (answer, coming.count(answer), [(persons[id_], coming.by_person[id_].guests) for id_ in ids])
        for answer in ANSWERS
        if (ids := coming.list_people(answer))
    ]


def _fill_form(membership: Membership, coming: Coming, owner: Player | None) -> AnswerForm:
    row = coming.by_person.get(owner.id) if owner is not None else None
    given = {"answer": row.answer, "guests": row.guests} if row is not None else {}
    who = owner.token if owner is not None else ""
    return AnswerForm(membership, formdata=None, who=who, is_own=owner is None, **given)


def _invitation(meeting: Meeting) -> dict[str, Any]:
    """Return a link that invites others to watch, or else to score, if this phone knows one; never one for hosts."""
    secrets = read_link_secrets()
    right = next((right for right in (WATCH, SCORE) if right in secrets), None)
    if right is None:
        return {"right": None}
    url = join_url(g.membership.circle, secrets[right], planned=f"{meeting.evening.token}.{meeting.day}")
    return {"right": right, "link": SharedLink(url)}


class MeetingForm(WriteForm):
    """The day of an evening, and what its page has shown of it."""

    day = DayField(validators=[InputRequired()])


class AnswerForm(MeetingForm):
    answer = TapField(validators=[DataRequired(Problem("answer", "answer-missing"))])
    guests = NumberField(default=0, least=0, most=MAX_GUESTS)
    who = ChoiceField(default="")
    name = TextField(validators=[MaxLength(MAX_NAME_LENGTH, "long-name")])
    is_own = BooleanField()
    meanings = SentField(MEANING)

    def __init__(self, membership: Membership, **kwargs: Any) -> None:
        """Offer the people for whom this phone may answer: without the right to score, only its owner."""
        super().__init__(**kwargs)
        self.answer.choices = [(answer, t(f"planned.answer.{answer}")) for answer in ANSWERS]
        owner = answers.find_owner(membership)
        if owner is not None and not may(membership.right, SCORE):
            people = [owner]
        else:
            people = in_name_order(list_active_persons(membership.circle))
        self.who.choices = [("", t("planned.who.choose")), *((person.token, person.name) for person in people)]

    def validate_who(self, field: ChoiceField) -> None:
        if not field.data and not self.name.data:
            raise ValidationError(Problem("who", "who-answers"))

    def read(self, ids: Mapping[str, int]) -> Reply:
        """Return the answer; `ids` are those of the players by their tokens."""
        return Reply(
            day=self.day.data,
            seen=self.seen.data,
            answer=self.answer.data,
            guests=self.guests.data or 0,
            player_id=ids.get(self.who.data),
            name=self.name.data,
            is_own=self.is_own.data,
            meanings=self.meanings.data,
        )


@blueprint.post(f"{PATH}/<planned_token>/answer")
def answer(circle_token: str, planned_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token)
    evening = _get_or_404(membership, planned_token)
    form = AnswerForm(membership)
    is_valid = form.validate()
    day = form.day.data or abort(400)
    if not is_valid:
        return _render(evening, day, form), 422
    if form.name.data:
        rate_limits.count_check_in()
    result = answers.answer(evening, form.read(read_ids_by_token(membership.circle)), membership)
    if isinstance(result, Done):
        page = {"circle_token": circle_token, "planned_token": planned_token, "day": day}
        return redirect(url_for("planned.show", **page, answered="yes"), 303)
    evening = _get_or_404(access.get_membership_or_404(circle_token), planned_token)
    if isinstance(result, Stale):
        return _render(evening, day, form, is_stale=True), 409
    form.add_problems(result.problems)
    return _render(evening, day, form), 422


# --- planning ----------------------------------------------------------------------------------------------


class TimeField(TextField):
    """A time of day as people write it, such as 19:30, 19.30 or 19h30; None if it is blank."""

    data: Any

    def process_formdata(self, valuelist: list[str]) -> None:
        typed = clean_name(next(iter(valuelist), ""))
        self.raw_data = [typed]  # for InputRequired, to which spaces would be input
        self.data = planned.parse_time(typed)
        if typed and self.data is None:
            raise ValueError(Problem(self.name, "time", {"found": typed[:MAX_PLACE_LENGTH]}))

    def _value(self) -> str:
        return f"{self.data:%H:%M}" if self.data is not None else "".join(self.raw_data or ())


class PlanForm(WriteForm):
    """An evening to come; `seen` is blank on the page for a new one."""

    day = DayField(validators=[InputRequired(Problem("day", "day-missing"))])
    begins = TimeField(validators=[InputRequired(Problem("begins", "time-missing"))])
    place = TextField(validators=[DataRequired(Problem("place", "place-missing")), MaxLength(MAX_PLACE_LENGTH)])
    repeats = ChoiceField(default="")

    def __init__(self, circle: Circle, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.today = find_today(circle.time_zone)
        self.repeats.choices = [(unit, t(f"planned.repeat.{unit or 'never'}")) for unit in ("", *planned.REPEATS)]

    def validate_day(self, field: DayField) -> None:
        if field.data is None:
            return
        key = "past-day" if field.data < self.today else find_day_problem(field.data, self.today)
        if key is not None:
            raise ValidationError(Problem("day", key))

    def read(self) -> EveningPlan:
        return EveningPlan(self.day.data, self.begins.data, self.place.data, self.repeats.data)


@blueprint.route(f"{PATH}/new", methods=["GET", "POST"])
def new(circle_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE)
    form = PlanForm(membership.circle)
    if not form.is_submitted():
        return _render_form(form)
    if form.validate():
        result = planned.plan(membership.circle, form.read(), form.read_key(), membership)
        if isinstance(result, Done):
            return redirect(url_for("planned.show", circle_token=circle_token, planned_token=result.value), 303)
        access.reload_membership_or_404(circle_token, SCORE)
        if isinstance(result, Stale):
            form.key.data = new_token()
            return _render_form(form, earlier=result.current), 409
        form.add_problems(result.problems)
    return _render_form(form), 422


@blueprint.route(f"{PATH}/<planned_token>/change", methods=["GET", "POST"])
def change(circle_token: str, planned_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE)
    evening = _get_or_404(membership, planned_token)
    today = find_today(membership.circle.time_zone)
    form = PlanForm(membership.circle, obj=planned.read_plan(evening, today), seen=planned.build_seen(evening))
    if not form.is_submitted():
        return _render_form(form, evening)
    if not form.validate():
        return _render_form(form, evening), 422
    result = planned.change(evening, form.read(), form.seen.data, membership)
    if isinstance(result, Done):
        return redirect(url_for("planned.show", circle_token=circle_token, planned_token=planned_token), 303)
    evening = _get_or_404(access.get_membership_or_404(circle_token, SCORE), planned_token)
    form.seen.data = planned.build_seen(evening)
    current = Meeting(evening, planned.read_plan(evening, today).day)
    return _render_form(form, evening, current=describe_meeting(current)), 409


def _render_form(
    form: PlanForm, evening: PlannedEvening | None = None, *, current: str = "", earlier: str | None = None
) -> str:
    """Render the form.

    `current` says when the evening is, if others changed it; `earlier` is the token of one that this form has planned.
    """
    circle: Circle = g.membership.circle
    return render_template(
        "evenings/planned/form.html",
        circle=circle,
        evening=evening,
        form=form,
        places=list_places(circle),
        current=current,
        earlier=earlier,
    )


class CancelForm(MeetingForm):
    cancelled = SwitchField()


@blueprint.post(f"{PATH}/<planned_token>/cancel")
def cancel(circle_token: str, planned_token: str) -> ResponseReturnValue:
    membership = access.get_membership_or_404(circle_token, SCORE)
    evening = _get_or_404(membership, planned_token)
    form = CancelForm()
    form.require_valid()
    day = form.day.data
    result = planned.cancel(evening, day, form.cancelled.data, form.seen.data, membership)
    if isinstance(result, Done):
        return redirect(url_for("planned.show", circle_token=circle_token, planned_token=planned_token, day=day), 303)
    evening = _get_or_404(access.get_membership_or_404(circle_token, SCORE), planned_token)
    return _render(evening, day, is_stale=True), 409
