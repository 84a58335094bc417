"""What phones may do at an event, and the links by which they join it.

A link is signed with the server's key. It has the generation of the event's links, a random token that no other event
ever has, and says what it allows. Renewing an event's links replaces its generation: then all links and phones of
earlier ones have no access.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from itsdangerous import BadData, URLSafeSerializer
from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import contains_eager, undefer

from ..circles.phones import get_or_add_device, get_or_add_membership
from ..db.outcome import Done, Stale
from ..db.transactions import AccessRevokedError, RightRevokedError, get_id, writing_to_circle
from ..models import (
    SCORE,
    Circle,
    Device,
    DrawnRound,
    Event,
    EventPhone,
    Membership,
    RoundTable,
    db,
    hash_secret,
    may,
    new_token,
    now,
)
from ..people.writing import claim as claim_phone
from ..scoring.problems import Refusal
from .live import touch_event

VIEW = "view"  # to see who sits where, and the results
PLAY = "play"  # to send the results of one table
DIRECT = "direct"  # everything

Outcome = Done[None] | Stale[None] | Refusal  # of a write to an event


class EventAccess(NamedTuple):
    """A phone that may at least see an event; `phone` is None if it has not joined by a link of the event."""

    event: Event
    membership: Membership
    phone: EventPhone | None

    @property
    def is_guest(self) -> bool:
        """Whether it has access to nothing else of the circle."""
        return self.membership.right is None

    @property
    def table(self) -> int | None:
        return self.phone.table_number if self.phone is not None else None

    def may(self, needed: str, table: int | None = None) -> bool:
        """Return whether the phone may do what is `needed`; to PLAY, only at its own table."""
        if may(self.membership.right, SCORE) or needed == VIEW:
            return True
        return needed == PLAY and self.table is not None and self.table == table


# Whether a phone has joined an event by a link that is still valid.
_IS_PHONE = and_(EventPhone.event_id == Event.id, EventPhone.generation == Event.generation)


def _find_access(*which: ColumnElement[bool]) -> EventAccess | None:
    query = (
        select(Event, Membership, EventPhone)
        .join(Event.circle)
        .join(Circle.memberships)
        .join(Membership.device)
        .outerjoin(EventPhone, _IS_PHONE & (EventPhone.membership_id == Membership.id))
        .where(Membership.revoked_at.is_(None), *which)
        .options(contains_eager(Event.circle), undefer(Membership.right))  # the membership's circle is the event's
    )
    row = db.session.execute(query.execution_options(populate_existing=True)).one_or_none()
    found = EventAccess(*row) if row is not None else None
    return found if found and not (found.is_guest and found.phone is None) else None


def is_playing_at(circle_id: int, membership_id: int, table_id: int) -> bool:
    """Return whether the phone plays at this table of an event in its current round.

    Renewing the event's links ends it, and drawing the next round or undoing this one.
    """
    current = (
        select(func.max(DrawnRound.number)).where(DrawnRound.event_id == Event.id).correlate(Event).scalar_subquery()
    )
    query = (
        select(EventPhone.event_id)
        .join(Event, _IS_PHONE)
        .join(Membership, Membership.id == EventPhone.membership_id)
        .join(RoundTable, RoundTable.event_id == Event.id)
        .where(
            EventPhone.circle_id == circle_id,
            EventPhone.membership_id == membership_id,
            Membership.revoked_at.is_(None),
        )
        .where(RoundTable.table_id == table_id, RoundTable.number == EventPhone.table_number)
        .where(RoundTable.round == current, Event.finished_at.is_(None))
    )
    return db.session.scalar(query.limit(1)) is not None


def read_access(device_secret: str, token: str) -> EventAccess | None:
    return _find_access(Event.token == token, Device.secret_hash == hash_secret(device_secret))


@contextmanager
def writing_to_event(
    event: Event, by: Membership, needs: str = DIRECT, table: int | None = None
) -> Iterator[EventAccess]:
    """Hold the circle's lock for a write of `by`, with the event as it is now; commit at the end.

    Raises AccessRevokedError or RightRevokedError if `by` may no longer do what the write `needs`.
    """
    event_id, membership_id = get_id(event), get_id(by)
    with writing_to_circle(event.circle_id) as circle:
        access = _find_access(Event.circle_id == circle.id, Event.id == event_id, Membership.id == membership_id)
        if access is None:
            raise AccessRevokedError
        if not access.may(needs, table):
            raise RightRevokedError
        yield access


TO_WATCH, TO_CHECK_IN, AT_TABLE = "watch", "check-in", "table"  # what a link is for
MAX_LISTED = 3  # events on the home page of a guest
_SALT = "event link"


class EventLink(NamedTuple):
    """What a link says; `table` is that of the card it is on, None for the other kinds."""

    event: Event
    kind: str
    table: int | None = None

    def signed(self, key: str) -> str:
        return str(URLSafeSerializer(key, _SALT).dumps([self.event.generation, self.kind, self.table]))


def read_link(key: str, text: str) -> EventLink | None:
    """Return a signed link; None also if the event's links were renewed since."""
    try:
        generation, *said = URLSafeSerializer(key, _SALT).loads(text)
    except BadData:
        return None
    event = db.session.scalar(select(Event).where(Event.generation == generation))
    return EventLink(event, *said) if event is not None else None


def find_shared(key: str, text: str, token: str) -> Event | None:
    link = read_link(key, text)
    return link.event if link is not None and link.kind == TO_WATCH and link.event.token == token else None


def join(link: EventLink, device_secret: str) -> Membership | None:
    """Let a device join the event of a link, and return its membership; None if the links were renewed meanwhile.

    A table's link makes it the phone of that table alone. Nothing changes for a phone that may direct the event.
    """
    generation = link.event.generation
    with writing_to_circle(link.event.circle_id) as circle:
        event = db.session.scalar(select(Event).where(Event.generation == generation))
        if event is None:
            return None
        membership = get_or_add_membership(circle, get_or_add_device(device_secret))
        if may(membership.right, SCORE) or (membership.right is not None and link.kind != AT_TABLE):
            return membership
        phone = db.session.get(EventPhone, (event.id, membership.id))
        if phone is None:
            phone = EventPhone(circle_id=circle.id, event_id=event.id, membership_id=membership.id, joined_at=now())
            db.session.add(phone)
        if link.kind == AT_TABLE or phone.generation != event.generation:
            phone.table_number = link.table
        phone.generation = event.generation
        return membership


def list_events_of_guest(device_secret: str) -> list[tuple[Event, EventPhone]]:
    query = (
        select(Event, EventPhone)
        .join(EventPhone, EventPhone.event_id == Event.id)
        .join(EventPhone.membership)
        .join(Membership.device)
        .where(Device.secret_hash == hash_secret(device_secret), Membership.revoked_at.is_(None))
        .where(EventPhone.generation == Event.generation, Event.finished_at.is_(None))
    )
    return [(*row,) for row in db.session.execute(query.order_by(EventPhone.joined_at.desc()).limit(MAX_LISTED))]


def claim(event: Event, number: int | None, by: Membership) -> bool:
    """Set whose phone this is: a member's in the whole circle, a guest's only at this event.

    Return whether the event has an entrant with this number; None is nobody.
    """
    with writing_to_event(event, by, VIEW) as access:
        entrant = next((each for each in event.entrants if each.number == number), None)
        if number is not None and entrant is None:
            return False
        if access.is_guest and access.phone is not None:
            access.phone.number = number
        elif not claim_phone(access.membership, entrant.player.person if entrant is not None else None):
            raise RightRevokedError
        return True


def renew_links(event: Event, by: Membership, seen: str) -> None:
    """Revoke the links of the generation `seen`, and the access of all who joined by them."""
    with writing_to_event(event, by):
        if event.generation == seen:
            event.generation = new_token()
            touch_event(event)
