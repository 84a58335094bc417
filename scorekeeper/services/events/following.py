"""What live updates of an event read: how often it has changed, and who may follow it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import bindparam, or_, select

from ...db.transactions import IS_PHONE, phones_at_tables
from ...live.hub import Access
from ...live.messages import EVENT, PLAN, Message
from ...models import Browser, Circle, Device, Event, EventPhone, RoundTable, Table, db
from ..access.devices import hash_secret


class EventChanges(NamedTuple):
    """How often an event has changed, and who asks.

    Attributes:
        edition, plan_edition: the event's.
        circle: the name of its circle.
        follower: as `Access` has it.
    """

    version: int
    plan_version: int
    edition: str
    plan_edition: str
    circle: str
    follower: str

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of the messages about the event."""
        return {EVENT: self.version, PLAN: self.plan_version}


def marks(event: Event | EventChanges) -> dict[str, str]:
    """Return what tells an event from all its other states, by the kind of message about it; its number comes first."""
    return {EVENT: f"{event.version}-{event.edition}", PLAN: f"{event.plan_version}-{event.plan_edition}"}


_COUNTS = (Event.version, Event.plan_version, Event.edition, Event.plan_edition, Circle.name)

# Built once: SQLAlchemy takes longer to build it than to run it.
_OF_DEVICE = (
    select(*_COUNTS, Device.secret_hash)
    .join(Event.circle)
    .join(Circle.browsers)
    .join(Browser.device)
    .outerjoin(
        EventPhone,
        IS_PHONE & (EventPhone.browser_id == Browser.id),
    )
    .where(
        Event.token == bindparam("token"),
        Device.secret_hash == bindparam("secret_hash"),
        Browser.revoked_at.is_(None),
        or_(Browser.right.is_not(None), EventPhone.browser_id.is_not(None)),
    )
)
_OF_LINK = (
    select(*_COUNTS, Event.generation)
    .join(Event.circle)
    .where(Event.token == bindparam("token"), Event.generation == bindparam("generation"))
)


def count_changes(device_secret: str, token: str) -> EventChanges | None:
    """Return how often the event has changed, in one query; None if the device has no access to it."""
    row = db.session.execute(_OF_DEVICE, {"token": token, "secret_hash": hash_secret(device_secret)}).one_or_none()
    return EventChanges._make(row) if row is not None else None


def count_changes_by_link(token: str, generation: str) -> EventChanges | None:
    """Return how often an event has changed, for who has a link to it; None if it is another event, or revoked."""
    row = db.session.execute(_OF_LINK, {"token": token, "generation": generation}).one_or_none()
    return EventChanges._make(row) if row is not None else None


def read_numbers(tokens: Collection[str]) -> list[Message]:
    """Return how often the events with these tokens have changed."""
    query = select(Event.token, Event.version, Event.plan_version).where(Event.token.in_(tokens))
    return [
        message
        for token, version, plan_version in db.session.execute(query)
        for message in (Message(EVENT, token, version), Message(PLAN, token, plan_version))
    ]


def guests_with_access(guests: Collection[Access]) -> set[Access]:
    """Return those who may still follow their event, or the table at which they play there in the current round."""
    followers = {guest.follower for guest in guests}
    joined = select(Circle.name, Event.token, Device.secret_hash).join(Event.circle).join(EventPhone, IS_PHONE)
    playing = phones_at_tables(Circle.name, Table.token, Device.secret_hash).join(Event.circle).join(RoundTable.table)
    looking = select(Circle.name, Event.token, Event.generation).join(Event.circle)
    queries = (
        joined.join(EventPhone.browser)
        .join(Browser.device)
        .where(Browser.revoked_at.is_(None), Device.secret_hash.in_(followers)),
        playing.join(Browser.device).where(Device.secret_hash.in_(followers)),
        looking.where(Event.generation.in_(followers)),
    )
    return {Access(*row) for query in queries for row in db.session.execute(query)}.intersection(guests)
