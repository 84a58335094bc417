"""Links to an event, and the phones that join it by them.

A link is signed with the server's key. It has the generation of the event's links, a random token that no other event
ever has, and says what it allows. Renewing an event's links replaces its generation: then all links and phones of
earlier ones have no access.
"""

from __future__ import annotations

from typing import NamedTuple

from itsdangerous import BadData, URLSafeSerializer
from sqlalchemy import select

from ...db.clock import now
from ...db.transactions import get_id, write_to_circle
from ...models import SCORE, WATCH, Browser, Circle, Device, Entrant, Event, EventPhone, db, may, new_token
from ..access import browser_for, get_device, hash_secret
from ..invalidation import touch
from .writing import VIEW, check_access, write_to_event

TO_WATCH, TO_CHECK_IN, AT_TABLE = "watch", "check-in", "table"  # what a link is for
KINDS = (TO_WATCH, TO_CHECK_IN, AT_TABLE)
MAX_LISTED = 3  # events on the home page of a guest
_SALT = "event link"


class EventLink(NamedTuple):
    """What a link says; `table` is the number of the table whose card it is on, None for the other kinds."""

    generation: str
    kind: str
    table: int | None = None

    @classmethod
    def to(cls, event: Event, kind: str, table: int | None = None) -> EventLink:
        """Return the event's current link of this kind."""
        return cls(event.generation, kind, table)

    def signed(self, key: str) -> str:
        """Return the link as a text that cannot be made without the server's key."""
        return str(URLSafeSerializer(key, _SALT).dumps(list(self)))


def read_link(key: str, text: str) -> EventLink | None:
    """Return what a link says; None if the server has not signed it."""
    try:
        return EventLink(*URLSafeSerializer(key, _SALT).loads(text))
    except BadData:
        return None


def find_event_of(link: EventLink) -> Event | None:
    """Return the event of a link; None if the links were renewed since, or the event was erased."""
    return db.session.scalar(select(Event).where(Event.generation == link.generation))


def join(link: EventLink, device_secret: str) -> Browser | None:
    """Let a device join the event of a link, and return its browser; None if the links were renewed meanwhile.

    A device joins once: a table's link makes it the phone of that table, and of no other any more. Nothing changes for
    a browser that may direct the event in any case.
    """
    event = find_event_of(link)
    return write_to_circle(event.circle_id, lambda circle: _join(circle, link, device_secret)) if event else None


def _join(circle: Circle, link: EventLink, device_secret: str) -> Browser | None:
    event = find_event_of(link)
    if event is None:
        return None
    browser = browser_for(circle, get_device(device_secret))
    if may(browser.right, SCORE) or (may(browser.right, WATCH) and link.kind != AT_TABLE):
        return browser
    phone = db.session.get(EventPhone, (event.id, browser.id))
    if phone is None:
        phone = EventPhone(circle_id=circle.id, event_id=event.id, browser_id=browser.id, joined_at=now())
        db.session.add(phone)
    if link.kind == AT_TABLE or phone.generation != event.generation:
        phone.table_number = link.table
    phone.generation = event.generation
    return browser


def phones_of_device(device_secret: str) -> list[tuple[Event, EventPhone]]:
    """List the events that a device has joined as a guest and may still see, the latest first."""
    query = (
        select(Event, EventPhone)
        .join(EventPhone, EventPhone.event_id == Event.id)
        .join(EventPhone.browser)
        .join(Browser.device)
        .where(Device.secret_hash == hash_secret(device_secret), Browser.revoked_at.is_(None))
        .where(EventPhone.generation == Event.generation, Event.finished_at.is_(None))
        .order_by(EventPhone.joined_at.desc())
        .limit(MAX_LISTED)
    )
    return [(event, phone) for event, phone in db.session.execute(query)]


def claim(event: Event, number: int | None, by: Browser) -> None:
    """Set the entrant whose phone this is, or None.

    A member's phone is its owner's in the whole circle; a guest's only at this event.

    Raises:
        AccessRevokedError: the browser's access to the event ended meanwhile.
        LookupError: the event has no such entrant.
    """
    event_id, browser_id = get_id(event), get_id(by)

    def work(circle: Circle) -> None:
        access = check_access(circle.id, event_id, browser_id, VIEW)
        entrant = db.session.get(Entrant, (event_id, number)) if number is not None else None
        if number is not None and entrant is None:
            raise LookupError(number)
        if access.is_guest and access.phone is not None:
            access.phone.number = number
        else:
            access.browser.player_id = entrant.player.person.id if entrant is not None else None

    write_to_circle(event.circle_id, work)


def renew_links(event: Event, by: Browser, generation: str) -> None:
    """Revoke all links of the event and the access of all who joined by them, unless that was done meanwhile.

    `generation` is that of the page, so that a repeated tap renews the links once.
    """

    def work(locked: Event) -> None:
        if locked.generation == generation:
            locked.generation = new_token()
            touch(locked)

    write_to_event(event, work, by)
