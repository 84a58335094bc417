"""Reading rows from an untrusted backup file into a database created by the migrations.

Nothing of the file's schema is used or run: not its triggers, views, checks or generated columns. Only the app's own
tables and columns are read, and every value is validated against its column.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import JSON, Boolean, Column, Date, DateTime, Integer, MetaData, String, Table

from ..errors import StartupError, get_reason
from . import copying, wal

MAX_INTEGER = 2**31 - 1  # the largest that PostgreSQL's integers hold
MAX_TEXT = 1_000_000  # characters of a text column without a length
MAX_VALUE = 100_000_000  # bytes of one value
BATCH_SIZE = 500  # rows written together
CACHES = frozenset({"summary", "digest", "period_totals"})  # computed from the facts; `digest`: before 0008

LISTS = frozenset(  # columns; in JSON
    {("event", "prizes"), ("event_round", "sits_out"), ("event_table", "pairs"), ("planned_evening", "skipped")}
    | {("season", "games"), ("season", "places")}
)

# What a database of some version may lack, since its migration was edited later; the columns have defaults.
LATE_TABLES = frozenset({"digest"})
LATE_COLUMNS = frozenset({("circle", "is_sample"), ("card_table", "edition")})

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?")
_SETTINGS = ("trusted_schema=OFF", "cell_size_check=ON", "query_only=ON", "ignore_check_constraints=ON", "mmap_size=0")
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_TRANSACTION}
_ALLOWED_PRAGMAS = {"integrity_check", "table_xinfo"}


class NotABackupError(Exception):
    """The file is not a backup created by this app, or it is damaged."""


class BackupReader(NamedTuple):
    """A file opened for reading, and the names of its tables without views and virtual tables."""

    connection: sqlite3.Connection
    tables: frozenset[str]

    @property
    def version(self) -> str:
        """The file's schema version.

        Raises:
            NotABackupError: there is none.
        """
        rows = self.connection.execute("SELECT version_num FROM main.alembic_version").fetchmany(2)
        if len(rows) != 1 or not isinstance(rows[0][0], str):
            raise NotABackupError("its version")
        return rows[0][0]


@contextmanager
def opened(file: Path) -> Iterator[BackupReader]:
    """Open a snapshot of an untrusted file.

    Raises:
        NotABackupError: it is no database, or SQLite reports an error while it is open.
    """
    try:
        with closing(_connect(file)) as connection:
            yield BackupReader(connection, _plain_tables(connection))
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise StartupError("file", reason=get_reason(error)) from error  # the disk is at fault, not the file
        raise NotABackupError(str(error)) from error


def _connect(file: Path) -> sqlite3.Connection:
    """Open the file read-only; as immutable if its folder is not writable, which SQLite otherwise needs.

    A copy without its log is immutable too: SQLite would put an empty log beside it, and hide that it has none.
    """
    for how in ("immutable=1",) if wal.is_missing(file) else ("mode=ro", "immutable=1"):
        connection = sqlite3.connect(f"file:{quote(str(file.resolve()))}?{how}", uri=True, isolation_level=None)
        try:
            _restrict(connection)
            connection.execute("BEGIN")
            connection.execute("SELECT name FROM main.sqlite_master").fetchone()
        except sqlite3.Error as error:
            connection.close()
            failure = error
        else:
            return connection
    raise failure


def _restrict(connection: sqlite3.Connection) -> None:
    for pragma in _SETTINGS:
        connection.execute(f"PRAGMA {pragma}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
    connection.set_authorizer(_authorize)


def _authorize(action: int, first: str | None, *_rest: str | None) -> int:
    """SQLite's authorizer: allow reading columns, but no function calls and no writes."""
    is_known = action == sqlite3.SQLITE_PRAGMA and first in _ALLOWED_PRAGMAS
    return sqlite3.SQLITE_OK if is_known or action in _ALLOWED else sqlite3.SQLITE_DENY


def _plain_tables(connection: sqlite3.Connection) -> frozenset[str]:
    query = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0"  # a virtual table has none
    return frozenset(name for (name,) in connection.execute(query))


# --- copying ---------------------------------------------------------------------------------------------------


def copy_rows(source: BackupReader, target: Path) -> None:
    """Copy the rows of the app's tables into an empty database of the same version, created by the migrations.

    Caches of an older version are left out, since their format may have changed; they are rebuilt.

    Raises:
        NotABackupError: a table or column is missing, a value is one that its column cannot hold, or rows contradict
            each other.
    """
    is_older = source.version != copying.newest_version()
    left_out = {"alembic_version", *(CACHES if is_older else ())}
    with copying.opened(target) as connection:
        schema = MetaData()
        schema.reflect(connection)
    try:
        with closing(sqlite3.connect(target)) as written:
            for table in schema.sorted_tables:
                if table.name not in left_out:
                    _copy_table(source, table, written)
            if written.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise NotABackupError("a reference without its row")
            written.commit()
    except sqlite3.IntegrityError as error:
        raise NotABackupError(str(error)) from error


def _copy_table(source: BackupReader, table: Table, written: sqlite3.Connection) -> None:
    if table.name not in source.tables:
        if table.name in LATE_TABLES:
            return
        raise NotABackupError(f"no table {table.name}")
    if source.connection.execute(f"PRAGMA integrity_check('{table.name}')").fetchone() != ("ok",):
        raise NotABackupError(f"damage in {table.name}")
    columns = list(_columns(source, table))
    names = ", ".join(f'"{column.name}"' for column in columns)
    marks = ", ".join("?" * len(columns))
    insert = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'  # noqa: S608  # names from our own schema
    rows = source.connection.execute(f'SELECT {names} FROM main."{table.name}" NOT INDEXED')  # noqa: S608  # the same
    while batch := rows.fetchmany(BATCH_SIZE):
        written.executemany(insert, [tuple(map(_validated, columns, row)) for row in batch])


def _columns(source: BackupReader, table: Table) -> Iterator[Column[Any]]:
    """Yield the columns of one of the app's tables that the file has too, as plain columns."""
    found = source.connection.execute(f"PRAGMA table_xinfo('{table.name}')").fetchall()
    plain = {name for _, name, *_, hidden in found if hidden == 0}
    for column in table.columns:
        if column.name in plain:
            yield column
        elif (table.name, column.name) not in LATE_COLUMNS:
            raise NotABackupError(f"no column {table.name}.{column.name}")


# --- values ----------------------------------------------------------------------------------------------------


def _validated(column: Column[Any], value: Any) -> Any:
    """Return the value if the column can hold it.

    Raises:
        NotABackupError: it cannot.
    """
    if value is None:
        is_fine = bool(column.nullable)
    else:
        is_fine = next(check for kind, check in _CHECKS if isinstance(column.type, kind))(column, value)
    if not is_fine:
        raise NotABackupError(f"a value of {column.table.name}.{column.name}")
    return value


def _is_boolean(_column: Column[Any], value: Any) -> bool:
    return value in (0, 1) and isinstance(value, int)


def _is_integer(_column: Column[Any], value: Any) -> bool:
    return isinstance(value, int) and abs(value) <= MAX_INTEGER


def _is_timestamp(_column: Column[Any], value: Any) -> bool:
    return isinstance(value, str) and bool(_TIMESTAMP.fullmatch(value)) and _is_parsed(datetime.fromisoformat, value)


def _is_day(_column: Column[Any], value: Any) -> bool:
    return isinstance(value, str) and len(value) == len("2026-11-22") and _is_parsed(date.fromisoformat, value)


def _is_json(column: Column[Any], value: Any) -> bool:
    """Whether the value is a JSON object, or a list in a column that holds lists."""
    start = "[" if (column.table.name, column.name) in LISTS else "{"
    return isinstance(value, str) and value.startswith(start) and _is_parsed(json.loads, value)


def _is_text(column: Column[Any], value: Any) -> bool:
    length = getattr(column.type, "length", None) or MAX_TEXT
    return isinstance(value, str) and len(value) <= length and "\0" not in value


def _is_parsed(parse: Callable[[str], Any], value: str) -> bool:
    try:
        parse(value)
    except (ValueError, RecursionError):
        return False
    return True


_CHECKS: tuple[tuple[type[Any], Callable[[Column[Any], Any], bool]], ...] = (
    (JSON, _is_json),
    (Boolean, _is_boolean),
    (Integer, _is_integer),
    (DateTime, _is_timestamp),
    (Date, _is_day),
    (String, _is_text),
)
