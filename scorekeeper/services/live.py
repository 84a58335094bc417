"""Reading for live updates: how often a table has changed, the names that it shows, and the same of many at once.

What they read of an event is in services/events/table_phones.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple, TypeVar

from sqlalchemy import Executable, and_, bindparam, func, null, select, union_all
from sqlalchemy.orm import aliased

from ..db.transactions import is_playing_at
from ..live.hub import Access
from ..live.messages import MARKS, PLAN, REVISION, Message, access_changed
from ..models import Browser, Circle, Device, Player, Revision, Seat, Table, db
from ..models.rights import HOST, SCORE, may
from ..tables.revisions import build_mark
from .access.devices import hash_secret
from .events import table_phones
from .tables.table import IS_AT_EVENT, IS_READER, LAST_NUMBER

BATCH = 500  # of a query

T = TypeVar("T")


def read_numbers(tokens: Collection[str]) -> list[Message]:
    """Return how often the tables with these tokens, and their marks, have changed, and the events with the others."""
    query = select(Table.token, func.coalesce(LAST_NUMBER, 0), Table.mark_changes)
    found = []
    for batch in _batches(tokens):
        for token, revisions, marks in db.session.execute(query.where(Table.token.in_(batch))):
            found += [Message(REVISION, token, revisions), Message(MARKS, token, marks)]
    others = set(tokens).difference(message.topic for message in found)
    for batch in _batches(others):
        events = table_phones.read_numbers(batch)
        found += events + table_phones.list_messages({each.topic: each.number for each in events if each.event == PLAN})
    return found


# Built once: SQLAlchemy takes longer to build it than to run it.
_CHANGES = (
    select(
        *(func.coalesce(Revision.number, 0), Table.mark_changes, Table.game, Circle.name),
        *(Table.circle_id, Table.id, Table.edition, Table.marks_edition),
        *(
            Table.turns,
            Revision.at,
            Revision.entry_key,
            Browser.id,
            Browser.player_id,
            Browser.right,
        ),
    )
    .select_from(Table)
    .join(Table.circle)
    .join(Browser, Browser.circle_id == Table.circle_id)
    .join(Browser.device)
    .outerjoin(
        Revision,
        and_(Revision.circle_id == Table.circle_id, Revision.table_id == Table.id, Revision.number == LAST_NUMBER),
    )
    .where(IS_READER)
)


class Changes(NamedTuple):
    """How many revisions a table has, how often its marks have changed, and who asks.

    Attributes:
        circle: its name.
        edition, marks_edition: the table's.
        at, entry_key: those of the last revision. Its number alone may mean another one after a backup is restored.
        right: None for a phone that plays here in an event, and has no other access.
    """

    revisions: int
    marks: int
    game: str
    circle: str
    circle_id: int
    table_id: int
    edition: str
    marks_edition: str
    turns: str | None
    at: datetime | None
    entry_key: str | None
    browser_id: int
    player_id: int | None
    right: str | None

    @property
    def seen(self) -> str:
        """The mark of the last revision, as `TableState.mark` has it."""
        return build_mark(self.revisions, self.at, self.entry_key)


def find_mark(edition: str, at: datetime | None, entry_key: str | None) -> str:
    """Return what no other state of a table's facts has, by its edition and its last revision."""
    return hashlib.sha256(f"{edition} {at} {entry_key}".encode()).hexdigest()[:16]


def count_changes(device_secret: str, token: str) -> Changes | None:
    """Return how often the table has changed, for a member in one query; None if the device has no access to it."""
    return count_changes_for(hash_secret(device_secret), token)


def count_changes_for(secret_hash: str, token: str) -> Changes | None:
    """Return what `count_changes` does, for the device whose secret has this hash."""
    row = db.session.execute(_CHANGES, {"token": token, "secret_hash": secret_hash}).one_or_none()
    if row is None:
        return None
    changes = Changes._make(row)
    has_access = changes.right is not None or is_playing_at(changes.circle_id, changes.browser_id, changes.table_id)
    return changes if has_access else None


class FollowingMember(NamedTuple):
    """What an update depends on of a member who follows a table: whether they may score, and whose phone it is."""

    may_score: bool
    player_id: int | None


_MEMBERS = (
    select(Device.secret_hash, Browser.right, Browser.player_id)
    .select_from(Table)
    .join(Browser, Browser.circle_id == Table.circle_id)
    .join(Browser.device)
    .where(Table.token == bindparam("token"), Device.secret_hash.in_(bindparam("hashes", expanding=True)))
    .where(Browser.revoked_at.is_(None), Browser.right.is_not(None))
    .where(Browser.right.in_((SCORE, HOST)) | ~IS_AT_EVENT)
)


def read_members(token: str, secret_hashes: Collection[str]) -> dict[str, FollowingMember]:
    """Return the members among the devices whose secrets have these hashes, without those who may play in an event."""
    return {
        secret_hash: FollowingMember(may(right, SCORE), player_id)
        for batch in _batches(secret_hashes)
        for secret_hash, right, player_id in db.session.execute(_MEMBERS, {"token": token, "hashes": batch})
    }


class ShownName(NamedTuple):
    """The name and ids of who has a `label` at a table; or of one of its circle's browsers, what it is called by."""

    label: str | None
    name: str | None
    number: int | None
    player_id: int | None
    person_id: int | None


_PERSON = aliased(Player)
_NAMES: Executable = union_all(
    select(Seat.seat, func.coalesce(_PERSON.name, Player.name), null(), Player.id, Player.person_id)
    .join(Seat.player)
    .outerjoin(_PERSON, (_PERSON.circle_id == Player.circle_id) & (_PERSON.id == Player.person_id))
    .where(Seat.circle_id == bindparam("circle"), Seat.table_id == bindparam("table")),
    select(null(), func.coalesce(_PERSON.name, Player.name, Browser.name), Browser.number, null(), null())
    .outerjoin(Player, (Player.circle_id == Browser.circle_id) & (Player.id == Browser.player_id))
    .outerjoin(_PERSON, (_PERSON.circle_id == Player.circle_id) & (_PERSON.id == Player.person_id))
    .where(Browser.circle_id == bindparam("circle")),
)


def read_names(changes: Changes) -> frozenset[ShownName]:
    """Return all names that an update of the table may show, in one query."""
    ids = {"circle": changes.circle_id, "table": changes.table_id}
    return frozenset(ShownName._make(row) for row in db.session.execute(_NAMES, ids))


def followers_with_access(followers: Collection[Access]) -> set[Access]:
    """Return those who may still read what they follow: members of its circle, and guests of events."""
    query = select(Circle.name, Device.secret_hash).join(Circle.browsers).join(Browser.device)
    query = query.where(Browser.right.is_not(None))
    members = {
        (circle, follower)
        for hashes in _batches({access.follower for access in followers})
        for circle, follower in db.session.execute(query.where(Device.secret_hash.in_(hashes)))
    }
    allowed = {access for access in followers if (access.circle, access.follower) in members}
    for guests in _batches(set(followers) - allowed):
        allowed |= table_phones.guests_with_access(guests)
    return allowed


def messages_to_all() -> list[Message]:
    """Return messages that end all streams, to be published once a backup has been restored."""
    messages = [access_changed(name) for name in db.session.scalars(select(Circle.name))]
    db.session.rollback()  # the backup replaces what has been read
    return messages


def _batches(values: Collection[T]) -> Iterator[list[T]]:
    rest = iter(values)
    while batch := list(islice(rest, BATCH)):
        yield batch
