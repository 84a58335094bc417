"""Links to an event, and the phones that join it by them.

A link is signed with the server's key, and says which event it is of and what it allows. Nothing about it is stored.
Renewing an event's links raises its generation: then all links and phones of earlier generations have no access.
"""

from __future__ import annotations

from typing import NamedTuple

from itsdangerous import BadData, URLSafeSerializer
from sqlalchemy import select

from ...db.transactions import identity_of, write_to_circle
from ...models import Browser, Circle, Event, db
from .access import DIRECT, check_access

WATCH, CHECK_IN, TABLE = "watch", "check-in", "table"  # what a link is for
KINDS = (WATCH, CHECK_IN, TABLE)
_SALT = "event link"


class EventLink(NamedTuple):
    """What a link says; `table` is the number of the table whose card it is on, None for the other kinds."""

    event_id: int
    generation: int
    kind: str
    table: int | None = None

    @classmethod
    def to(cls, event: Event, kind: str, table: int | None = None) -> EventLink:
        """Return the event's current link of this kind."""
        return cls(event.id, event.generation, kind, table)

    def signed(self, key: str) -> str:
        """Return the link as a text that cannot be made without the server's key."""
        return str(URLSafeSerializer(key, _SALT).dumps(list(self)))


def read_link(key: str, text: str) -> EventLink | None:
    """Return what a link says; None if the server has not signed it."""
    try:
        link = EventLink(*URLSafeSerializer(key, _SALT).loads(text))
    except (BadData, TypeError):
        return None
    return link if link.kind in KINDS else None


def find_event_of(link: EventLink) -> Event | None:
    """Return the event of a link; None if the links were renewed since, or the event was erased."""
    query = select(Event).where(Event.id == link.event_id, Event.generation == link.generation)
    return db.session.scalar(query)


def renew_links(event: Event, by: Browser, generation: int) -> None:
    """Revoke all links of the event and the access of all who joined by them, unless that was done meanwhile.

    `generation` is that of the page, so that a repeated tap renews the links once.
    """
    browser_id = identity_of(by)

    def work(_circle: Circle) -> None:
        check_access(event, browser_id, DIRECT)
        if event.generation == generation:
            event.generation += 1
            event.version += 1

    write_to_circle(event.circle_id, work, browser=by)
