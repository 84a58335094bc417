"""Tables that this process has replayed before: of a table that has gone on, only what was added is read and scored.

Revisions are only ever added, so what was replayed once holds for as long as its last revision is the table's still:
of the same number, moment and key, which it would not be where a backup was restored meanwhile. The one thing that
is ever altered, a name that is erased, changes the table's edition. Nothing here is needed: any process may have read
more of a table, or less, and forgets the tables that were not asked for the longest.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from sqlalchemy import bindparam, select

from ..history import Kept
from ..replay import Replay
from ..store import Revision, Table, db
from ..table import Open

MOST_REVISIONS = 20_000  # of all the tables that are kept, at some 4 KB each

_FROM = (
    select(*(getattr(Revision, name) for name in Kept._fields))
    .where(Revision.table_id == bindparam("table"), Revision.number >= bindparam("first"))
    .order_by(Revision.number)
)


class Last(NamedTuple):
    """What tells a table's last revision from any other; all None where there is none yet."""

    number: int | None
    at: datetime | None
    entry_key: str | None


class _Shelf:
    """Replays by their table's token, each with its edition, the last asked for last."""

    def __init__(self) -> None:
        self.replays: OrderedDict[str, tuple[str, Replay]] = OrderedDict()
        self.revisions = 0
        self.lock = Lock()

    def find(self, table: Table) -> Replay | None:
        with self.lock:
            edition, replay = self.replays.get(table.token, ("", None))
            if replay is not None:
                self.replays.move_to_end(table.token)
        return replay if edition == table.edition else None

    def put(self, table: Open) -> None:
        replay = table.replay
        with self.lock:
            _, earlier = self.replays.pop(table.token, ("", None))
            self.replays[table.token] = table.edition, replay
            self.revisions += len(replay.revisions) - (len(earlier.revisions) if earlier is not None else 0)
            while self.revisions > MOST_REVISIONS and len(self.replays) > 1:
                _, (_, forgotten) = self.replays.popitem(last=False)
                self.revisions -= len(forgotten.revisions)


_shelf = _Shelf()


def read(table: Table, last: Last) -> Open:
    """The table as it stands, `last` being its last revision when it was looked for."""
    known = _shelf.find(table)
    if known is not None and _last_of(known) == last:
        return Open(table, replay=known)
    told = _gone_on(table, known) if known is not None and known.revisions else None
    if told is None:
        told = Open(table, read_revisions(table))
    keep(told)
    return told


def keep(table: Open) -> None:
    """Keep what is there for good; not rows of a session, which other threads cannot share."""
    if all(isinstance(revision, Kept) for revision in table.revisions[:1]):
        _shelf.put(table)


def read_revisions(table: Table, first: int = 1) -> list[Kept]:
    return [Kept._make(row) for row in db.session.execute(_FROM, {"table": table.id, "first": first})]


def _gone_on(table: Table, known: Replay) -> Open | None:
    """None where something else stands in place of what is known."""
    newest = known.revisions[-1]
    found = read_revisions(table, newest.number)
    return Open(table, found[1:], known) if found[:1] == [newest] else None


def _last_of(replay: Replay) -> Last:
    if not replay.revisions:
        return Last(None, None, None)
    newest = replay.revisions[-1]
    return Last(newest.number, newest.at, newest.entry_key)
