"""Tables: reading one, and every write to its facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import CursorResult, Integer, and_, bindparam, exists, func, insert, or_, select
from sqlalchemy import Table as SqlTable
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased, contains_eager

from .. import history
from ..exchange.incoming import MOST_DEALS
from ..history import Change, Kept, Revised
from ..replay import CannotStandError
from ..scoring.game import announcement_faults
from ..scoring.remarks import Refusal, Remark, refuse
from ..scoring.standing import Row, Standing
from ..store import SEATED, Browser, Circle, Link, Revision, Table, db
from ..table import Open
from . import replays, summaries
from .circles import Held, is_told
from .commits import TRIES, now
from .connections import begin_writing
from .replays import Last


def tables_of(circle: Circle, *, closed: bool, most: int = 20) -> list[Table]:
    """The circle's tables that are closed, or those that are open, newest first."""
    query = (
        select(Table)
        .where(Table.circle_id == circle.id, Table.closed_at.is_not(None) if closed else Table.closed_at.is_(None))
        .options(SEATED)
        .order_by(Table.id.desc())
        .limit(most)
    )
    return list(db.session.scalars(query))


# What is read and written at every tap is put together once: to do that takes SQLAlchemy longer than to send it.

_LAST_NUMBER = select(func.max(Revision.number)).where(Revision.table_id == Table.id).correlate(Table).scalar_subquery()

# The browsers that a cookie says it is, as far as they have not been shown out; whether it is true, its secret proves.
_MAY_COME_IN = and_(
    Table.token == bindparam("token"),
    Browser.id.in_(bindparam("browsers", expanding=True)),
    Browser.ended_at.is_(None),
    Link.ended_at.is_(None),
)

_HEAD = (
    select(Table, Browser, Revision.number, Revision.at, Revision.entry_key)
    .join(Table.circle)
    .join(Circle.browsers)
    .join(Browser.link)
    .outerjoin(Revision, and_(Revision.table_id == Table.id, Revision.number == _LAST_NUMBER))
    .where(_MAY_COME_IN)
    .options(contains_eager(Table.circle), contains_eager(Browser.link))  # the browser's circle is the table's
)

_COUNT = (
    select(Browser.id, Browser.secret_hash, func.coalesce(_LAST_NUMBER, 0))
    .select_from(Table)
    .join(Browser, Browser.circle_id == Table.circle_id)
    .join(Browser.link)
    .where(_MAY_COME_IN)
)

_EARLIER = aliased(Revision)

# A new revision, only where what its writer saw last is still there, and as it was: a backup may have been restored
# meanwhile, or a name erased.
_REVISION = cast(SqlTable, Revision.__table__)
_ITS = aliased(Table)
_ADDED = (
    insert(_REVISION)
    .from_select(
        ["table_id", *Kept._fields],
        select(
            *(bindparam(name, type_=_REVISION.c[name].type) for name in ("table_id", *Kept._fields)),
        ).where(
            exists().where(_ITS.id == bindparam("table_id"), _ITS.edition == bindparam("edition")),
            or_(
                bindparam("number", type_=Integer) == 1,
                exists().where(
                    _EARLIER.table_id == bindparam("table_id"),
                    _EARLIER.number == bindparam("number", type_=Integer) - 1,
                    _EARLIER.entry_key == bindparam("earlier"),
                ),
            ),
        ),
    )
    .execution_options(preserve_rowcount=True)
)  # how many were added, on PostgreSQL too


def read_table(held: Mapping[str, Held], token: str) -> tuple[Open, Browser] | None:
    """The table at that address and who is reading it; `held` is what the reader's cookie says of each circle.

    None for a table that does not exist and for one of another circle: nobody can tell the two apart.
    """
    for table, browser, number, at, key in db.session.execute(_HEAD, _asked(held, token)).all():
        if is_told(held, browser.id, browser.secret_hash):
            return replays.read(table, Last(number, at, key)), browser
    return None


def count_revisions(held: Mapping[str, Held], token: str) -> int | None:
    """How many revisions the table has, in one read; None for one who may not see it."""
    found = db.session.execute(_COUNT, _asked(held, token)).all()
    return next((count for id_, hashed, count in found if is_told(held, id_, hashed)), None)


def _asked(held: Mapping[str, Held], token: str) -> dict[str, Any]:
    return {"token": token, "browsers": [told.browser for told in held.values()]}


@dataclass(frozen=True)
class Entry:
    """One write: the change, how many revisions its writer had seen, and the key that makes it one and the same."""

    change: Change
    seen: int
    key: str


@dataclass(frozen=True)
class Recorded:
    revision: Revised
    table: Open


@dataclass(frozen=True)
class Stale:
    """The writer had not seen all: `since` is what came in between, oldest first. Nothing was recorded."""

    since: Sequence[Revised]
    table: Open


@dataclass(frozen=True)
class Refused:
    """The facts could not have been, here or in a later deal. Nothing was recorded.

    `number` is the deal at fault as the table counts it now, None where none is; `is_own` says whether it is the
    deal that was told.
    """

    refusal: Refusal
    number: int | None
    is_own: bool

    @property
    def remarks(self) -> tuple[Remark, ...]:
        return self.refusal.remarks


@dataclass(frozen=True)
class Foreseen:
    """What a change would bring: the table after it, and the row of the deal that was told (None: withdrawn)."""

    table: Open
    row: Row | None

    @property
    def standing(self) -> Standing:
        return self.table.standing


def foresee(table: Open, change: Change) -> Foreseen | Refused:
    """Fold the deals as the change would leave them. Writes nothing."""
    return _foresee(table, change.kept(table.seen + 1, 0, now(), ""))


def _foresee(table: Open, revision: Kept) -> Foreseen | Refused:
    try:
        after = table.with_one_more(revision)
    except CannotStandError as error:
        number = table.number_of(error.deal) or error.refusal.deal
        return Refused(error.refusal, number, error.deal == revision.deal)
    return Foreseen(after, after.row_of(revision.deal) if revision.deal is not None else None)


def write(table: Open, entry: Entry, browser: Browser) -> Recorded | Stale | Refused:
    """Add a revision if the deals stand with it. The same entry sent again is answered, not recorded again."""
    for _ in range(TRIES):
        answer = _write_once(table, entry, browser)
        if answer is not None:
            return answer
        table = Open(table.table, replays.read_revisions(table.table))
    return Stale([], table)


def _write_once(table: Open, entry: Entry, browser: Browser) -> Recorded | Stale | Refused | None:
    """None where another revision took the number meanwhile."""
    twin = next((revision for revision in table.revisions if revision.entry_key == entry.key), None)
    if twin is not None:
        return Recorded(twin, table) if _is_same(twin, entry.change) else Stale([twin], table)
    if entry.seen != table.seen:
        return Stale(table.revisions[entry.seen :], table)
    revision = entry.change.kept(table.seen + 1, browser.id, now(), entry.key)
    outcome = _refusal(table, entry.change) or _foresee(table, revision)
    if isinstance(outcome, Refused):
        return outcome
    try:
        begin_writing(db.session.connection())
        known = summaries.locked(table.table)  # from here on nobody erases a name in what was read
        if not _add(table, revision):
            db.session.rollback()
            return None
        if entry.change.kind in (history.CLOSE, history.REOPEN):
            table.table.closed_at = revision.at if entry.change.kind == history.CLOSE else None
        summaries.keep(outcome.table, table, known)
        db.session.commit()
    except IntegrityError:
        db.session.rollback()
        return None
    replays.keep(outcome.table)
    return Recorded(revision, outcome.table)


def _add(table: Open, revision: Kept) -> bool:
    """Whether it was added: all that its writer had seen is still there, as it was."""
    earlier = table.revisions[-1].entry_key if table.seen else ""
    told = revision._asdict() | {"table_id": table.table.id, "earlier": earlier, "edition": table.edition}
    return cast(CursorResult[Any], db.session.execute(_ADDED, told)).rowcount == 1


def _is_same(revision: Revised, change: Change) -> bool:
    return (revision.kind, revision.body, revision.before) == (change.kind, change.body, change.before)


def _refusal(table: Open, change: Change) -> Refused | None:
    """Why it may not be told at all, whatever would follow from it."""
    if change.kind in history.OF_THE_TABLE:
        return None
    if table.is_closed:
        return Refused(refuse(None, [Remark("deals", "table-closed")]), None, True)
    if change.kind in (history.RECORD, history.INSERT) and len(table.deals) >= MOST_DEALS:
        told = {"found": len(table.deals) + 1, "most": MOST_DEALS}
        return Refused(refuse(None, [Remark("deals", "too-many-deals", told)]), None, True)
    if change.kind == history.ANNOUNCE:
        remarks = announcement_faults(table.game, table.standing, change.body) if change.body is not None else []
        return Refused(refuse(None, remarks), None, True) if remarks else None
    return None
