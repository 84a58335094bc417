"""Tables: reading one, and every write to its facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import and_, bindparam, func, insert, select
from sqlalchemy.orm import contains_eager, joinedload, undefer

from ...db.clock import now
from ...db.transactions import get_id, is_playing_at, write_to_circle
from ...games import games
from ...limits import MAX_DEALS
from ...live import REVISION, Message, announce
from ...models import SCORE, SEATED, Browser, Circle, Device, Revision, Table, db
from ...push.queue import TURN, Occasion, notify
from ...scoring.game import announcement_problems
from ...scoring.problems import Problem, Refusal, refuse
from ...scoring.standing import AnyStanding, Row, RowName
from ...tables import revisions
from ...tables.replay import IllegalDealError
from ...tables.revisions import RECORD, Change, RevisionRow
from ...tables.seating import to_labels
from ...tables.state import TableState
from ..access import hash_secret
from ..outcome import Done, Stale
from . import replayed, summaries
from .replayed import LastRevision


def count_tables_without_game(circle: Circle | None = None) -> dict[str, int]:
    """Return how many tables of each game that is not installed are in a circle, or in the whole database."""
    query = select(Table.game, func.count()).where(Table.game.not_in(games()))
    if circle is not None:
        query = query.where(Table.circle_id == circle.id)
    rows = db.session.execute(query.group_by(Table.game).order_by(Table.game))
    return {row.game: row[1] for row in rows}


def has_tables_of(circle: Circle, slug: str) -> bool:
    """Return whether the circle has tables of this game, installed or not."""
    return (
        db.session.scalar(select(Table.id).where(Table.circle_id == circle.id, Table.game == slug).limit(1)) is not None
    )


def announce_revision(before: TableState, revision: RevisionRow) -> None:
    """Announce a revision of this table, once the transaction is committed."""
    announce(Message(REVISION, before.token, revision.number))
    if revision.kind == RECORD and before.stored.turns is not None:
        notify(Occasion(TURN, before.circle_id, (before.token,), revision.browser_id))


KEY_AT_EVENTS = "event-"  # how the entry keys of tables of events begin
IS_AT_EVENT = func.coalesce(Table.entry_key, "").startswith(KEY_AT_EVENTS)


def list_tables(circle: Circle, *, closed: bool, limit: int = 20) -> list[Table]:
    """List the circle's closed tables or its open ones, newest first, without those of events; summaries are loaded."""
    is_wanted = Table.closed_at.is_not(None) if closed else Table.closed_at.is_(None)
    query = select(Table).where(Table.circle_id == circle.id, is_wanted, ~IS_AT_EVENT).order_by(Table.id.desc())
    return list(db.session.scalars(query.options(SEATED, joinedload(Table.summary)).limit(limit)))


def find_table(circle: Circle, token: str) -> Table | None:
    """Return the circle's table with this token, with its seats; None if it has none."""
    query = select(Table).where(Table.circle_id == circle.id, Table.token == token)
    return db.session.scalar(query.options(SEATED))


# Statements that run for every deal are built once: SQLAlchemy takes longer to build them than to run them.

_IS_OF_TABLE = Revision.table_id == Table.id
LAST_NUMBER = select(func.max(Revision.number)).where(_IS_OF_TABLE).correlate(Table).scalar_subquery()

# The reader's browser in the table's circle. Its `right` has to be checked as well: null means no access.
IS_READER = and_(
    Table.token == bindparam("token"),
    Device.secret_hash == bindparam("secret_hash"),
    Browser.revoked_at.is_(None),
)

_TABLE_AND_READER = (
    select(Table, Browser, Revision.number, Revision.at, Revision.entry_key)
    .join(Table.circle)
    .join(Circle.browsers)
    .join(Browser.device)
    .outerjoin(Revision, and_(_IS_OF_TABLE, Revision.number == LAST_NUMBER))
    .where(IS_READER)
    .options(contains_eager(Table.circle), undefer(Browser.right))  # the browser's circle is the table's
)

_INSERT_REVISION = insert(cast(SqlTable, Revision.__table__))


def read_table(device_secret: str, token: str, *, guests: bool = False) -> tuple[TableState, Browser] | None:
    """Return the table with this token and the browser that reads it.

    None if there is no such table and if the device has no access to its circle; callers cannot tell the two apart.
    With `guests`, a phone that plays at the table in an event reads it as well.
    """
    return read_table_of(hash_secret(device_secret), token, guests=guests)


def read_table_of(secret_hash: str, token: str, *, guests: bool = False) -> tuple[TableState, Browser] | None:
    """Return what `read_table` does, for the device whose secret has this hash."""
    row = db.session.execute(_TABLE_AND_READER, {"token": token, "secret_hash": secret_hash}).one_or_none()
    if row is None:
        return None
    table, browser, number, at, key = row
    if browser.right is None and not (guests and is_playing_at(table.circle_id, browser.id, table.id)):
        return None
    return replayed.read(table, LastRevision(number, at, key)), browser


@dataclass(frozen=True)
class WriteRequest:
    """One write to a table.

    `last_revision` is the number of the last revision that the writer has seen of the table as it was read, `key` the
    entry key of the page: the same page sent twice records one revision.
    """

    change: Change
    last_revision: int
    key: str


class Recorded(NamedTuple):
    """A revision that was recorded, and the table with it."""

    revision: RevisionRow
    table: TableState


@dataclass(frozen=True)
class Refused:
    """Nothing was recorded: with the change, this deal or a later one would break a rule.

    `name` is that of the row at fault as the table is now, None without one. `is_own`: it is the deal that was sent.
    """

    refusal: Refusal
    name: RowName | None
    is_own: bool

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems with the change."""
        return self.refusal.problems


NotWritten = Stale[Sequence[RevisionRow]] | Refused  # the revisions that the writer has not seen, oldest first
WriteResult = Done[Recorded] | NotWritten


@dataclass(frozen=True)
class Preview:
    """The table as a change would leave it, and the row of the deal that was sent; None if it would be withdrawn."""

    table: TableState
    row: Row | None

    @property
    def standing(self) -> AnyStanding:
        """The scores after the change."""
        return self.table.standing


def preview(table: TableState, *changes: Change) -> Preview | Refused:
    """Score the table as the changes would leave it; write nothing. The last one is that of the deal in question."""
    rows = [change.to_row(number, 0, now(), "") for number, change in enumerate(changes, start=table.version + 1)]
    return _preview(table, *rows)


def _preview(table: TableState, *revisions: RevisionRow) -> Preview | Refused:
    revision = revisions[-1]
    try:
        after = table.with_revision(*revisions)
    except IllegalDealError as error:
        row = table.row_of(error.deal)
        return Refused(error.refusal, row.name if row is not None else None, error.deal == revision.deal)
    return Preview(after, after.row_of(revision.deal) if revision.deal is not None else None)


def write(table: TableState, request: WriteRequest, browser: Browser) -> WriteResult:
    """Add a revision if no deal breaks a rule with it. A request sent again returns the first result.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError: the browser's access ended meanwhile.
    """
    browser_id, table_id, mark = get_id(browser), table.id, table.mark
    prepared = write_to_circle(
        table.circle_id,
        lambda circle: _prepare_and_append(circle, table_id, mark, request, browser_id),
        browser=browser,
        right=SCORE,
        table_id=table_id,
    )
    if not isinstance(prepared, PreparedWrite):
        return prepared
    replayed.store(prepared.after)
    return Done(Recorded(prepared.revision, prepared.after))


class PreparedWrite(NamedTuple):
    """A valid revision, and the table before and after it."""

    revision: RevisionRow
    before: TableState
    after: TableState


Prepared = PreparedWrite | WriteResult


def prepare(table: TableState, request: WriteRequest, browser_id: int) -> Prepared:
    """Build the revision to add to the table as it was read, or return the result if there is none to add."""
    earlier = next((revision for revision in table.revisions if revision.entry_key == request.key), None)
    if earlier is not None:
        return Done(Recorded(earlier, table)) if request.change.is_recorded_by(earlier) else Stale([earlier])
    if request.last_revision != table.version:
        return Stale(table.revisions[request.last_revision :])
    done = _revision_that_did(table, request.change)
    if done is not None:
        return Done(Recorded(done, table))
    revision = request.change.to_row(table.version + 1, browser_id, now(), request.key)
    outcome = _refusal(table, request.change) or _preview(table, revision)
    return outcome if isinstance(outcome, Refused) else PreparedWrite(revision, table, outcome.table)


def _revision_that_did(table: TableState, change: Change) -> RevisionRow | None:
    """Return the revision that closed, or reopened, the table already, if the change would do it again."""
    is_done = change.kind == (revisions.CLOSE if table.is_closed else revisions.REOPEN)
    if not is_done:
        return None
    return next((revision for revision in reversed(table.revisions) if revision.kind == change.kind), None)


def _prepare_and_append(circle: Circle, table_id: int, read: str, request: WriteRequest, browser_id: int) -> Prepared:
    """Build the revision from the table as it is now, and append it; the caller holds the circle's lock.

    `read` is the mark of the table as it was read without the lock.
    """
    table = replayed.read_locked(circle, table_id)
    if revisions.find_marked(table.revisions, read) < 0:  # a backup was restored meanwhile
        request = replace(request, last_revision=-1)
    prepared = prepare(table, request, browser_id)
    if isinstance(prepared, PreparedWrite):
        append_locked(prepared)
    return prepared


def append_locked(prepared: PreparedWrite) -> None:
    """Insert the revision and update what depends on it; the caller holds the circle's lock."""
    revision, before, after = prepared
    db.session.execute(_INSERT_REVISION, revision._asdict() | {"circle_id": before.circle_id, "table_id": before.id})
    if revision.kind in (revisions.CLOSE, revisions.REOPEN):
        before.stored.closed_at = revision.at if revision.kind == revisions.CLOSE else None
    summaries.store(after, before)
    announce_revision(before, revision)


def _refusal(table: TableState, change: Change) -> Refused | None:
    """Refuse a change that is not allowed at this point, whatever its deal would score."""
    if change.kind in revisions.TABLE_KINDS:
        return None
    if table.is_closed:
        return Refused(refuse(None, [Problem("deals", "table-closed")]), None, True)
    if change.kind in (revisions.RECORD, revisions.INSERT) and len(table.deals) >= MAX_DEALS:
        params = {"found": len(table.deals) + 1, "most": MAX_DEALS}
        return Refused(refuse(None, [Problem("deals", "too-many-deals", params)]), None, True)
    if change.kind == revisions.ANNOUNCE:
        facts = change.body and to_labels(table.game, change.body, table.chairs, table.standing.players)
        problems = announcement_problems(table.game, table.standing, facts) if facts is not None else []
        return Refused(refuse(None, problems), None, True) if problems else None
    return None
