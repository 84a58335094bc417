"""Backing up everything into one file, and restoring it.

A backup is a SQLite database with the app's schema, on PostgreSQL too: no other program is needed to create or to read
it, and a backup from SQLite can be restored into PostgreSQL. Only the rows of a backup are used. They are copied into a
new database created by the migrations, which is then upgraded. A restore replaces all rows in one transaction of the
live database, so that readers and writers see either all of the old data or all of the new.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, inspect, select

from ..errors import StartupError, get_reason
from ..exchange.json_documents import unreadable
from ..files import write_whole
from ..models import Base, Circle, Payment, Revision, Table, db
from ..scoring.problems import Problem
from . import copying, foreign_files, newer, wal

_MAGIC = b"SQLite format 3\0"
_COMPRESSED = b"\x1f\x8b"  # how a file begins that gzip has written
_LEVEL = 1  # of gzip: level 6 would save a seventh of the bytes and take twice as long
_PIECE = 1_000_000  # bytes read at a time
_REQUIRED_TABLES = {"alembic_version", "circle", "card_table", "revision"}

MakeEmpty = Callable[[Path, str], None]  # creates an empty SQLite database of a schema version


class Contents(NamedTuple):
    """Numbers of rows; `newest` is the time of the last entry or payment among them, in UTC."""

    circles: int
    tables: int
    entries: int
    payments: int
    newest: datetime | None

    @property
    def is_empty(self) -> bool:
        """Whether all numbers are 0."""
        return not any(self[:4])


NOTHING = Contents(0, 0, 0, 0, None)


# --- backing up ----------------------------------------------------------------------------------------------


def back_up(file: Path, make_empty: MakeEmpty) -> Contents | Problem:
    """Write a snapshot of the database into a new file, compressed if its name ends in .gz.

    Others can read and write meanwhile.
    """
    if os.path.lexists(file):  # False too if this user may not look there: then it cannot be written either
        return Problem("file", "backup-exists")
    with db.engine.connect() as connection:
        if not copying.is_sqlite(connection) and copying.read_version(connection) != copying.newest_version():
            return Problem("file", "migrate-first")
        connection.rollback()  # so that the snapshot begins now
        return _write(file, connection, make_empty)


def _write(file: Path, connection: Connection, make_empty: MakeEmpty) -> Contents | Problem:
    """Write a backup and return its contents; the file gets its name only when it is complete."""
    try:
        with write_whole(file) as unfinished:
            plain = unfinished.with_name("plain") if file.suffix == ".gz" else unfinished
            if copying.is_sqlite(connection):
                copy_file(plain)
            elif newer.is_newer(connection):
                newer.copy_into(plain, connection)
            else:
                _copy_into(plain, connection, make_empty)
            with copying.opened(plain) as written:
                _check_integrity(written)
                contents = NOTHING if newer.is_newer(written) else _count(written)
            wal.disable(plain)
            if plain != unfinished:
                _compress(plain, unfinished)
    except (OSError, sqlite3.Error) as error:
        return Problem("file", "backup-not-written", {"reason": get_reason(error)})
    return contents


def _check_integrity(connection: Connection) -> None:
    """Check a copy for damaged pages, with which it could not be restored.

    Raises:
        StartupError: the copy is damaged.
    """
    if connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar() != "ok":
        raise StartupError("damaged")


def copy_file(file: Path) -> None:
    """Copy the live database's pages by SQLite's online backup, as of one moment."""
    source = db.engine.raw_connection()
    try:
        with closing(sqlite3.connect(file)) as target:
            source.driver_connection.backup(target)  # type: ignore[union-attr]  # sqlite3's
    finally:
        source.close()


def write_compressed(source: Path, copy: Path, file: Path) -> None:
    """Write a compressed snapshot of a SQLite database; `copy` is a temporary file, to be deleted by the caller.

    The backup gets its name once it is complete and on the disk. Others can read and write the database meanwhile.

    Raises:
        StartupError: the database is damaged.
        OSError, sqlite3.Error: it cannot be read, or the backup not written.
    """
    with closing(wal.connect(source)) as live, closing(sqlite3.connect(copy)) as target:
        target.execute("PRAGMA synchronous=OFF")  # the copy is deleted before the system writes it to the disk
        live.backup(target)
        if target.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
            raise StartupError("damaged")
        target.execute("PRAGMA journal_mode=DELETE")
    with write_whole(file) as unfinished:
        _compress(copy, unfinished)


def _compress(source: Path, file: Path) -> None:
    with source.open("rb") as plain, file.open("wb") as written, gzip.GzipFile("", "wb", _LEVEL, written) as compressed:
        shutil.copyfileobj(plain, compressed, _PIECE)


def _copy_into(file: Path, connection: Connection, make_empty: MakeEmpty) -> None:
    make_empty(file, copying.newest_version())
    if not connection.in_transaction():
        connection = connection.execution_options(isolation_level="REPEATABLE READ")
    with copying.opened(file) as target:
        copying.copy_rows(connection, target)
        target.commit()


# --- reading a backup ----------------------------------------------------------------------------------------


def read(file: Path, copy: Path, make_empty: MakeEmpty) -> Problem | None:
    """Copy a backup's rows into the new database `copy`, of the backup's schema version.

    Return a Problem if the file is not a backup or cannot be read.
    """
    try:
        file = _uncompressed(file, copy.with_name("uncompressed.sqlite3"))
        with file.open("rb") as opened:
            magic = opened.read(len(_MAGIC))
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return Problem("file", "not-a-backup")
    except OSError as error:
        return unreadable(error)
    if magic != _MAGIC:
        return Problem("file", "not-a-backup")
    try:
        with foreign_files.opened(file) as source:
            if not source.tables >= _REQUIRED_TABLES:
                return Problem("file", "not-a-backup")
            if source.version not in copying.known_versions():
                return Problem("file", "backup-of-newer")
            make_empty(copy, source.version)
            foreign_files.copy_rows(source, copy)
    except foreign_files.NotABackupError:
        return Problem("file", "not-a-backup")
    return None


def _uncompressed(file: Path, target: Path) -> Path:
    """Return the file itself, or what it contains if it is compressed, as the new file `target`."""
    with file.open("rb") as opened:
        if opened.read(len(_COMPRESSED)) != _COMPRESSED:
            return file
    with gzip.open(file) as compressed, target.open("wb") as plain:
        shutil.copyfileobj(compressed, plain, _PIECE)
    return target


def would_be_lost(copy: Path) -> Contents:
    """Count what the live database has and the backup `copy`, already upgraded, has not."""
    with db.engine.connect() as live, copying.opened(copy) as backup:
        kinds = zip(_moments_by_key(live), _moments_by_key(backup), strict=True)
        circles, tables, entries, payments = (_missing(in_live, in_backup) for in_live, in_backup in kinds)
    moments = [at for at in (*entries.values(), *payments.values()) if at is not None]
    return Contents(len(circles), len(tables), len(entries), len(payments), max(moments, default=None))


_Moments = dict[Any, datetime | None]


def _moments_by_key(connection: Connection) -> tuple[_Moments, _Moments, _Moments, _Moments]:
    """Return the circles, tables, entries and payments by what identifies them, with the time of each, if known."""
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


def _missing(in_live: _Moments, in_backup: _Moments) -> _Moments:
    return {key: at for key, at in in_live.items() if key not in in_backup}


def _count(connection: Connection) -> Contents:
    def rows(table: type[Base]) -> int:
        return connection.scalar(select(func.count()).select_from(table)) or 0

    newest = connection.scalar(select(func.max(Revision.at)))
    has_payments = inspect(connection).has_table(Payment.__tablename__)  # not before 0002
    return Contents(rows(Circle), rows(Table), rows(Revision), rows(Payment) if has_payments else 0, newest)


# --- restoring -----------------------------------------------------------------------------------------------


def has_newer_schema() -> bool:
    """Return whether a newer version made the live database."""
    with db.engine.connect() as live:
        return newer.is_newer(live)


def restore(
    copy: Path, before: Path, make_empty: MakeEmpty, migrate: Callable[[Connection], None]
) -> Contents | Problem:
    """Replace everything by the backup `copy`; first back up the live database into the file `before`.

    `migrate` creates the tables anew if a newer version made them, in this transaction.
    """
    with db.engine.connect() as live, newer.foreign_keys_off(live), copying.opened(copy) as backup:
        live.rollback()  # what was read so far may have changed
        copying.lock_for_writing(live, [newer.VERSION])  # others that migrate or restore wait
        found = newer.reflect(live) if newer.is_newer(live) else None
        copying.lock_for_writing(live, (found or Base.metadata).tables)
        saved = _write(before, live, make_empty)
        if isinstance(saved, Problem):
            return saved
        if found is not None:
            newer.drop_tables(live, found)
            migrate(live)
        for table in reversed(Base.metadata.sorted_tables):
            live.execute(delete(table))
        copying.copy_rows(backup, live)
        copying.reset_sequences(live)
        contents = _count(live)
        live.commit()
    return contents


# --- what a restore replaced ---------------------------------------------------------------------------------

KEPT = timedelta(days=30)  # as backups, and erased names in them
_BEFORE = "before-restore-%Y%m%d-%H%M%S-%f.sqlite3"  # in UTC


def new_file_before(folder: Path) -> Path:
    """Return a new path for what a restore replaces."""
    return folder / datetime.now(UTC).strftime(_BEFORE)


def files_before(folder: Path) -> dict[Path, datetime]:
    """Return the files with what restores have replaced, each with its time."""
    found = {}
    for path in folder.glob("before-restore-*.sqlite3"):
        with suppress(ValueError):  # a file of somebody else's
            found[path] = datetime.strptime(path.name, _BEFORE).replace(tzinfo=UTC)
    return found


def delete_files_before(folder: Path, now: datetime) -> None:
    """Delete what restores have replaced more than KEPT ago."""
    for path, moment in files_before(folder).items():
        if now - moment > KEPT:
            path.unlink(missing_ok=True)
