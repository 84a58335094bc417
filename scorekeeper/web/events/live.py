"""Live updates of an event: a page's script follows it by a stream of messages, and asks what is new when one arrives.

Without a stream it polls, and gets 304 from one indexed query while nothing has changed.
"""

from __future__ import annotations

from flask import Blueprint, Response, abort, request
from werkzeug.http import quote_etag

from ...live import nchan
from ...live.messages import EVENT, PLAN
from ...services.events import following
from ...services.events.following import EventChanges, marks
from ..support import access, event_access, live_updates
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
    """Stream the numbers of an event's writes, as server-sent events: of all, or of those that are not results."""
    kind = requested_kind()

    def read() -> Following:
        changes = read_or_404(token)
        redirect = nchan.redirect_to_event(kind, token, changes.circle)
        return Following(changes.circle, changes.follower, {kind: changes.numbers[kind]}, redirect)

    return live_updates.stream(token, read)


def requested_kind() -> str:
    """Return the kind of messages that the page follows."""
    kind = request.args.get("kind", PLAN)
    return kind if kind in KINDS else PLAN


def read_or_404(token: str) -> EventChanges:
    """Return how often the event has changed, for a member, a guest, or who has a link to it."""
    changes = following.count_changes(access.device_secret(), token)
    link = event_access.shared_link() if changes is None else None
    if link is not None:
        changes = following.count_changes_by_link(token, link.generation)
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
