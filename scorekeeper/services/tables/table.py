"""Tables: reading one, and every write to its facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

from sqlalchemy import Integer, and_, bindparam, exists, func, insert, or_, select
from sqlalchemy import Row as SqlRow
from sqlalchemy import Table as SqlTable
from sqlalchemy.orm import aliased, contains_eager, joinedload, undefer

from ...db.clock import now
from ...db.transactions import (
    append_to_circle,
    get_id,
    has_right,
    is_playing_at,
    plays_at,
    wait_for_standby,
    write_to_circle,
)
from ...limits import MAX_DEALS
from ...models import SEATED, Browser, Circle, Device, Revision, Table, db
from ...models.rights import SCORE
from ...scoring.announcements import announcement_problems
from ...scoring.problems import Problem, Refusal, refuse
from ...scoring.standing import AnyStanding, Row, RowName
from ...tables import revisions
from ...tables.replay import IllegalDealError
from ...tables.revisions import Change, RevisionRow
from ...tables.seating import to_labels
from ...tables.state import TableState
from ..access.devices import hash_secret
from ..outcome import Done, Stale
from . import replayed, summaries
from .announcing import announce_revision
from .replayed import LastRevision
from .summaries import SummaryRow

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

_IS_OF_TABLE = and_(Revision.circle_id == Table.circle_id, Revision.table_id == Table.id)
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

# Inserts a revision only if the last one that the writer has seen is still the last and unchanged (a backup may have
# been restored meanwhile, or a name erased), and if the writer still has the right to write. Returns the table's
# summary, which has to be written too; nothing if no revision was inserted.
_REVISION = cast(SqlTable, Revision.__table__)
_EARLIER, _CONFLICTING, _OWN_TABLE = aliased(Revision), aliased(Revision), aliased(Table)
_CIRCLE_ID, _TABLE_ID = bindparam("circle_id", type_=Integer), bindparam("table_id", type_=Integer)
_NUMBER = bindparam("number", type_=Integer)
_IDS = ("circle_id", "table_id")
_INSERT_REVISION = (
    insert(_REVISION)
    .from_select(
        [*_IDS, *RevisionRow._fields],
        select(
            *(bindparam(name, type_=_REVISION.c[name].type) for name in (*_IDS, *RevisionRow._fields)),
        ).where(
            or_(
                has_right(_CIRCLE_ID, bindparam("browser_id", type_=Integer), SCORE),
                plays_at(_CIRCLE_ID, bindparam("browser_id", type_=Integer), _TABLE_ID),
            ),
            exists().where(
                _OWN_TABLE.circle_id == _CIRCLE_ID,
                _OWN_TABLE.id == _TABLE_ID,
                _OWN_TABLE.edition == bindparam("edition"),
            ),
            ~exists().where(
                _CONFLICTING.circle_id == _CIRCLE_ID,
                _CONFLICTING.table_id == _TABLE_ID,
                _CONFLICTING.number == _NUMBER,
            ),
            or_(
                _NUMBER == 1,
                exists().where(
                    _EARLIER.circle_id == _CIRCLE_ID,
                    _EARLIER.table_id == _TABLE_ID,
                    _EARLIER.number == _NUMBER - 1,
                    _EARLIER.entry_key == bindparam("earlier"),
                ),
            ),
        ),
    )
    .returning(*summaries.build_columns(_CIRCLE_ID, _TABLE_ID))
)


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
    prepared = prepare(table, request, browser_id)
    if isinstance(prepared, PreparedWrite) and not append_to_circle(table.circle_id, partial(_append, prepared)):
        # Something it depends on has changed: read everything again, this time under the circle's lock.
        prepared = write_to_circle(
            table.circle_id,
            lambda circle: _prepare_and_append(circle, table_id, mark, request, browser_id),
            browser=browser,
            right=SCORE,
            table_id=table_id,
        )
    elif isinstance(prepared, Done):
        wait_for_standby(table.circle_id)
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
    """Insert the revision; the caller holds the circle's lock."""
    if not _append(prepared):
        raise RuntimeError(f"table {prepared.before.id} changes although its circle is locked")


def _append(prepared: PreparedWrite) -> bool:
    """Insert the revision and update what depends on it; False if the writer's view is stale or access has ended."""
    inserted = _insert(prepared)
    if inserted is None:
        return False
    kind = prepared.revision.kind
    if kind in (revisions.CLOSE, revisions.REOPEN):
        prepared.before.stored.closed_at = prepared.revision.at if kind == revisions.CLOSE else None
    summaries.store(prepared.after, prepared.before, SummaryRow.of(inserted))
    announce_revision(prepared.before, prepared.revision)
    return True


def _insert(prepared: PreparedWrite) -> SqlRow[Any] | None:
    before = prepared.before
    earlier = before.revisions[-1].entry_key if before.version else ""
    ids = {"circle_id": before.circle_id, "table_id": before.id}
    params = prepared.revision._asdict() | ids | {"earlier": earlier, "edition": before.edition}
    return db.session.execute(_INSERT_REVISION, params).one_or_none()


def refuse_without_game(table: TableState) -> Refused:
    """Refuse a write that needs the game of a table, which is not installed."""
    return Refused(refuse(None, [Problem("game", "game-missing", {"game": table.game.slug})]), None, True)


def _refusal(table: TableState, change: Change) -> Refused | None:
    """Refuse a change that is not allowed at this point, whatever its deal would score."""
    if not table.has_rules and change.kind not in (revisions.CLOSE, revisions.REOPEN):
        return refuse_without_game(table)
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
