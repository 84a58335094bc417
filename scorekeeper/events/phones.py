"""Links to an event, the phones that join it by them, what changes for these, and their calls for the director.

A link is signed with the server's key. It has the generation of the event's links, a random token that no other event
ever has, and says what it allows. Renewing an event's links replaces its generation: then all links and phones of
earlier ones have no access.

A call is made by a table, a director takes it, and either ends it. It belongs to the table in its round, and stays
until somebody ends it, also when the next round is drawn. It is of the moment: a circle's file has none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from itsdangerous import BadData, URLSafeSerializer
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import contains_eager, undefer

from ..circles.phones import get_or_add_device, get_or_add_membership
from ..db.outcome import Done, Stale
from ..db.transactions import IS_PHONE, AccessRevokedError, RightRevokedError, get_id, writing_to_circle
from ..models import SCORE, Circle, Device, Event, EventPhone, Membership, RoundTable, db, hash_secret, may, new_token
from ..people.reading import read_owner
from ..people.writing import claim as claim_phone
from ..site.live import EVENT, EVENT_TABLE, PLAN, Message, publish_after_commit, touch_event, touch_results
from ..site.time_zones import now
from .reading import find_seen_call

VIEW = "view"  # to see who sits where, and the results
PLAY = "play"  # to send the results of one table
DIRECT = "direct"  # everything

Place = tuple[int, int]  # a round and a table
Outcome = Done[None] | Stale[None]


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


def _find_access(*which: ColumnElement[bool]) -> EventAccess | None:
    query = (
        select(Event, Membership, EventPhone)
        .join(Event.circle)
        .join(Circle.memberships)
        .join(Membership.device)
        .outerjoin(EventPhone, IS_PHONE & (EventPhone.membership_id == Membership.id))
        .where(Membership.revoked_at.is_(None), *which)
        .options(contains_eager(Event.circle), undefer(Membership.right))  # the membership's circle is the event's
    )
    row = db.session.execute(query.execution_options(populate_existing=True)).one_or_none()
    found = EventAccess(*row) if row is not None else None
    return found if found and not (found.is_guest and found.phone is None) else None


def read_access(device_secret: str, token: str) -> EventAccess | None:
    return _find_access(Event.token == token, Device.secret_hash == hash_secret(device_secret))


@contextmanager
def writing_to_event(
    event: Event, by: Membership, needs: str = DIRECT, table: int | None = None
) -> Iterator[EventAccess]:
    """Hold the circle's lock for a write of `by`, as `writing_to_circle` does: the event is as it is now.

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


# --- what changes ------------------------------------------------------------------------------------------


def read_table_etag(event: Event, table: int) -> str:
    """Return the ETag of a table's page, which shows the event without its results, and this table's result."""
    at_table = select(RoundTable.edition).where(RoundTable.event_id == event.id, RoundTable.number == table)
    return f"{event.plan_edition}-{db.session.scalar(at_table.order_by(RoundTable.round.desc()).limit(1))}"


def read_states(tokens: Collection[str]) -> list[Message]:
    found: list[Message] = []
    for event in db.session.scalars(select(Event).where(Event.token.in_(tokens))):
        found += [Message(EVENT, event.token, event.edition), Message(PLAN, event.token, event.plan_edition)]
    if not found:
        return []
    last_round = select(func.max(RoundTable.round)).where(RoundTable.event_id == Event.id).correlate(Event)
    tables = (
        select(RoundTable.number, Event.token, RoundTable.edition)
        .join(Event, Event.id == RoundTable.event_id)
        .where(Event.token.in_(tokens), RoundTable.round == last_round.scalar_subquery())
    )
    return found + [Message(f"{EVENT_TABLE}-{number}", *state) for number, *state in db.session.execute(tables)]


def touch_table(event: Event, table: int) -> None:
    """Note a change of a table, for directors, the wall and its phones, in the caller's transaction."""
    touch_results(event)
    at_table = select(RoundTable).where(RoundTable.event_id == event.id, RoundTable.number == table)
    row = db.session.scalars(at_table.order_by(RoundTable.round.desc()).limit(1)).one()
    row.edition = new_token()
    publish_after_commit(Message(f"{EVENT_TABLE}-{table}", event.token, row.edition))


# --- calls -------------------------------------------------------------------------------------------------


def call(event: Event, place: Place, seen: str, by: Membership) -> Outcome:
    """Call the director to a table of the current round, if the page has shown its last call; an open one is enough."""
    with writing_to_event(event, by, PLAY, place[1]):
        row = find_row(event, place)
        if row is not None and row.called_at is not None:
            return Done(None)
        if row is None or not is_current_round(event, row.round) or find_seen_call(row) != seen:
            return Stale(None)
        row.calls, row.called_at = row.calls + 1, now()
        touch_table(event, row.number)
        return Done(None)


def take_call(event: Event, place: Place, seen: str, by: Membership) -> Outcome:
    """Say that this director is on the way to a table because of the call on the page, unless another one is."""
    with writing_to_event(event, by):
        row = _find_called(event, place, seen)
        if row is None or row.coming_id not in (None, by.id):
            return Stale(None)
        if row.coming_id is None:
            row.coming_id = by.id
            touch_table(event, row.number)
        return Done(None)


def end_call(event: Event, place: Place, seen: str, by: Membership) -> None:
    with writing_to_event(event, by, PLAY, place[1]):
        row = _find_called(event, place, seen)
        if row is not None:
            row.called_at = row.coming_id = None
            touch_table(event, row.number)


def is_current_round(event: Event, round_number: int) -> bool:
    return event.finished_at is None and round_number == len(event.drawn)


def find_row(event: Event, place: Place) -> RoundTable | None:
    return db.session.get(RoundTable, (event.id, *place))


def _find_called(event: Event, place: Place, seen: str) -> RoundTable | None:
    row = find_row(event, place)
    return row if row is not None and row.called_at is not None and find_seen_call(row) == seen else None


def name_director(membership_id: int) -> str | None:
    membership = db.session.get_one(Membership, membership_id)
    owner = read_owner(membership)
    return owner.name if owner is not None else membership.name
