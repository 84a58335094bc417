"""The page of an event for everybody, its live updates, and joining it by one of its links.

Opening a link changes nothing; the tap that joins sends the link. A link that only shows the event opens it without
joining, and only the link to check in lets people enter their names. Without a stream of updates, pages ask every few
seconds what is new: 304 while nothing has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from flask import Blueprint, Response, abort, g, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse
from wtforms import HiddenField, SelectMultipleField

from ...circles import access
from ...circles.links import SharedLink, with_reachable_host
from ...evenings.search import FoundEvent, TableFilter
from ...home.home import Link, LinkSection
from ...i18n import in_name_order
from ...models import Circle, Event, now
from ...people.reading import read_owner
from ...scoring.problems import Problem, Refusal
from ...scoring.values import clean_name
from ...site import live, rate_limits
from ...site.fields import DigitsField, TapField, parse_digits
from ...site.forms import Form, WriteForm
from ...site.http import exclude_from_search_engines, render_if_new
from ...site.language import t
from ...site.live import Key
from .. import access as event_access
from .. import entrants, phones
from ..hooks import search_events
from ..live import EVENT, EVENT_TABLE, PLAN, read_messages
from ..phones import DIRECT, PLAY, VIEW, EventLink, read_access
from ..reading import EventState, read_last_rounds, read_state
from .entrants import list_group_choices
from .rendering import render_event

blueprint = Blueprint("events", __name__, url_prefix="/events")
blueprint.url_defaults(event_access.keep_shared_link)


@blueprint.get("/<token>")
def show(token: str) -> Response:
    event = event_access.get_event_or_404(token)
    return render_if_new(event.plan_edition, partial(_render, event))


def _render(event: Event) -> str:
    """Render who sits where in the current round, the reader's own seat first; or who has won.

    `back_from` is the round from which a person who has just checked in plays again.
    """
    state = read_state(event) if event.finished_at is not None else read_last_rounds(event)
    found = event_access.current_access()
    own = find_own_number(state)
    own_table = found.table if found is not None else None
    return render_event(
        "events/event.html",
        state,
        is_joined=found is not None,
        own=own,
        asks_who=bool(state.entrants) and not state.is_finished and own_table is None,
        own_table=own_table,
        may_direct=found is not None and found.may(DIRECT),
        entrants=in_name_order(state.members),
        clock=state.clock(now()),
        etag=event.plan_edition,
        back_from=parse_digits(request.args.get("back")),
        shared=request.args.get(event_access.SHARED, ""),
    )


def find_links(device_secret: str) -> LinkSection | None:
    links = [_link_to(event, phone.table_number) for event, phone in phones.list_events_of_guest(device_secret)]
    return LinkSection("events.title", links) if links else None


def _link_to(event: Event, table: int | None) -> Link:
    at_table = [t("event-table.table", table=table)] if table is not None else []
    return Link(_find_url(event, table), " · ".join([event.title, *at_table]))


def find_events(circle: Circle, conditions: TableFilter) -> list[FoundEvent]:
    return [
        FoundEvent(event.title, _find_url(event, None), event.day, event.game, event.place)
        for event in search_events(circle, conditions)
    ]


def _find_url(event: Event, table: int | None) -> str:
    if table is not None:
        return url_for("event_table.show", token=event.token, number=table)
    return url_for("events.show", token=event.token)


def find_own_number(state: EventState) -> int | None:
    """Return the number of the entrant whose phone this is; None if that is not known."""
    found = event_access.current_access()
    if found is None:
        return None
    if found.is_guest and found.phone is not None:
        return found.phone.number if found.phone.number in state.entrants else None
    owner = read_owner(g.membership)
    return next((each for each in state.entrants if owner is not None and state.player_of(each) == owner.id), None)


class ClaimForm(Form):
    number = DigitsField()  # of the entrant; nobody's phone without one


@blueprint.post("/<token>/me")
def claim(token: str) -> BaseResponse:
    event = event_access.get_event_or_404(token, VIEW)
    form = ClaimForm()
    if not form.validate() or not phones.claim(event, form.number.data, g.membership):
        abort(400)
    return redirect(url_for("events.show", token=token), 303)


# --- joining -----------------------------------------------------------------------------------------------


def make_link(event: Event, kind: str, table: int | None = None) -> str:
    """Return the whole address of the event's current link of this kind, for a QR code or to share."""
    signed = EventLink(event, kind, table).signed(event_access.signing_key())
    return with_reachable_host(url_for("events.open_link", secret=signed, _external=True))


class JoinForm(Form):
    secret = HiddenField()  # of the link


@blueprint.get("/join/<secret>")
def open_link(secret: str) -> BaseResponse:
    """Show which event, and which table, the link leads to; redirect phones that have this access, or only look."""
    link = phones.read_link(event_access.signing_key(), secret)
    if link is None:
        return _reject_link()
    if link.kind == phones.TO_CHECK_IN:
        return redirect(url_for("events.check_in", secret=secret), 303)
    event = link.event
    found = read_access(access.device_secret(), event.token)
    if found is not None and (link.kind != phones.AT_TABLE or found.may(PLAY, link.table)):
        return redirect(_find_url(event, link.table), 303)
    if link.kind == phones.TO_WATCH:
        return redirect(url_for("events.show", token=event.token, shared=secret), 303)
    g.circle = event.circle
    page = make_response(render_template("events/join.html", event=event, link=link, secret=secret))
    return exclude_from_search_engines(page)


@blueprint.post("/join")
def join() -> BaseResponse:
    link = phones.read_link(event_access.signing_key(), JoinForm().secret.data or "")
    if link is None or phones.join(link, access.device_secret()) is None:
        return _reject_link()
    access.make_session_permanent()
    return redirect(_find_url(link.event, link.table), 303)


@blueprint.get("/join")
def ended() -> tuple[str, int]:
    return render_template("error.html", page="ended-event-link"), 404


@blueprint.get("/<token>/links")
def links(token: str) -> str:
    event = event_access.get_event_or_404(token, DIRECT)
    kinds = [phones.TO_WATCH, *([phones.TO_CHECK_IN] if event.has_check_in else [])]
    found = {kind: SharedLink(make_link(event, kind)) for kind in kinds}
    return render_template("events/links.html", event=event, links=found)


@blueprint.post("/<token>/links/renew")
def renew(token: str) -> BaseResponse:
    event = event_access.get_event_or_404(token, DIRECT)
    phones.renew_links(event, g.membership, WriteForm().seen.data)
    return redirect(url_for("events.links", token=token), 303)


def _reject_link() -> BaseResponse:
    """Count a wrong link, and redirect to an address without it.

    Raises:
        TooManyRequests: too many wrong links came from this address, or in total.
    """
    rate_limits.count_wrong_link()
    return redirect(url_for("events.ended"), 303)


# --- checking in -------------------------------------------------------------------------------------------


class CheckInForm(Form):
    name = SelectMultipleField(validate_choice=False)  # typed, also those of partners: there are no choices
    group = TapField(default="", choices=list_group_choices)


@blueprint.route("/join/<secret>/check-in", methods=["GET", "POST"])
def check_in(secret: str) -> BaseResponse:
    """Let somebody with the link to check in enter their name, with those of partners, and join with this phone.

    Raises:
        TooManyRequests: too many have checked in from this address.
    """
    link = phones.read_link(event_access.signing_key(), secret)
    if link is None or link.kind != phones.TO_CHECK_IN:
        return _reject_link()
    form, problems = CheckInForm(), list[Problem]()
    names = [clean_name(name) for name in form.name.data or ()]
    if form.is_submitted() and form.validate():
        rate_limits.count_check_in()
        membership = phones.join(link, access.device_secret())
        if membership is None:
            return _reject_link()
        access.make_session_permanent()
        outcome = entrants.check_in(link.event, names, membership, form.group.data)
        if not isinstance(outcome, Refusal):
            return redirect(url_for("events.show", token=link.event.token, done="checked-in", back=outcome.value), 303)
        problems = [*outcome.problems]
    state = read_state(link.event)
    g.circle = link.event.circle
    size = state.format.team_size
    shown = {"form": form, "names": [*names, *[""] * size][:size], "problems": problems, "state": state}
    status = 422 if form.is_submitted() else 200
    page = make_response(render_template("events/check_in.html", event=link.event, **shown), status)
    return exclude_from_search_engines(page)


# --- live updates ------------------------------------------------------------------------------------------


@blueprint.get("/<token>/stream")
def stream(token: str) -> Response:
    """Stream that an event has been written to, as server-sent events: all writes, or those that are not results.

    With `?table=`, those that are not results and the changes of this table.
    """
    table = parse_digits(request.args.get("table"))
    kind = EVENT if request.args.get("kind") == EVENT else PLAN
    kinds = [kind] if table is None else [PLAN, f"{EVENT_TABLE}-{table}"]
    secret, key, shared = access.device_secret(), event_access.signing_key(), request.args.get(event_access.SHARED, "")

    def read_etags() -> Mapping[Key, str] | None:
        if read_access(secret, token) is None and phones.find_shared(key, shared, token) is None:
            return None
        states = {each.event: each.state for each in read_messages([token])}
        return {(kind, token): states.get(kind, "") for kind in kinds}  # "" for a table at which nobody plays now

    return live.stream(read_etags)
