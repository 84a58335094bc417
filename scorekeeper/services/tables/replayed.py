"""A cache of replayed tables in the process's memory; only the revisions added since are read and scored.

Revisions are only ever added, so a replay is valid while its last revision still has the same number, time and key in
the database; after the restore of a backup it has not. Erasing a name is the one change of stored facts; it
changes the table's `edition`, as do another title and another day. Processes do not share the cache. The tables least
recently used are dropped first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from sqlalchemy import bindparam, select

from ...db.transactions import CircleErasedError
from ...games import find_game
from ...models import Circle, Revision, Table, db
from ...scoring.game import AnyGame
from ...scoring.standing import RowName
from ...tables.replay import Replay, name_stored_rows
from ...tables.revisions import RevisionRow, apply_revisions
from ...tables.state import TableState

MAX_REVISIONS = 20_000  # of all cached tables together, at about 4 KB each

_REVISIONS_FROM = (
    select(*(getattr(Revision, name) for name in RevisionRow._fields))
    .where(
        Revision.circle_id == bindparam("circle"),
        Revision.table_id == bindparam("table"),
        Revision.number >= bindparam("first"),
    )
    .order_by(Revision.number)
)


class LastRevision(NamedTuple):
    """The identity of a table's last revision; all None if it has none yet."""

    number: int | None
    at: datetime | None
    entry_key: str | None


class _Cache:
    """Replays by their table's token, each with the table's edition and installed game, least recently used first.

    The installed game is not always the one of the replay, which may differ under the table's house rules.
    """

    def __init__(self) -> None:
        self.replays: OrderedDict[str, tuple[str, AnyGame, Replay]] = OrderedDict()
        self.revisions = 0
        self.lock = Lock()

    def find(self, table: Table) -> Replay | None:
        """Return the table's replay if its edition is unchanged, and its game the same."""
        with self.lock:
            found = self.replays.get(table.token)
            if found is not None:
                self.replays.move_to_end(table.token)
        is_same = found is not None and found[0] == table.edition and found[1] is find_game(table.game)
        return found[2] if found is not None and is_same else None

    def put(self, table: TableState) -> None:
        """Store a table's replay, and drop others if there are too many revisions."""
        replay = table.replay
        installed = find_game(replay.game.slug)
        with self.lock:
            replaced = self.replays.pop(table.token, None)
            self.replays[table.token] = table.edition, installed, replay
            self.revisions += len(replay.revisions) - (len(replaced[2].revisions) if replaced is not None else 0)
            while self.revisions > MAX_REVISIONS and len(self.replays) > 1:
                _, (_, _, dropped) = self.replays.popitem(last=False)
                self.revisions -= len(dropped.revisions)


_cache = _Cache()


def read(table: Table, last: LastRevision) -> TableState:
    """Return the table's state, from the cache if `last`, its last revision in the database, is cached."""
    cached = _cache.find(table)
    if cached is not None and _find_last(cached) == last:
        return TableState(table, replay=cached)
    state = _extended(table, cached) if cached is not None and cached.revisions else None
    if state is None:
        state = TableState(table, read_revisions(table))
    store(state)
    return state


def store(table: TableState) -> None:
    """Cache a table whose revisions are committed."""
    _cache.put(table)


def read_locked(circle: Circle, table_id: int) -> TableState:
    """Return a table as it is now, without caching what may not be committed; the caller holds the circle's lock.

    Raises:
        CircleErasedError: the table is no longer there.
    """
    row = get_locked(circle, table_id)
    cached = _cache.find(row)
    state = _extended(row, cached) if cached is not None and cached.revisions else None
    return state or TableState(row, read_revisions(row))


def get_locked(circle: Circle, table_id: int) -> Table:
    """Return a table's row as it is now; the caller holds the circle's lock.

    Raises:
        CircleErasedError: the table is no longer there.
    """
    row = db.session.get(Table, table_id)
    if row is None or row.circle_id != circle.id:  # a backup without the table was restored
        raise CircleErasedError
    return row


def read_revisions(table: Table, first: int = 1) -> list[RevisionRow]:
    """Return the table's revisions from the number `first` on."""
    params = {"circle": table.circle_id, "table": table.id, "first": first}
    return [RevisionRow._make(row) for row in db.session.execute(_REVISIONS_FROM, params)]


def read_revisions_of_all(circle_id: int, table_ids: Collection[int]) -> dict[int, list[RevisionRow]]:
    """Return the revisions of several of a circle's tables by table id, in one query."""
    columns = (getattr(Revision, name) for name in RevisionRow._fields)
    of_tables = (Revision.circle_id == circle_id, Revision.table_id.in_(table_ids))
    query = select(Revision.table_id, *columns).where(*of_tables).order_by(Revision.number)
    revisions: dict[int, list[RevisionRow]] = {id_: [] for id_ in table_ids}
    for table_id, *values in db.session.execute(query):
        revisions[table_id].append(RevisionRow(*values))
    return revisions


def read_row_names(circle_id: int, tables: Collection[Table]) -> dict[int, list[RowName]]:
    """Return what people call the rows of several of a circle's tables by table id."""
    revisions = read_revisions_of_all(circle_id, [table.id for table in tables]) if tables else {}
    return {table.id: name_stored_rows(table, apply_revisions(revisions[table.id])[0]) for table in tables}


def _extended(table: Table, cached: Replay) -> TableState | None:
    """Add the newer revisions to a cached replay; None if its last revision is no longer in the database."""
    newest = cached.revisions[-1]
    revisions = read_revisions(table, newest.number)
    return TableState(table, revisions[1:], cached) if revisions[:1] == [newest] else None


def _find_last(replay: Replay) -> LastRevision:
    if not replay.revisions:
        return LastRevision(None, None, None)
    newest = replay.revisions[-1]
    return LastRevision(newest.number, newest.at, newest.entry_key)
