"""Evenings to come: the list, one of them with who comes, and the forms to plan, change and cancel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from typing import Any

from babel.dates import format_date, format_time
from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...models import Browser, Circle, PlannedEvening, Player
from ...models.rights import SCORE, WATCH, may
from ...repeating import MONTH, REPEATS, count_tables, find_week
from ...scoring.problems import Problem, Refusal
from ...scoring.values import clean_name
from ...services.circles.players import list_players, read_ids_by_token, read_persons
from ...services.outcome import Conflict, Done
from ...services.planned import answers, evenings
from ...services.planned.answers import ANSWERS, Coming, Reply
from ...services.planned.evenings import EveningPlan, Meeting
from ...services.tables.details import list_places
from ..circles.join import join_url, link_secrets
from ..support import access, rate_limits
from ..support.addresses import qr_code
from ..support.forms import is_yes, new_key, parse_id, read_choice, read_id, read_key, read_meanings
from ..support.language import in_name_order, t
from ..support.times import day_in_words

blueprint = Blueprint("planned", __name__, url_prefix="/circles/<name>/planned")

MOST = 4  # days of an evening that repeats, in the list
MOST_OF_ONE = 8  # and on its own page


@blueprint.get("")
def index(name: str) -> str:
    """List the circle's evenings to come."""
    circle = access.get_circle_or_404(name).circle
    meetings = evenings.list_meetings(circle, MOST)
    coming = answers.read_coming(circle, meetings)
    return render_template("planned/list.html", circle=circle, meetings=meetings, coming=coming)


# --- one evening, and the answers --------------------------------------------------------------------------


@blueprint.get("/<planned_token>")
def show(name: str, planned_token: str) -> str | Response:
    """Show an evening, by default its next day: who comes, and the form to answer. An old link leads to the list."""
    evening = evenings.find(access.get_circle_or_404(name).circle, planned_token)
    if evening is None:
        return redirect(url_for("planned.index", name=name), 303)
    return _page(evening, request.args.get("day"))


def _get_or_404(browser: Browser, token: str) -> PlannedEvening:
    evening = evenings.find(browser.circle, token)
    return evening if evening is not None else abort(404)


def _page(evening: PlannedEvening, day: str | None, sent: Reply | None = None, **more: Any) -> str:
    """Render the page. `sent` is an answer that was not recorded; `more` says why."""
    circle: Circle = g.browser.circle
    today = evenings.find_today(circle)
    meetings = evenings.meet(evening, today, today + evenings.AHEAD)
    meeting = next((each for each in meetings if each.day.isoformat() == day), meetings[0] if meetings else None)
    if meeting is None:
        return render_template("planned/over.html", circle=circle, evening=evening)
    persons = read_persons(circle)
    coming, people = answers.read_coming(circle, [meeting])[meeting.key], in_name_order(list_players(circle))
    owner = answers.find_owner(g.browser)
    return render_template(
        "planned/evening.html",
        circle=circle,
        evening=evening,
        meeting=meeting,
        others=[each for each in meetings[:MOST_OF_ONE] if each != meeting],
        is_today=meeting.day == today,
        coming=coming,
        persons={person.id: person for person in persons.values()},
        owner=owner,
        people=[owner] if owner is not None and not may(g.browser.right, SCORE) else people,
        silent=[person for person in people if person.id not in coming.by_person],
        sent=sent or _own_reply(meeting, coming, owner),
        answers=ANSWERS,
        **_invitation(meeting),
        **more,
    )


def _own_reply(meeting: Meeting, coming: Coming, owner: Player | None) -> Reply:
    """Return the form's answer to begin with: that of the phone's owner, if there is one."""
    if owner is None:
        return Reply(meeting.day)
    row = coming.by_person.get(owner.id)
    given = (row.answer, row.guests) if row is not None else ("", 0)
    return Reply(meeting.day, "", *given, player_id=owner.id, is_own=False)


def _invitation(meeting: Meeting) -> dict[str, Any]:
    """Return the link to the page for others: the one for watching, if this phone can show it; never that of hosts."""
    secrets = link_secrets()
    right = next((right for right in (WATCH, SCORE) if right in secrets), None)
    if right is None:
        return {"right": None}
    url = join_url(g.browser.circle, secrets[right], planned=f"{meeting.evening.token}.{meeting.day}")
    return {"right": right, "url": url, "qr_code": qr_code(url)}


@blueprint.post("/<planned_token>/answer")
def answer(name: str, planned_token: str) -> Response | tuple[str, int]:
    """Record an answer: of the phone's owner, or of whom the form names.

    Raises:
        RateLimitExceeded: too many names were typed from this network address.
    """
    browser = access.get_circle_or_404(name)
    evening, form = _get_or_404(browser, planned_token), request.form
    reply = Reply(
        _read_day(),
        form.get("seen", ""),
        form.get("answer", ""),
        parse_id(form.get("guests", "").strip() or "0"),
        read_ids_by_token(browser.circle).get(form.get("who", "")),
        clean_name(form.get("name")),
        read_choice("is_own", "yes") is not None,
        read_meanings(),
    )
    if reply.name:
        rate_limits.count_check_in()
    result = answers.answer(evening, reply, browser)
    if isinstance(result, Done):
        shown = url_for("planned.show", name=name, planned_token=planned_token, day=reply.day, answered="yes")
        return redirect(shown, 303)
    evening = _get_or_404(access.get_circle_or_404(name), planned_token)
    if isinstance(result, Refusal):
        return _page(evening, reply.day.isoformat(), reply, problems=result.problems), 422
    return _page(evening, reply.day.isoformat(), reply, is_stale=True), 409


def _read_day() -> date:
    try:
        return date.fromisoformat(request.form.get("day", ""))
    except ValueError:
        abort(400)


# --- planning ----------------------------------------------------------------------------------------------


@blueprint.route("/new", methods=["GET", "POST"])
def new(name: str) -> str | Response | tuple[str, int]:
    """Show the form for an evening, or plan it."""
    browser = access.get_circle_or_404(name, SCORE)
    if request.method == "GET":
        return _form(None, EveningPlan(), key=new_key())
    wanted, key = _read_plan(), read_key()
    result = evenings.plan(browser.circle, wanted, key, browser)
    if isinstance(result, Done):
        return redirect(url_for("planned.show", name=name, planned_token=result.value), 303)
    access.get_circle_or_404(name, SCORE)
    if isinstance(result, Conflict):
        return _form(None, wanted, key=new_key(), earlier=result.earlier), 409
    return _form(None, wanted, result.problems, key=key), 422


@blueprint.route("/<planned_token>/change", methods=["GET", "POST"])
def change(name: str, planned_token: str) -> str | Response | tuple[str, int]:
    """Show an evening in a form, or change it."""
    browser = access.get_circle_or_404(name, SCORE)
    evening = _get_or_404(browser, planned_token)
    if request.method == "GET":
        current = evenings.read_plan(evening, evenings.find_today(browser.circle))
        return _form(evening, current, seen=current.mark)
    wanted, seen = _read_plan(), request.form.get("seen", "")
    result = evenings.change(evening, wanted, seen, browser)
    if isinstance(result, Done):
        return redirect(url_for("planned.show", name=name, planned_token=planned_token), 303)
    evening = _get_or_404(access.get_circle_or_404(name, SCORE), planned_token)
    if isinstance(result, Refusal):
        return _form(evening, wanted, result.problems, seen=seen), 422
    saved = Meeting(evening, date.fromisoformat(result.current.day), is_cancelled=False)
    return _form(evening, wanted, seen=result.current.mark, current=saved), 409


def _read_plan() -> EveningPlan:
    return EveningPlan(*(clean_name(request.form.get(field)) for field in ("day", "begins", "place", "repeats")))


def _form(evening: PlannedEvening | None, plan: EveningPlan, problems: Sequence[Problem] = (), **more: Any) -> str:
    """Render the form. `more`: the page's key, or the mark of what it shows; what others, or it, wrote before."""
    circle: Circle = g.browser.circle
    places, today = list_places(circle), evenings.find_today(circle)
    fields = {"plan": plan.normalized(), "places": places, "today": today, "repeats": ("", *REPEATS)}
    return render_template("planned/form.html", circle=circle, evening=evening, problems=problems, **fields, **more)


@blueprint.post("/<planned_token>/cancel")
def cancel(name: str, planned_token: str) -> Response | tuple[str, int]:
    """Cancel a day, or have it take place after all."""
    browser = access.get_circle_or_404(name, SCORE)
    day = _read_day()
    result = evenings.cancel(_get_or_404(browser, planned_token), day, is_yes("cancelled"), read_id("seen"), browser)
    if isinstance(result, Done):
        return redirect(url_for("planned.show", name=name, planned_token=planned_token, day=day), 303)
    evening = _get_or_404(access.get_circle_or_404(name, SCORE), planned_token)
    return _page(evening, day.isoformat(), is_stale=True), 409


# --- in words ----------------------------------------------------------------------------------------------


@blueprint.app_template_global()
def next_meeting(circle: Circle) -> tuple[Meeting, Coming] | None:
    """Return the circle's next evening to come, and who comes; None if there is none."""
    meeting = next((each for each in evenings.list_meetings(circle, MOST) if not each.is_cancelled), None)
    return (meeting, answers.read_coming(circle, [meeting])[meeting.key]) if meeting is not None else None


@blueprint.app_template_global()
def meeting_in_words(meeting: Meeting) -> str:
    """Return when an evening begins: Friday 4 December, 19:30."""
    begins = format_time(time.fromisoformat(meeting.evening.begins), "short", locale=g.language)
    return t("planned.when", day=day_in_words(meeting.day), time=begins)


@blueprint.app_template_global()
def repeat_in_words(evening: PlannedEvening) -> str:
    """Return how an evening repeats: every first Friday of the month."""
    weekday = format_date(evening.day, "EEEE", locale=g.language)
    week = f".{find_week(evening.day)}" if evening.repeats == MONTH else ""
    return t(f"planned.repeats.{evening.repeats}{week}", weekday=weekday)


@blueprint.app_template_global()
def tables_in_words(coming: Coming) -> str:
    """Return how many come, and what tables they make: 7 come. One more makes 2 tables."""
    people = coming.count()
    if not people:
        return t("planned.nobody")
    full, missing = count_tables(people)
    tables = t("planned.tables", count=full + bool(missing))
    more = t("planned.missing", count=missing, tables=tables) if missing else t("planned.full", tables=tables)
    return f"{t('planned.come', count=people)} {more}"
