"""Access control of the pages of an event: for members of its circle, and for guests with a link of the event.

A link that only shows the event works without joining. It is a part of the address, `?shared=`; the blueprints of the
pages that it opens have `keep_shared_link`, which adds it to their addresses.
"""

from __future__ import annotations

from typing import Any

from flask import abort, current_app, g, request, url_for

from ..circles import access
from ..models import Event
from .pad_tables import find_place_after
from .phones import VIEW, EventAccess, find_shared, read_access
from .reading import EventState, read_state

SHARED = "shared"  # the query parameter with a signed link


def keep_shared_link(_endpoint: str, values: dict[str, Any]) -> None:
    """Add to an address of an event the link by which the page was opened without joining."""
    if "shared_link" in g:
        token, text = g.shared_link
        if values.get("token") == token:
            values.setdefault(SHARED, text)


def signing_key() -> str:
    return str(current_app.config["SECRET_KEY"])


def get_event_or_404(token: str, needs: str = VIEW, table: int | None = None) -> Event:
    """Return the event with this token; sets `g.membership`, `g.circle` and `g.event_access`.

    `needs` is VIEW, PLAY at the table with this number, or DIRECT. 404 without access to the event, as for an event
    that does not exist; 403 without the right that is needed. A page that was opened by a shared link, without joining,
    has no `g.membership`, and `g.event_access` is None.
    """
    found = read_access(access.device_secret(), token)
    if found is None:
        is_for_looking = needs == VIEW and request.method in ("GET", "HEAD")
        text = request.args.get(SHARED, "")
        event = (find_shared(signing_key(), text, token) if is_for_looking else None) or abort(404)
        g.circle, g.event_access, g.shared_link = event.circle, None, (token, text)
        return event
    g.membership, g.circle, g.event_access = found.membership, found.event.circle, found
    if not found.may(needs, table):
        abort(403)
    if not found.is_guest:
        access.remember_circle(found.membership)
    return found.event


def get_state_or_404(token: str, needs: str = VIEW) -> EventState:
    return read_state(get_event_or_404(token, needs))


def current_access() -> EventAccess | None:
    """Return what the page's reader may do at its event; None for a reader who has not joined."""
    found: EventAccess | None = g.get("event_access")
    return found


def find_page_afterwards(device_secret: str, token: str) -> str | None:
    place = find_place_after(device_secret, token)
    return url_for("event_table.show", token=place[0], number=place[1]) if place is not None else None
