"""Backups of everything in one file, and the way back.

A backup is a SQLite database of our own schema, whatever the app itself runs on: no other program is needed to make
or to read one, an older one is brought up to date like any database (as a copy, before anything is replaced), and
what was kept in SQLite can be restored into PostgreSQL. To restore is to replace all rows within one transaction of
the database that is in use: whoever reads or writes meanwhile sees all that was before, or all that is after.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import (
    Connection,
    delete,
    func,
    inspect,
    select,
)
from sqlalchemy.exc import SQLAlchemyError

from ..exchange.reading import unreadable
from ..scoring.remarks import Remark
from ..store import Base, Circle, Payment, Revision, Table, db
from . import databases

_MAGIC = b"SQLite format 3\0"
_OURS = {"alembic_version", "circle", "card_table", "revision"}

MakeEmpty = Callable[[Path], None]  # makes a SQLite database of the newest schema, without a row


class Held(NamedTuple):
    """How much there is, or would be lost; `newest` is when the last entry or payment of it was made, in UTC."""

    circles: int
    tables: int
    entries: int
    payments: int
    newest: datetime | None

    @property
    def is_nothing(self) -> bool:
        return not any(self[:4])


# --- making one ----------------------------------------------------------------------------------------------


def back_up(file: Path, make_empty: MakeEmpty, newest: str) -> Held | Remark:
    """Keep everything as it is at one moment; others read and write meanwhile. `newest` is our schema's version."""
    if file.exists():
        return Remark("file", "backup-exists")
    with db.engine.connect() as connection:
        version = databases.version_of(connection)
        if version is None:
            return Remark("file", "nothing-to-back-up")
        if version != newest and not databases.is_sqlite(connection):
            return Remark("file", "migrate-first")
        connection.rollback()  # what is written is as of a moment that begins now
        return _written(file, connection, make_empty)


def _written(file: Path, connection: Connection, make_empty: MakeEmpty) -> Held | Remark:
    """What is in the file once it is whole; before that, nothing lies under its name."""
    try:
        with TemporaryDirectory(dir=file.parent, prefix=".scorekeeper-") as folder:
            unfinished = Path(folder) / "unfinished"
            if databases.is_sqlite(connection):
                _copy_file(unfinished)
            else:
                _copy_into(unfinished, connection, make_empty)
            with databases.opened(unfinished) as written:
                held = _count(written)
            databases.put_together(unfinished)
            unfinished.chmod(0o600)
            unfinished.rename(file)
    except (OSError, sqlite3.Error) as error:
        return Remark("file", "backup-not-written", {"reason": getattr(error, "strerror", None) or str(error)})
    return held


def _copy_file(file: Path) -> None:
    """SQLite's own online backup: the pages as of one moment, whoever writes."""
    source = db.engine.raw_connection()
    try:
        with closing(sqlite3.connect(file)) as target:
            source.driver_connection.backup(target)  # type: ignore[union-attr]  # sqlite3's
    finally:
        source.close()


def _copy_into(file: Path, connection: Connection, make_empty: MakeEmpty) -> None:
    make_empty(file)
    if not connection.in_transaction():
        connection = connection.execution_options(isolation_level="REPEATABLE READ")
    with databases.opened(file) as target:
        databases.copy_rows(connection, target)
        target.commit()


# --- looking into one ----------------------------------------------------------------------------------------


def read(file: Path, folder: Path, known: Collection[str]) -> Path | Remark:
    """A copy of a backup in that folder; or why the file is none. `known` are the versions of our schema so far."""
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(_MAGIC))
    except OSError as error:
        return unreadable(error)
    copy = folder / "copy.sqlite3"
    if magic != _MAGIC or not _copied(file, copy):
        return Remark("file", "not-a-backup")
    with databases.opened(copy) as connection:
        version = databases.version_of(connection) if _is_whole(connection) else None
    if version is None:
        return Remark("file", "not-a-backup")
    return copy if version in known else Remark("file", "backup-of-newer")


def _copied(file: Path, copy: Path) -> bool:
    """Whether SQLite could copy it; where it may write nothing beside the file, as a file that nobody changes."""
    for how in ("mode=ro", "immutable=1"):
        try:
            with (
                closing(sqlite3.connect(f"file:{quote(str(file.resolve()))}?{how}", uri=True)) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
        except sqlite3.Error:
            continue
        return True
    return False


def _is_whole(connection: Connection) -> bool:
    try:
        if connection.exec_driver_sql("PRAGMA integrity_check").scalar() != "ok":
            return False
        if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
            return False
    except SQLAlchemyError:
        return False
    return set(inspect(connection).get_table_names()) >= _OURS


def would_be_lost(copy: Path) -> Held:
    """What is here and not in the backup, which is of the newest schema by now."""
    with db.engine.connect() as live, databases.opened(copy) as backup:
        kinds = zip(_everything(live), _everything(backup), strict=True)
        circles, tables, entries, payments = (_missing(ours, theirs) for ours, theirs in kinds)
    moments = [at for at in (*entries.values(), *payments.values()) if at is not None]
    return Held(len(circles), len(tables), len(entries), len(payments), max(moments, default=None))


_Moments = dict[Any, datetime | None]


def _everything(connection: Connection) -> tuple[_Moments, _Moments, _Moments, _Moments]:
    """What tells each circle, table, entry and payment from all others, and when it was made."""
    entries = select(Table.token, Revision.number, Revision.entry_key, Revision.at).join(
        Table, Table.id == Revision.table_id
    )
    payments = select(Circle.name, Payment.number, Payment.entry_key, Payment.at).join(
        Circle, Circle.id == Payment.circle_id
    )
    return (
        dict.fromkeys(connection.scalars(select(Circle.name))),
        dict.fromkeys(connection.scalars(select(Table.token))),
        {(token, number, key): at for token, number, key, at in connection.execute(entries)},
        {(circle, number, key): at for circle, number, key, at in connection.execute(payments)},
    )


def _missing(ours: _Moments, theirs: _Moments) -> _Moments:
    return {key: at for key, at in ours.items() if key not in theirs}


def _count(connection: Connection) -> Held:
    def rows(table: type[Base]) -> int:
        return connection.scalar(select(func.count()).select_from(table)) or 0

    newest = connection.scalar(select(func.max(Revision.at)))
    has_payments = inspect(connection).has_table(Payment.__tablename__)  # not before 0002
    return Held(rows(Circle), rows(Table), rows(Revision), rows(Payment) if has_payments else 0, newest)


# --- the way back --------------------------------------------------------------------------------------------


def restore(copy: Path, before: Path, make_empty: MakeEmpty) -> Held | Remark:
    """Put what is in the backup in place of everything; what was here is kept in the file `before`."""
    with db.engine.connect() as live, databases.opened(copy) as backup:
        databases.lock(live)
        kept = _written(before, live, make_empty)
        if isinstance(kept, Remark):
            return kept
        for table in reversed(Base.metadata.sorted_tables):
            live.execute(delete(table))
        databases.copy_rows(backup, live)
        databases.count_on(live)
        held = _count(live)
        live.commit()
    return held
