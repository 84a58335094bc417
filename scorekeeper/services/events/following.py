"""What live updates of an event read: how often it has changed, and who may follow it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import and_, bindparam, or_, select

from ...live.messages import EVENT, PLAN, Message
from ...models import Browser, Circle, Device, Event, EventPhone, db
from ..access.devices import hash_secret


class EventFollower(NamedTuple):
    """Who follows an event without a right in its circle: by a phone that has joined, or a link that only shows it."""

    event_id: int
    generation: int
    browser_id: int | None


class EventChanges(NamedTuple):
    """How often an event has changed, and who asks; `browser_id` is None for who has only a link.

    Attributes:
        right: in the event's circle.
    """

    event_id: int
    circle_id: int
    version: int
    plan_version: int
    generation: int
    browser_id: int | None = None
    right: str | None = None

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of the messages about the event."""
        return {EVENT: self.version, PLAN: self.plan_version}

    @property
    def follower(self) -> int | EventFollower:
        """Who follows, as streams know it."""
        if self.browser_id is not None and self.right is not None:
            return self.browser_id
        return EventFollower(self.event_id, self.generation, self.browser_id)


_COUNTS = (Event.id, Event.circle_id, Event.version, Event.plan_version, Event.generation)

# Built once: SQLAlchemy takes longer to build it than to run it.
_OF_DEVICE = (
    select(*_COUNTS, Browser.id, Browser.right)
    .join(Event.circle)
    .join(Circle.browsers)
    .join(Browser.device)
    .outerjoin(
        EventPhone,
        and_(
            EventPhone.circle_id == Event.circle_id,
            EventPhone.event_id == Event.id,
            EventPhone.browser_id == Browser.id,
            EventPhone.generation == Event.generation,
        ),
    )
    .where(
        Event.token == bindparam("token"),
        Device.secret_hash == bindparam("secret_hash"),
        Browser.revoked_at.is_(None),
        or_(Browser.right.is_not(None), EventPhone.browser_id.is_not(None)),
    )
)
_OF_LINK = select(*_COUNTS).where(
    Event.token == bindparam("token"), Event.id == bindparam("id"), Event.generation == bindparam("generation")
)


def count_changes(device_secret: str, token: str) -> EventChanges | None:
    """Return how often the event has changed, in one query; None if the device has no access to it."""
    row = db.session.execute(_OF_DEVICE, {"token": token, "secret_hash": hash_secret(device_secret)}).one_or_none()
    return EventChanges._make(row) if row is not None else None


def count_changes_by_link(token: str, event_id: int, generation: int) -> EventChanges | None:
    """Return how often an event has changed, for who has a link to it; None if it is another event, or revoked."""
    row = db.session.execute(_OF_LINK, {"token": token, "id": event_id, "generation": generation}).one_or_none()
    return EventChanges(*row) if row is not None else None


def numbers_of(tokens: Collection[str]) -> list[Message]:
    """Return how often the events with these tokens have changed."""
    query = select(Event.token, Event.version, Event.plan_version).where(Event.token.in_(tokens))
    return [
        message
        for token, version, plan_version in db.session.execute(query)
        for message in (Message(EVENT, token, version), Message(PLAN, token, plan_version))
    ]


def browsers_at_events(browser_ids: Collection[int]) -> set[int]:
    """Return those of the browsers that have joined an event by a link that is still valid."""
    is_valid = (EventPhone.event_id == Event.id) & (EventPhone.generation == Event.generation)
    query = select(EventPhone.browser_id).join(Event, is_valid).join(EventPhone.browser)
    return set(db.session.scalars(query.where(EventPhone.browser_id.in_(browser_ids), Browser.revoked_at.is_(None))))


def guests_with_access(guests: Collection[EventFollower]) -> set[EventFollower]:
    """Return those of the guests who may still read their event."""
    ids = {guest.event_id for guest in guests}
    events = db.session.execute(select(Event.id, Event.generation).where(Event.id.in_(ids)))
    generations = {row.id: row.generation for row in events}
    query = (
        select(EventPhone.event_id, EventPhone.generation, EventPhone.browser_id)
        .join(EventPhone.browser)
        .where(EventPhone.browser_id.in_({guest.browser_id for guest in guests} - {None}), Browser.revoked_at.is_(None))
    )
    phones = {EventFollower(*row) for row in db.session.execute(query)}
    return {
        guest
        for guest in guests
        if generations.get(guest.event_id) == guest.generation and (guest.browser_id is None or guest in phones)
    }
