"""Live updates of an event: its pages follow a stream of events, and ask what is new when one arrives.

Without a stream they ask every few seconds, and get 304 while nothing has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from flask import Blueprint, Response, abort, current_app, request

from ... import live
from ...live import EVENT, PLAN, TABLE, Key
from ...models import Event
from ...services.events import phones
from ...services.events.phones import read_access
from ...services.events.table_phones import marks, read_numbers
from ...services.invalidation import make_number
from ..support import access, event_access
from ..support.forms import parse_id
from ..support.http import client_tags, with_etag

blueprint = Blueprint("event_live", __name__, url_prefix="/events/<token>")

KINDS = (PLAN, EVENT)


@blueprint.get("/now")
def now(token: str) -> Response:
    """Return an empty response with the event's mark as its ETag, or 304; the page then loads itself again."""
    hub, tags, kind = live.live_of(current_app).hub, client_tags(), requested_kind()
    question = (access.reader_hash(), request.full_path, *tags)
    if hub.has_answer(question):
        return Response(status=304)
    hub.follow([(kind, token)])
    event = read_or_404(token)
    mark = marks(event)[kind]
    if mark not in tags:
        return with_etag(Response(), mark)
    hub.keep_answer(question, {(kind, token): make_number(mark)})
    return Response(status=304)


@blueprint.get("/stream")
def stream(token: str) -> Response:
    """Stream that an event has been written to, as server-sent events: all writes, or those that are not results.

    With `?table=`, those that are not results and the changes of this table.
    """
    kind, table = requested_kind(), parse_id(request.args.get("table"))
    kinds = [kind] if table is None else [PLAN, f"{TABLE}-{table}"]
    return live.stream([(each, token) for each in kinds], partial(_read, _reader(token), token, kinds))


def _read(read: Callable[[], Event | None], token: str, kinds: list[str]) -> Mapping[Key, int] | None:
    if read() is None:
        return None
    numbers = {each.event: each.number for each in read_numbers([token])}
    return {(kind, token): numbers.get(kind, 0) for kind in kinds}  # 0 for a table at which nobody plays now


def requested_kind() -> str:
    """Return the kind of messages that the page follows."""
    kind = request.args.get("kind", PLAN)
    return kind if kind in KINDS else PLAN


def read_or_404(token: str) -> Event:
    """Return the event, for a member, a guest, or who has a link to it."""
    return _reader(token)() or abort(404)


def _reader(token: str) -> Callable[[], Event | None]:
    """Return the function that reads it, in an app context."""
    secret, link = access.device_secret(), event_access.shared_link()

    def read() -> Event | None:
        if (found := read_access(secret, token)) is not None:
            return found.event
        event = phones.find_event_of(link) if link is not None else None
        return event if event is not None and event.token == token else None

    return read


blueprint.app_template_global("marks_of")(marks)
