"""Live updates of an event: a page's script follows it by a stream of messages, and asks what is new when one arrives.

Without a stream it polls, and gets 304 from one indexed query while nothing has changed.
"""

from __future__ import annotations

from flask import Blueprint, Response, abort, request
from werkzeug.http import quote_etag

from ...live import nchan
from ...live.messages import EVENT, PLAN, TABLE
from ...services.events import table_phones
from ...services.events.table_phones import EventChanges, list_messages, marks
from ..support import access, event_access, live_updates
from ..support.forms import parse_id
from ..support.live_updates import Following

blueprint = Blueprint("event_live", __name__, url_prefix="/events/<token>")

KINDS = (PLAN, EVENT)


@blueprint.get("/now")
def now(token: str) -> Response:
    """Return an empty response with the event's mark as its ETag, or 304; the page then loads itself again."""
    mark = marks(read_or_404(token))[requested_kind()]
    is_known = mark in client_tags()
    return with_etag(Response(status=304 if is_known else 200), mark)


@blueprint.get("/stream")
def stream(token: str) -> Response:
    """Stream the numbers of an event's writes, as server-sent events: of all, or of those that are not results.

    With `?table=`, those that are not results and the changes of this table.
    """
    kind, table = requested_kind(), parse_id(request.args.get("table"))

    def read() -> Following:
        changes = read_or_404(token)
        numbers = {kind: changes.numbers[kind]}
        if table is None:
            return _following(changes, numbers, kind, token)
        name = f"{TABLE}-{table}"
        states = {each.event: each.number for each in list_messages({token: changes.plan_version})}
        if name not in states:
            abort(404)
        return _following(changes, {PLAN: changes.plan_version, name: states[name]}, name, token)

    return live_updates.stream(token, read)


def _following(changes: EventChanges, numbers: dict[str, int], channel: str, token: str) -> Following:
    redirect = nchan.redirect_to_event(channel, token, changes.circle)
    return Following(changes.circle, changes.follower, numbers, redirect)


def requested_kind() -> str:
    """Return the kind of messages that the page follows."""
    kind = request.args.get("kind", PLAN)
    return kind if kind in KINDS else PLAN


def read_or_404(token: str) -> EventChanges:
    """Return how often the event has changed, for a member, a guest, or who has a link to it."""
    changes = table_phones.count_changes(access.device_secret(), token)
    link = event_access.shared_link() if changes is None else None
    if link is not None:
        changes = table_phones.count_changes_by_link(token, link.generation)
    if changes is None:
        abort(404)
    return changes


def client_tags() -> set[str]:
    """Return the ETags that the client has; Flask-Compress adds its algorithm to them: "7:br"."""
    return {tag.partition(":")[0] for tag in request.if_none_match.as_set()}


def with_etag(response: Response, tag: str) -> Response:
    """Add an ETag to a response."""
    response.headers["ETag"] = quote_etag(tag)
    return response


blueprint.app_template_global("marks_of")(marks)
