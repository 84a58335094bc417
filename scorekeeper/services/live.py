"""Reading for live updates: how often a table has changed, and the same of many tables and events at once.

What they read of an event is in services/events/table_phones.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from sqlalchemy import and_, func, select

from ..db.transactions import is_playing_at
from ..live import MARKS, REVISION, Message
from ..models import Browser, Revision, Table, db
from ..tables.revisions import build_mark
from .events import table_phones
from .tables.table import IS_READER, LAST_NUMBER

BATCH = 500  # of a query


def read_numbers(tokens: Collection[str]) -> list[Message]:
    """Return how often the tables with these tokens, and their marks, have changed, and the events with the others."""
    query = select(Table.token, func.coalesce(LAST_NUMBER, 0), Table.mark_changes)
    found = []
    for batch in _batches(tokens):
        for token, revisions, marks in db.session.execute(query.where(Table.token.in_(batch))):
            found += [Message(REVISION, token, revisions), Message(MARKS, token, marks)]
    others = set(tokens).difference(message.topic for message in found)
    for batch in _batches(others):
        found += table_phones.read_numbers(batch)
    return found


# Built once: SQLAlchemy takes longer to build it than to run it.
_CHANGES = (
    select(
        *(func.coalesce(Revision.number, 0), Table.mark_changes, Table.game, Table.circle_id, Table.id, Table.edition),
        *(Table.marks_edition, Revision.at, Revision.entry_key, Browser.id, Browser.right),
    )
    .select_from(Table)
    .join(Table.circle)
    .join(Browser, Browser.circle_id == Table.circle_id)
    .join(Browser.device)
    .outerjoin(
        Revision,
        and_(Revision.table_id == Table.id, Revision.number == LAST_NUMBER),
    )
    .where(IS_READER)
)


class Changes(NamedTuple):
    """How many revisions a table has, how often its marks have changed, and who asks.

    Attributes:
        edition, marks_edition: the table's.
        at, entry_key: those of the last revision. Its number alone may mean another one after a backup is restored.
        right: None for a phone that plays here in an event, and has no other access.
    """

    revisions: int
    marks: int
    game: str
    circle_id: int
    table_id: int
    edition: str
    marks_edition: str
    at: datetime | None
    entry_key: str | None
    browser_id: int
    right: str | None

    @property
    def seen(self) -> str:
        """The mark of the last revision, as `TableState.mark` has it."""
        return build_mark(self.revisions, self.at, self.entry_key)


def find_mark(edition: str, at: datetime | None, entry_key: str | None) -> str:
    """Return what no other state of a table's facts has, by its edition and its last revision."""
    return hashlib.sha256(f"{edition} {at} {entry_key}".encode()).hexdigest()[:16]


def count_changes(secret_hash: str, token: str) -> Changes | None:
    """Return how often the table has changed, in one query; None if the device has no access to it.

    `secret_hash`: that of the device's secret.
    """
    row = db.session.execute(_CHANGES, {"token": token, "secret_hash": secret_hash}).one_or_none()
    if row is None:
        return None
    changes = Changes._make(row)
    has_access = changes.right is not None or is_playing_at(changes.circle_id, changes.browser_id, changes.table_id)
    return changes if has_access else None


def _batches(values: Collection[str]) -> Iterator[list[str]]:
    rest = iter(values)
    while batch := list(islice(rest, BATCH)):
        yield batch
