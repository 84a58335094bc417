"""Evenings to come: the list, one of them with who comes, and the forms to plan, change and cancel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response
from wtforms import BooleanField, HiddenField, StringField

from ..circles import access
from ..circles.links import SharedLink, join_url, read_link_secrets
from ..db.outcome import Done
from ..i18n import in_name_order
from ..limits import parse_day
from ..models import SCORE, WATCH, Circle, Membership, PlannedEvening, Player, may, new_token
from ..people.reading import list_active_persons, read_ids_by_token, read_persons
from ..scoring.problems import Problem, Refusal
from ..scoring.values import clean_name
from ..site import rate_limits
from ..site.fields import SwitchField, parse_digits
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
    return _render(evening, request.args.get("day"))


def _get_or_404(membership: Membership, token: str) -> PlannedEvening:
    return planned.find(membership.circle, token) or abort(404)


def _render(
    evening: PlannedEvening,
    day: str | None,
    form: AnswerForm | None = None,
    problems: Sequence[Problem] = (),
    *,
    is_stale: bool = False,
) -> str:
    """Render the page. `form` has an answer that was not recorded."""
    circle: Circle = g.membership.circle
    today = find_today(circle.time_zone)
    meetings = planned.list_meetings_of(evening, today, today + planned.AHEAD)
    meeting = next((each for each in meetings if each.day.isoformat() == day), meetings[0] if meetings else None)
    if meeting is None:
        return render_template("evenings/planned/over.html", circle=circle, evening=evening)
    coming = answers.read_coming(circle, [meeting])[meeting]
    people = in_name_order(list_active_persons(circle))
    owner = answers.find_owner(g.membership)
    return render_template(
        "evenings/planned/evening.html",
        circle=circle,
        evening=evening,
        seen=planned.build_seen(evening),
        meeting=meeting,
        title=describe_meeting(meeting),
        addition=" · ".join(filter(None, [evening.place, describe_repeats(evening)])),
        others=[
            (find_meeting_url(circle, each), describe_meeting(each), each.is_cancelled)
            for each in meetings[:MAX_ON_PAGE]
            if each != meeting
        ],
        is_today=meeting.day == today,
        coming=_list_coming(circle, coming),
        tables=describe_coming(coming),
        owner=owner,
        people=_list_who_may_answer(people, owner),
        silent=[person for person in people if person.id not in coming.by_person],
        form=form or _fill_form(coming, owner),
        answers=[(each, t(f"planned.answer.{each}")) for each in ANSWERS],
        problems=problems,
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


def _list_who_may_answer(people: list[Player], owner: Player | None) -> list[tuple[str, str]]:
    """List for whom an answer can be given; without the right to score, only for the phone's owner."""
    if owner is not None and not may(g.membership.right, SCORE):
        people = [owner]
    return [("", t("planned.who.choose")), *((person.token, person.name) for person in people)] if people else []


def _fill_form(coming: Coming, owner: Player | None) -> AnswerForm:
    if owner is None:
        return AnswerForm(formdata=None, is_own=True)
    row = coming.by_person.get(owner.id)
    given = {"answer": row.answer, "guests": str(row.guests)} if row is not None else {}
    return AnswerForm(formdata=None, who=owner.token, **given)


def _invitation(meeting: Meeting) -> dict[str, Any]:
    """Return a link that invites others to watch, or else to score, if this phone knows one; never one for hosts."""
    secrets = read_link_secrets()
    right = next((right for right in (WATCH, SCORE) if right in secrets), None)
    if right is None:
        return {"right": None}
    url = join_url(g.membership.circle, secrets[right], planned=f"{meeting.evening.token}.{meeting.day}")
    return {"right": right, "link": SharedLink(url)}


class DayForm(WriteForm):
    day = HiddenField()

    def read_day(self) -> date:
        return parse_day(self.day.data or "") or abort(400)


class AnswerForm(DayForm):
    answer = StringField(default="")
    guests = StringField(default="0", filters=[clean_name])
    who = StringField(default="")
    name = StringField(filters=[clean_name])
    is_own = BooleanField()
    meanings = SentField(MEANING)

    def read(self, ids: Mapping[str, int]) -> Reply:
        """Return the answer; `ids` are those of the players by their tokens."""
        return Reply(
            day=self.read_day(),
            seen=self.seen.data,
            answer=self.answer.data or "",
            guests=parse_digits(self.guests.data or "0"),
            player_id=ids.get(self.who.data or ""),
            name=self.name.data or "",
            is_own=bool(self.is_own.data),
            meanings=self.meanings.data,
        )


@blueprint.post(f"{PATH}/<planned_token>/answer")
def answer(circle_token: str, planned_token: str) -> Response | tuple[str | Response, int]:
    membership = access.get_membership_or_404(circle_token)
    evening = _get_or_404(membership, planned_token)
    form = AnswerForm()
    reply = form.read(read_ids_by_token(membership.circle))
    if reply.name:
        rate_limits.count_check_in()
    result = answers.answer(evening, reply, membership)
    if isinstance(result, Done):
        shown = url_for(
            "planned.show", circle_token=circle_token, planned_token=planned_token, day=reply.day, answered="yes"
        )
        return redirect(shown, 303)
    evening = _get_or_404(access.get_membership_or_404(circle_token), planned_token)
    if isinstance(result, Refusal):
        return _render(evening, reply.day.isoformat(), form, result.problems), 422
    return _render(evening, reply.day.isoformat(), form, is_stale=True), 409


# --- planning ----------------------------------------------------------------------------------------------


class PlanForm(WriteForm):
    """An evening to come; `seen` is blank on the page for a new one."""

    day = StringField(filters=[clean_name])
    begins = StringField(filters=[clean_name, planned.normalize_time])
    place = StringField(filters=[clean_name])
    repeats = StringField(filters=[clean_name])

    def read(self) -> EveningPlan:
        return EveningPlan(self.day.data, self.begins.data, self.place.data, self.repeats.data)


@blueprint.route(f"{PATH}/new", methods=["GET", "POST"])
def new(circle_token: str) -> str | Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token, SCORE)
    if request.method != "POST":
        return _render_form(None, PlanForm(formdata=None))
    form = PlanForm()
    result = planned.plan(membership.circle, form.read(), form.read_key(), membership)
    if isinstance(result, Done):
        return redirect(url_for("planned.show", circle_token=circle_token, planned_token=result.value), 303)
    access.get_membership_or_404(circle_token, SCORE)  # the write has expired what was loaded
    if isinstance(result, Refusal):
        return _render_form(None, form, result.problems), 422
    form.key.data = new_token()
    return _render_form(None, form, earlier=result.current), 409


@blueprint.route(f"{PATH}/<planned_token>/change", methods=["GET", "POST"])
def change(circle_token: str, planned_token: str) -> str | Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token, SCORE)
    evening = _get_or_404(membership, planned_token)
    today = find_today(membership.circle.time_zone)
    if request.method != "POST":
        stored = planned.read_plan(evening, today)
        return _render_form(evening, PlanForm(formdata=None, obj=stored, seen=planned.build_seen(evening)))
    form = PlanForm()
    result = planned.change(evening, form.read(), form.seen.data, membership)
    if isinstance(result, Done):
        return redirect(url_for("planned.show", circle_token=circle_token, planned_token=planned_token), 303)
    evening = _get_or_404(access.get_membership_or_404(circle_token, SCORE), planned_token)
    if isinstance(result, Refusal):
        return _render_form(evening, form, result.problems), 422
    form.seen.data = planned.build_seen(evening)
    current = Meeting(evening, date.fromisoformat(planned.read_plan(evening, today).day))
    return _render_form(evening, form, current=describe_meeting(current)), 409


def _render_form(
    evening: PlannedEvening | None,
    form: PlanForm,
    problems: Sequence[Problem] = (),
    *,
    current: str = "",
    earlier: str | None = None,
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
        problems=problems,
        places=list_places(circle),
        today=find_today(circle.time_zone),
        repeats=[(each, t(f"planned.repeat.{each or 'never'}")) for each in ("", *planned.REPEATS)],
        current=current,
        earlier=earlier,
    )


class CancelForm(DayForm):
    cancelled = SwitchField()


@blueprint.post(f"{PATH}/<planned_token>/cancel")
def cancel(circle_token: str, planned_token: str) -> Response | tuple[str, int]:
    membership = access.get_membership_or_404(circle_token, SCORE)
    evening = _get_or_404(membership, planned_token)
    form = CancelForm()
    form.require_valid()
    day = form.read_day()
    result = planned.cancel(evening, day, form.cancelled.data, form.seen.data, membership)
    if isinstance(result, Done):
        return redirect(url_for("planned.show", circle_token=circle_token, planned_token=planned_token, day=day), 303)
    evening = _get_or_404(access.get_membership_or_404(circle_token, SCORE), planned_token)
    return _render(evening, day.isoformat(), is_stale=True), 409
