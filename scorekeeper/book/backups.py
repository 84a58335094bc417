"""Backups of everything in one file, and the way back.

A backup is a SQLite database of our own schema, whatever the app itself runs on: no other program is needed to make
or to read one, an older one is brought up to date like any database (as a copy, before anything is replaced), and
what was kept in SQLite can be restored into PostgreSQL. To restore is to replace all rows within one transaction of
the database that is in use: whoever reads or writes meanwhile sees all that was before, or all that is after.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import (
    URL,
    Column,
    Connection,
    bindparam,
    create_engine,
    delete,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy import Table as Kept
from sqlalchemy.exc import SQLAlchemyError

from ..scoring.remarks import Remark
from ..store import Base, Circle, Payment, Revision, Table, db

AT_ONCE = 500  # rows that are read and written together
_MAGIC = b"SQLite format 3\0"
_VERSION = text("SELECT version_num FROM alembic_version")
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
        version = _version(connection)
        if version is None:
            return Remark("file", "nothing-to-back-up")
        if version != newest and not _is_sqlite(connection):
            return Remark("file", "migrate-first")
        connection.rollback()  # what is written is as of a moment that begins now
        return _written(file, connection, make_empty)


def _written(file: Path, connection: Connection, make_empty: MakeEmpty) -> Held | Remark:
    """What is in the file once it is whole; before that, nothing lies under its name."""
    try:
        with TemporaryDirectory(dir=file.parent, prefix=".scorekeeper-") as folder:
            unfinished = Path(folder) / "unfinished"
            if _is_sqlite(connection):
                _copy_file(unfinished)
            else:
                _copy_into(unfinished, connection, make_empty)
            with _opened(unfinished) as written:
                held = _count(written)
            _put_together(unfinished)
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
    with _opened(file) as target:
        _copy_rows(connection, target)
        target.commit()


# --- looking into one ----------------------------------------------------------------------------------------


def read(file: Path, folder: Path, known: Collection[str]) -> Path | Remark:
    """A copy of a backup in that folder; or why the file is none. `known` are the versions of our schema so far."""
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(_MAGIC))
    except OSError as error:
        return Remark("file", _UNREADABLE.get(type(error), "cannot-be-read"))
    copy = folder / "copy.sqlite3"
    if magic != _MAGIC or not _copied(file, copy):
        return Remark("file", "not-a-backup")
    with _opened(copy) as connection:
        version = _version(connection) if _is_whole(connection) else None
    if version is None:
        return Remark("file", "not-a-backup")
    return copy if version in known else Remark("file", "backup-of-newer")


_UNREADABLE: dict[type[OSError], str] = {
    FileNotFoundError: "no-such-file",
    IsADirectoryError: "is-a-folder",
    PermissionError: "may-not-be-read",
}


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


def read_through(copy: Path) -> None:
    """Read every row of a backup of the newest schema; raises whatever keeps one from being read."""
    with _opened(copy) as connection:
        for table in Base.metadata.sorted_tables:
            for _rows in connection.execute(select(table)).partitions(AT_ONCE):
                pass


def would_be_lost(copy: Path) -> Held:
    """What is here and not in the backup, which is of the newest schema by now."""
    with db.engine.connect() as live, _opened(copy) as backup:
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
    with db.engine.connect() as live, _opened(copy) as backup:
        _lock(live)
        kept = _written(before, live, make_empty)
        if isinstance(kept, Remark):
            return kept
        for table in reversed(Base.metadata.sorted_tables):
            live.execute(delete(table))
        _copy_rows(backup, live)
        _count_on(live)
        held = _count(live)
        live.commit()
    return held


def _lock(connection: Connection) -> None:
    """Let nobody else write until this transaction ends; reading goes on."""
    if _is_sqlite(connection):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        names = ", ".join(table.name for table in Base.metadata.sorted_tables)
        connection.execute(text(f"LOCK TABLE {names} IN EXCLUSIVE MODE"))


def _copy_rows(source: Connection, target: Connection) -> None:
    for table in Base.metadata.sorted_tables:
        own = [column for column in table.columns if _points_at(column, table)]
        pointing: list[dict[str, Any]] = []
        for rows in source.execute(select(table)).mappings().partitions(AT_ONCE):
            pointing += [dict(row) for row in rows if any(row[column.name] is not None for column in own)]
            # A row may point at one of its own kind that comes later: at first none points anywhere.
            target.execute(insert(table), [dict(row) | {column.name: None for column in own} for row in rows])
        for at in range(0, len(pointing), AT_ONCE):
            _point(target, table, own, pointing[at : at + AT_ONCE])


def _points_at(column: Column[Any], table: Kept) -> bool:
    return any(key.column.table is table for key in column.foreign_keys)


def _point(target: Connection, table: Kept, own: list[Column[Any]], rows: list[dict[str, Any]]) -> None:
    one = update(table).where(table.c.id == bindparam("_id"))
    told = [{"_id": row["id"]} | {column.name: row[column.name] for column in own} for row in rows]
    target.execute(one.values({column.name: bindparam(column.name) for column in own}), told)


def _count_on(connection: Connection) -> None:
    """PostgreSQL counts ids apart from the rows: let it go on after the last of them."""
    if _is_sqlite(connection):
        return
    for table in Base.metadata.sorted_tables:
        counted = table.autoincrement_column
        if counted is not None:
            sequence = func.pg_get_serial_sequence(table.name, counted.name)
            last = select(func.max(counted)).scalar_subquery()
            connection.execute(select(func.setval(sequence, func.coalesce(last, 1), last.is_not(None))))


# --- databases -----------------------------------------------------------------------------------------------


def _is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.scalars(_VERSION).all()
    return str(found[0]) if len(found) == 1 else None


def _put_together(file: Path) -> None:
    """From now on SQLite needs nothing beside the file to read it."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


@contextmanager
def _opened(file: Path) -> Iterator[Connection]:
    """A SQLite file."""
    engine = create_engine(URL.create("sqlite", database=str(file)))
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()
