"""SQLite's write-ahead log: used while a database is open, and merged into its file when it is closed.

A database in use is two files: one that can be hours old, and the log with everything since. SQLite itself merges them
when the last connection is closed, but leaves the file's header saying that it has a log. Here the log is switched off
as well. So a header that names a log which is not there is that of a file copied without it.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from .sqlite import LOCK_TIMEOUT

_RETRY_SECONDS = 0.02
_HEADER = slice(18, 20)  # of the file: the versions needed to write and to read it
_WITH_LOG = b"\2\2"


def connect(file: Path) -> sqlite3.Connection:
    """Open a database that exists, without the app's settings."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)


def enable(connection: sqlite3.Connection) -> None:
    """Use the log. Of two connections that switch it on at once, SQLite lets one fail without waiting: it tries again.

    Raises:
        sqlite3.OperationalError: another process has held the file for LOCK_TIMEOUT.
    """
    ends = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > ends:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return


def disable(file: Path) -> None:
    """Merge the log into the file, and switch it off.

    Raises:
        sqlite3.Error: the database is still open elsewhere, or the file cannot be written.
    """
    with closing(connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def close(file: Path, *, is_last: bool = False) -> None:
    """Merge the log into the file if no other process uses it; with `is_last`, even if one that was killed still does.

    What is not merged stays in the log, for the next who opens the database.
    """
    with suppress(sqlite3.Error):
        if is_last:
            with closing(connect(file)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # unlike `disable`, waits for others
        disable(file)


def is_missing(file: Path) -> bool:
    """Return whether a database was copied without its log, and so may lack what was entered last."""
    try:
        with file.open("rb") as opened:
            header = opened.read(_HEADER.stop)[_HEADER]
    except OSError:
        return False
    return header == _WITH_LOG and not file.with_name(f"{file.name}-wal").exists()
