"""Joining an event by one of its links, and checking in to it.

Opening a link changes nothing; the tap that joins sends the link. A link that only shows the event opens it without
joining, and only the link to check in lets people enter their names.
"""

from __future__ import annotations

from flask import Blueprint, g, make_response, redirect, render_template, url_for
from werkzeug.wrappers import Response
from wtforms import FieldList, HiddenField
from wtforms.validators import DataRequired

from ...circles import access
from ...circles.links import SharedLink, with_reachable_host
from ...db.outcome import Done
from ...limits import MAX_NAME_LENGTH
from ...models import Event
from ...scoring.problems import Problem
from ...site import rate_limits
from ...site.fields import MaxLength, TapField, TextField
from ...site.forms import Form, WriteForm
from ...site.http import exclude_from_search_engines
from .. import access as event_access
from .. import entrants, phones
from ..phones import DIRECT, PLAY, EventLink, read_access
from ..reading import read_state
from .entrants import list_group_choices
from .event import find_url

blueprint = Blueprint("event_joining", __name__, url_prefix="/events")


def make_link(event: Event, kind: str, table: int | None = None) -> str:
    """Return the whole address of the event's current link of this kind, for a QR code or to share."""
    signed = EventLink(event, kind, table).signed(event_access.signing_key())
    return with_reachable_host(url_for("event_joining.open_link", secret=signed, _external=True))


class JoinForm(Form):
    secret = HiddenField()  # of the link


@blueprint.get("/join/<secret>")
def open_link(secret: str) -> Response:
    """Show which event, and which table, the link leads to; redirect phones that have this access, or only look."""
    link = phones.read_link(event_access.signing_key(), secret)
    if link is None:
        return _reject_link()
    if link.kind == phones.TO_CHECK_IN:
        return redirect(url_for("event_joining.check_in", secret=secret), 303)
    event = link.event
    known = read_access(access.device_secret(), event.token)
    if known is not None and (link.kind != phones.AT_TABLE or known.may(PLAY, link.table)):
        return redirect(find_url(event, link.table), 303)
    if link.kind == phones.TO_WATCH:
        return redirect(url_for("events.show", token=event.token, shared=secret), 303)
    g.circle = event.circle
    page = make_response(render_template("events/join.html", event=event, link=link, secret=secret))
    return exclude_from_search_engines(page)


@blueprint.post("/join")
def join() -> Response:
    form = JoinForm()
    link = phones.read_link(event_access.signing_key(), form.secret.data or "")
    if link is None or phones.join(link, access.device_secret()) is None:
        return _reject_link()
    access.make_session_permanent()
    return redirect(find_url(link.event, link.table), 303)


@blueprint.get("/join")
def ended() -> tuple[str, int]:
    return render_template("error.html", page="ended-event-link"), 404


@blueprint.get("/<token>/links")
def links(token: str) -> str:
    event = event_access.get_event_or_404(token, DIRECT)
    kinds = [phones.TO_WATCH, *([phones.TO_CHECK_IN] if event.has_check_in else [])]
    shared = {kind: SharedLink(make_link(event, kind)) for kind in kinds}
    return render_template("events/links.html", event=event, links=shared)


@blueprint.post("/<token>/links/renew")
def renew(token: str) -> Response:
    event = event_access.get_event_or_404(token, DIRECT)
    phones.renew_links(event, g.membership, WriteForm().seen.data)
    return redirect(url_for("event_joining.links", token=token), 303)


def _reject_link() -> Response:
    """Count a wrong link, and redirect to an address without it.

    Raises:
        TooManyRequests: too many wrong links came from this address, or in total.
    """
    rate_limits.count_wrong_link()
    return redirect(url_for("event_joining.ended"), 303)


# --- checking in -------------------------------------------------------------------------------------------


class CheckInForm(Form):
    """The names of people who play together, or of one, and their group."""

    name: FieldList
    group = TapField(default="", choices=list_group_choices)


def _build_check_in_form(team_size: int) -> type[CheckInForm]:
    required = DataRequired(Problem("", "check-in-names", {"count": team_size}))
    name = TextField(validators=[required, MaxLength(MAX_NAME_LENGTH)])
    names = FieldList(name, min_entries=team_size, max_entries=team_size)
    return type(CheckInForm.__name__, (CheckInForm,), {"name": names})


@blueprint.route("/join/<secret>/check-in", methods=["GET", "POST"])
def check_in(secret: str) -> Response:
    """Let somebody with the link to check in enter their name, with those of partners, and join with this phone.

    Raises:
        TooManyRequests: too many have checked in from this address.
    """
    link = phones.read_link(event_access.signing_key(), secret)
    if link is None or link.kind != phones.TO_CHECK_IN:
        return _reject_link()
    event = link.event
    state = read_state(event)
    form = _build_check_in_form(state.format.team_size)()
    if form.is_submitted():
        rate_limits.count_check_in()
    if form.is_submitted() and form.validate():
        membership = phones.join(link, access.device_secret())
        if membership is None:
            return _reject_link()
        access.make_session_permanent()
        outcome = entrants.check_in(event, form.name.data, membership, form.group.data)
        if isinstance(outcome, Done):
            return redirect(url_for("events.show", token=event.token, done="checked-in", back=outcome.value), 303)
        form.add_problems(outcome.problems)
    g.circle = event.circle
    page = render_template("events/check_in.html", event=event, form=form, has_groups=state.format.has_groups)
    return exclude_from_search_engines(make_response(page, 422 if form.is_submitted() else 200))
