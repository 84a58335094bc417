"""Backups of a SQLite database: one made by a command, one that the server makes by itself, and putting one in place.

A backup is a copy of the database as of one moment, made by SQLite itself while others read and write.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from sqlalchemy import URL, create_engine, inspect
from sqlalchemy.exc import SQLAlchemyError

from ..errors import StartupError, get_reason
from ..models import Base
from . import schemas
from .disk import UNFINISHED, lock_folder, write_whole

LOOK_SECONDS = 600  # between two looks whether anything was written
MAX_BYTES = 1_000_000_000  # of all automatic backups together
MIN_FREE = 3  # times the size of the database: with less room on the disk, none is made
# Of backups up to each age, the last one of each period is kept: of those whose time is the same in this format.
_KEPT = ((timedelta(hours=1), "%Y%m%d%H%M"), (timedelta(days=1), "%Y%m%d%H"), (timedelta(days=30), "%Y%m%d"))
_REPLACED = "before-restore-%Y%m%d-%H%M%S.sqlite3"  # in UTC


def back_up(database: Path, file: Path) -> None:
    """Copy a database into a new file. Raises StartupError if there is one, or the database is damaged."""
    if os.path.lexists(file):  # False too if this user may not look there: then it cannot be written either
        raise StartupError("backup-exists", file=str(file))
    try:
        with write_whole(file) as unfinished:
            _copy(database, unfinished)
            if not _is_whole(unfinished):
                raise StartupError("damaged")
    except (OSError, sqlite3.Error) as error:
        raise StartupError("backup-not-written", file=str(file), reason=get_reason(error)) from None


def restore(file: Path, database: Path) -> Path:
    """Put a backup's rows into a database, in place of all its own; return the file with what was there.

    The app may keep running. Raises StartupError for a file that is no backup, or is of no use to this version.
    """
    replaced = database.with_name(datetime.now(UTC).strftime(_REPLACED))
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite3"
        _prepare(file, copy)
        with closing(sqlite3.connect(database, isolation_level=None)) as live:
            live.execute("PRAGMA synchronous=FULL")
            live.execute("ATTACH ? AS backup", (str(copy),))
            live.execute("PRAGMA busy_timeout=10000")
            live.execute("BEGIN IMMEDIATE")
            with live:  # commits, or rolls back
                back_up(database, replaced)
                for table in Base.metadata.tables.values():
                    names = ", ".join(f'"{column.name}"' for column in table.columns)
                    live.execute(f'DELETE FROM main."{table.name}"')  # noqa: S608  # a name of ours
                    live.execute(f'INSERT INTO main."{table.name}" ({names}) SELECT {names} FROM backup."{table.name}"')  # noqa: S608  # the same
                live.execute("UPDATE main.circle SET epoch = lower(hex(randomblob(8)))")
    return replaced


def _prepare(file: Path, copy: Path) -> None:
    """Copy a backup, check the copy, and bring it to this version; raises StartupError if it is of no use."""
    engine = create_engine(URL.create("sqlite", database=str(copy)))
    try:
        _copy(file, copy)
        schemas.check(engine, schemas.Needs.ANY_VERSION)
        if not _is_whole(copy):
            raise StartupError("not-a-backup", file=str(file))
        schemas.upgrade(engine)
        if not Base.metadata.tables.keys() <= {*inspect(engine).get_table_names()}:
            raise StartupError("not-a-backup", file=str(file))
    except (OSError, sqlite3.Error, SQLAlchemyError):
        raise StartupError("not-a-backup", file=str(file)) from None
    except StartupError as error:  # is of the copy, and would read as if it were of the database
        version = error.problem.params.get("version", "")
        key = "newer-backup" if error.problem.key == "startup.newer" else "not-a-backup"
        raise StartupError(key, file=str(file), version=version) from None
    finally:
        engine.dispose()


def _copy(source: Path, target: Path) -> None:
    address = f"{source.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as live, closing(sqlite3.connect(target)) as copy:
        live.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # so that it is one file


def _is_whole(file: Path) -> bool:
    with closing(sqlite3.connect(file)) as copy:
        is_intact = copy.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
        return is_intact and copy.execute("PRAGMA foreign_key_check").fetchone() is None


# --- automatic backups -------------------------------------------------------------------------------------


def keep_backing_up(database: Path, folder: Path) -> Callable[[], None]:
    """Back up what was written every ten minutes, in a thread; return what ends it.

    Of several processes, one at a time makes a backup.
    """
    stopping = Event()

    def run() -> None:
        while not stopping.is_set():
            try:
                back_up_changes(database, folder, datetime.now(UTC))
            except (StartupError, OSError) as error:
                logging.getLogger(__name__).warning("No backup was made: %s", error)
            stopping.wait(LOOK_SECONDS)

    def stop() -> None:
        stopping.set()
        thread.join()

    thread = Thread(target=run, name="backups", daemon=True)
    thread.start()
    return stop


def back_up_changes(database: Path, folder: Path, now: datetime) -> None:
    """Back a database up into a folder if it was written to since its last backup there, and delete its old ones."""
    name = f"scorekeeper-{hashlib.sha256(str(database.absolute()).encode()).hexdigest()[:8]}-%Y%m%d-%H%M%S.sqlite3"
    with lock_folder(folder):
        for unfinished in folder.glob(UNFINISHED):  # of a process that was killed
            shutil.rmtree(unfinished, ignore_errors=True)
        made = _list_backups(folder, name)
        last = max(made, default=datetime.min.replace(tzinfo=UTC))
        file = folder / now.strftime(name)
        if not file.exists() and _should_back_up(database, folder, last):
            back_up(database, file)
            made[now.replace(microsecond=0)] = file
        _delete_old(made, now)
        for moment, path in _list_backups(database.parent, _REPLACED).items():
            if now - moment > _KEPT[-1][0]:  # names that were erased meanwhile are in it
                path.unlink(missing_ok=True)


def _should_back_up(database: Path, folder: Path, last: datetime) -> bool:
    """Return whether the database was written to since the last backup, and the folder has room for another one."""
    log = database.with_name(f"{database.name}-wal")
    files = [database, log] if log.exists() else [database]
    changed = max(datetime.fromtimestamp(path.stat().st_mtime, UTC) for path in files)
    has_room = shutil.disk_usage(folder).free > MIN_FREE * sum(path.stat().st_size for path in files)
    return has_room and changed >= last


def _list_backups(folder: Path, name: str) -> dict[datetime, Path]:
    """Return the files with such a name, by the time in it."""
    found = {}
    for path in folder.glob(f"{name.partition('%')[0]}*.sqlite3"):
        try:
            found[datetime.strptime(path.name, name).replace(tzinfo=UTC)] = path
        except ValueError:  # a file of somebody else's
            continue
    return found


def _delete_old(files: dict[datetime, Path], now: datetime) -> None:
    """Keep the newest, and the last one of each minute of an hour, each hour of a day and each day of a month."""
    kept: set[str] = set()
    room = MAX_BYTES
    for moment, path in sorted(files.items(), reverse=True):
        period = next((period for reach, period in _KEPT if now - moment <= reach), "")
        is_needed = moment.strftime(period) not in kept and room >= path.stat().st_size
        if not kept or (period and is_needed):
            kept.add(moment.strftime(period))
            room -= path.stat().st_size
        else:
            path.unlink(missing_ok=True)
