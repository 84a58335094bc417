"""The page of an event for everybody, whose phone it is, and live updates of all pages of an event.

Without a stream of updates, pages ask every few seconds what is new: 304 while nothing has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from flask import Blueprint, Response, abort, g, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from ...circles import access
from ...evenings.search import FoundEvent, TableFilter
from ...home.home import Link, LinkSection
from ...i18n import in_name_order
from ...models import Circle, Event, now
from ...people.reading import read_owner
from ...site import live
from ...site.fields import DigitsField, parse_digits
from ...site.forms import Form
from ...site.http import render_if_new
from ...site.language import t
from ...site.live import Key
from .. import access as event_access
from .. import phones
from ..hooks import search_events
from ..live import EVENT, EVENT_TABLE, PLAN, read_messages
from ..phones import DIRECT, VIEW, read_access
from ..reading import EventState, read_last_rounds, read_state
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
        entrants=in_name_order(state.entrants.values()),
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
    return Link(find_url(event, table), " · ".join([event.title, *at_table]))


def find_events(circle: Circle, conditions: TableFilter) -> list[FoundEvent]:
    return [
        FoundEvent(event.title, find_url(event, None), event.day, event.game, event.place)
        for event in search_events(circle, conditions)
    ]


def find_url(event: Event, table: int | None) -> str:
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
    event, form = event_access.get_event_or_404(token, VIEW), ClaimForm()
    form.require_valid()
    if not phones.claim(event, form.number.data, g.membership):
        abort(400)
    return redirect(url_for("events.show", token=token), 303)


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
