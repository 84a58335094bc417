"""Reading tables: their rows, their revisions, and the states replayed from these.

Replayed tables are cached in the process's memory, and only the revisions added since are read and scored. Revisions
are only ever added in an epoch of the circle, so a replay is valid while its last revision is still in the database;
after a rollback it may not be.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from threading import Lock

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import contains_eager, joinedload, undefer

from ..db.transactions import RowDeletedError
from ..games import games
from ..models import SCORE, SEATED, Circle, Device, Membership, Revision, Table, db, hash_secret, may
from ..scoring.game import AnyGame
from ..scoring.standing import RowName, name_rows
from ..site.features import features
from ..site.live import TABLE, Message
from .revisions import RevisionRow, apply_revisions
from .state import Replay, TableState

MAX_REVISIONS = 20_000  # of all cached tables together, at about 4 KB each

# Statements that run for every deal are built once: SQLAlchemy takes longer to build them than to run them.
# The reader's membership of the table's circle: a `right` of null means no access.
_IS_READER = and_(
    Table.token == bindparam("token"),
    Device.secret_hash == bindparam("secret_hash"),
    Membership.revoked_at.is_(None),
)
_TABLE_AND_READER = (
    select(Table, Membership)
    .join(Table.circle)
    .join(Circle.memberships)
    .join(Membership.device)
    .where(_IS_READER)
    # The membership's circle is the table's.
    .options(contains_eager(Table.circle), joinedload(Table.seats), undefer(Membership.right))
)
_TABLE_TO_WRITE = (
    select(Table)
    .where(Table.circle_id == bindparam("circle"), Table.id == bindparam("table"))
    .options(joinedload(Table.seats), joinedload(Table.summary))
)
_EDITION = (
    select(Table.edition, Membership.right, Table.circle_id, Membership.id, Table.id)
    .join(Membership, Membership.circle_id == Table.circle_id)
    .join(Membership.device)
    .where(_IS_READER)
)
_REVISIONS = (
    select(Revision.table_id, *(getattr(Revision, name) for name in RevisionRow._fields))
    .where(Revision.circle_id == bindparam("circle"), Revision.table_id.in_(bindparam("tables", expanding=True)))
    .where(Revision.number >= bindparam("first"))
    .order_by(Revision.number)
)

_MEMBERSHIPS = (
    select(Membership).where(Membership.circle_id == bindparam("circle")).options(joinedload(Membership.player))
)


# --- guests ------------------------------------------------------------------------------------------------


def is_guest_at(circle_id: int, membership_id: int, table_id: int) -> bool:
    return any(feature.is_guest_at(circle_id, membership_id, table_id) for feature in features())


# --- one table for its reader ------------------------------------------------------------------------------


def read_table(device_secret: str, token: str, *, guests: bool = False) -> tuple[TableState, Membership, bool] | None:
    """Return the table with this token, its reader's membership, and whether they are a guest at the table.

    None if there is no such table and if the device has no access to its circle; callers cannot tell the two apart.
    With `guests`, a phone that plays at the table in an event is one unless it may score in the circle.
    """
    ids = {"token": token, "secret_hash": hash_secret(device_secret)}
    row = db.session.execute(_TABLE_AND_READER, ids).unique().one_or_none()
    if row is None:
        return None
    table, membership = row
    is_guest = guests and not may(membership.right, SCORE) and is_guest_at(table.circle_id, membership.id, table.id)
    if membership.right is None and not is_guest:
        return None
    return read_states(table.circle_id, [table])[table.id], membership, is_guest


def read_edition(secret_hash: str, token: str) -> str | None:
    """Return the table's edition, in one query; None for a device without access, by its secret's hash."""
    row = db.session.execute(_EDITION, {"token": token, "secret_hash": secret_hash}).one_or_none()
    if row is None:
        return None
    edition, right, *ids = row
    return edition if right is not None or is_guest_at(*ids) else None


def read_memberships(table: TableState) -> dict[int, Membership]:
    """Return the circle's phones by id, with their owners."""
    return {phone.id: phone for phone in db.session.scalars(_MEMBERSHIPS, {"circle": table.circle_id})}


# --- replayed states ---------------------------------------------------------------------------------------

# By the table's token, least recently used first: the circle's epoch and the game as installed, and the replay.
_cache: OrderedDict[str, tuple[tuple[str, AnyGame | None], Replay]] = OrderedDict()
_lock = Lock()


def read_states(circle_id: int, tables: Sequence[Table]) -> dict[int, TableState]:
    """Return the states of a circle's tables by id. What was replayed before is not replayed again."""
    epoch = db.session.get_one(Circle, circle_id).epoch
    replays: dict[int, Replay] = {}
    for table in tables:
        valid_for, replay = _cache.get(table.token, (None, None))
        if replay is not None and replay.revisions and valid_for == (epoch, games().get(table.game)):
            replays[table.id] = replay
    # One query for all tables, from the last revision of the shortest replay on.
    first = min((len(replays[table.id].revisions) if table.id in replays else 1 for table in tables), default=1)
    found = read_revisions_of_all(circle_id, [table.id for table in tables], first)
    states: dict[int, TableState] = {}
    for table in tables:
        replay = replays.get(table.id)
        rows = found[table.id]
        if replay is not None and replay.revisions[-1] in rows:
            rows = [row for row in rows if row.number > len(replay.revisions)]
        elif replay is not None:  # what it contains was rolled back
            replay = None
            rows = read_revisions(table)
        states[table.id] = TableState(table, rows, replay)
    with _lock:
        for state in states.values():
            _cache[state.token] = (epoch, games().get(state.game.slug)), state.replay
            _cache.move_to_end(state.token)
        while len(_cache) > 1 and sum(len(replay.revisions) for _, replay in _cache.values()) > MAX_REVISIONS:
            _cache.popitem(last=False)
    return states


BATCH_SIZE = 100  # tables held in memory


def read_one_by_one(circle_id: int, table_ids: Sequence[int]) -> Iterator[TableState]:
    """Yield the states of a circle's tables in this order, uncached; few of them are in memory at a time."""
    for start in range(0, len(table_ids), BATCH_SIZE):
        batch = table_ids[start : start + BATCH_SIZE]
        revisions = read_revisions_of_all(circle_id, batch)
        query = select(Table).where(Table.id.in_(batch)).options(SEATED)
        tables = {table.id: table for table in db.session.scalars(query)}
        yield from (TableState(tables[id_], revisions.pop(id_)) for id_ in batch)


def get_locked_table(circle: Circle, table_id: int) -> Table:
    """Return a table's row as it is now, with seats and summary. The caller holds the circle's lock.

    Raises RowDeletedError without it: a backup without the table was restored.
    """
    row = db.session.scalars(_TABLE_TO_WRITE, {"circle": circle.id, "table": table_id}).unique().one_or_none()
    if row is None:
        raise RowDeletedError
    return row


def read_revisions(table: Table) -> list[RevisionRow]:
    return read_revisions_of_all(table.circle_id, [table.id])[table.id]


def read_revisions_of_all(circle_id: int, table_ids: Collection[int], first: int = 1) -> dict[int, list[RevisionRow]]:
    """Return the revisions of several of a circle's tables by table id, from the number `first`, in one query."""
    revisions: dict[int, list[RevisionRow]] = {id_: [] for id_ in table_ids}
    values = {"circle": circle_id, "tables": [*table_ids], "first": first}
    for table_id, *columns in db.session.execute(_REVISIONS, values):
        revisions[table_id].append(RevisionRow(*columns))
    return revisions


def read_row_names(circle_id: int, tables: Collection[Table]) -> dict[int, list[RowName]]:
    """Return what people call the rows of several of a circle's tables, by table id."""
    revisions = read_revisions_of_all(circle_id, [table.id for table in tables]) if tables else {}
    deals = {table.id: apply_revisions(revisions[table.id])[0] for table in tables}
    return {id_: [*name_rows(deal.body for deal in listed if deal.body is not None)] for id_, listed in deals.items()}


# --- rows of tables ----------------------------------------------------------------------------------------


def list_tables(circle: Circle, *, closed: bool, limit: int = 20) -> list[Table]:
    """List the circle's closed tables or its open ones, newest first, without those of events; summaries are loaded."""
    is_wanted = Table.closed_at.is_not(None) if closed else Table.closed_at.is_(None)
    of_circle = (Table.circle_id == circle.id, Table.games_token.is_(None))
    query = select(Table).where(*of_circle, is_wanted).order_by(Table.id.desc())
    return list(db.session.scalars(query.options(SEATED, joinedload(Table.summary)).limit(limit)))


def find_table(circle: Circle, token: str) -> Table | None:
    query = select(Table).where(Table.circle_id == circle.id, Table.token == token)
    return db.session.scalar(query.options(SEATED))


def count_tables_without_game(circle: Circle | None = None) -> dict[str, int]:
    """Count the tables of games that are not installed, in a circle or in all, by the game's slug."""
    query = select(Table.game, func.count()).where(Table.game.not_in(games()))
    if circle is not None:
        query = query.where(Table.circle_id == circle.id)
    rows = db.session.execute(query.group_by(Table.game).order_by(Table.game))
    return {row.game: row[1] for row in rows}


def read_tokens(circle: Circle, table_ids: Collection[int]) -> dict[int, str]:
    query = select(Table.id, Table.token).where(Table.circle_id == circle.id, Table.id.in_(table_ids))
    return {row.id: row.token for row in db.session.execute(query)}


def read_messages(tokens: Collection[str]) -> list[Message]:
    """Return the editions of the tables with these tokens, as live updates send them."""
    query = select(Table.token, Table.edition).where(Table.token.in_(tokens))
    return [Message(TABLE, *row) for row in db.session.execute(query)]
