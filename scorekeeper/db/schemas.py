"""Checking that a database belongs to this app and has the needed schema version, before anything is changed in it."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Collection
from contextlib import closing
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import URL, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from ..errors import StartupError, damage, get_reason
from ..models import Base, db
from . import copying, wal
from .sqlite import LOCK_TIMEOUT

MAX_CHECKED = 100_000_000  # bytes of a SQLite file that is checked for damage at every start

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_CIRCLES = "SELECT count(*) FROM circle"
_VERSION = "alembic_version"
_OLDEST = {"circle", "card_table", "revision"}  # tables that every version has


class Needs(Enum):
    """The needs of a command of the database."""

    REPLACE = auto()  # an empty one, or the app's of any version, also of a newer one
    UPGRADE = auto()  # an empty one, or the app's of any version up to the current one
    ANY_VERSION = auto()  # the app's of any version up to the current one
    CURRENT = auto()  # the app's of the current version

    @property
    def may_be_empty(self) -> bool:
        """Whether the command creates what is missing."""
        return self in (Needs.REPLACE, Needs.UPGRADE)


class DatabaseKind(NamedTuple):
    """The names of a database's tables, and its Alembic versions: one, unless something is wrong."""

    tables: Collection[str]
    versions: list[str]


def check(engine: Engine, needs: Needs) -> None:
    """Check that a command with these needs may use the database.

    Raises:
        StartupError: it may not.
    """
    file = find_file(engine.url)
    if file is None:
        contents = _contents(engine)
    else:
        _check_access(file, needs)
        contents = _contents_of_file(file, is_checked=needs.may_be_empty)
    _check_contents(contents, needs, is_shared=file is None)


def find_file(url: URL) -> Path | None:
    """Return the file of a SQLite database; None for one in memory or on a server."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    return Path(url.database)


def count_circles() -> int:
    """Count the circles of the app's database, whatever its version; 0 if there is no such database yet.

    A file is read without the engine's settings, which would change one of another program. A copy without its log is
    read as immutable: SQLite would put an empty log beside it, and hide that it has none.
    """
    file = find_file(db.engine.url)
    try:
        if file is not None:
            if not os.path.exists(file):  # or it may not be looked for: `check` says why
                return 0
            how = "immutable=1" if wal.is_missing(file) else "mode=ro"
            with closing(sqlite3.connect(f"file:{quote(str(file))}?{how}", uri=True, timeout=LOCK_TIMEOUT)) as opened:
                return int(opened.execute(_CIRCLES).fetchone()[0]) if _has_circles(opened) else 0
        with db.engine.connect() as connection:
            has_circles = inspect(connection).has_table("circle")
            return int(connection.scalar(text(_CIRCLES)) or 0) if has_circles else 0
    except sqlite3.Error:
        return 0  # not readable: `check` says why
    except DBAPIError as error:
        raise StartupError("database", reason=get_reason(error)) from None


def _has_circles(connection: sqlite3.Connection) -> bool:
    return any(name == "circle" for (name,) in connection.execute(_TABLES))


def _check_contents(contents: DatabaseKind, needs: Needs, *, is_shared: bool) -> None:
    """Check the tables and versions; `is_shared`: the database may have tables of other programs as well."""
    tables, versions = set(contents.tables), contents.versions
    ours = tables & set(Base.metadata.tables)
    if not versions:
        if ours and _VERSION in tables:
            raise StartupError("incomplete")
        if ours or (tables - {_VERSION} and not is_shared):
            raise StartupError("unrelated")
        if not needs.may_be_empty:
            raise StartupError("no-database")
        return
    if not tables >= _OLDEST or len(versions) > 1:
        raise StartupError("unrelated")
    if needs is not Needs.REPLACE and versions[0] not in copying.known_versions():
        raise StartupError("newer", version=versions[0])
    if needs is Needs.CURRENT and versions[0] != copying.newest_version():
        raise StartupError("older")


# --- a server ------------------------------------------------------------------------------------------------


def _contents(engine: Engine) -> DatabaseKind:
    try:
        with engine.connect() as connection:
            tables = inspect(connection).get_table_names()
            query = text("SELECT version_num FROM alembic_version")
            return DatabaseKind(tables, list(connection.scalars(query)) if _VERSION in tables else [])
    except DBAPIError as error:  # such as a database name or an option of the URL that does not exist
        raise StartupError("database", reason=get_reason(error)) from None


# --- a file --------------------------------------------------------------------------------------------------


def _check_access(file: Path, needs: Needs) -> None:
    try:
        if file.is_dir():
            raise StartupError("database-is-a-folder", file=str(file))
        if not file.parent.is_dir():
            raise StartupError("no-folder", folder=str(file.parent))
        is_there = file.exists()
    except OSError as error:
        raise StartupError("not-writable", file=str(file), reason=get_reason(error)) from None
    if not is_there and not needs.may_be_empty:
        raise StartupError("no-database")
    for path in (file.parent, file) if is_there else (file.parent,):
        if not os.access(path, os.R_OK | os.W_OK):
            raise StartupError("not-writable", file=str(path), reason=os.strerror(errno.EACCES))


def _contents_of_file(file: Path, *, is_checked: bool) -> DatabaseKind:
    """Read a SQLite file without the engine's settings, which would change a file of another program."""
    if not file.exists():
        return DatabaseKind([], [])
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=rw", uri=True, timeout=LOCK_TIMEOUT)) as connection:
            tables = [name for (name,) in connection.execute(_TABLES)]
            versions = connection.execute("SELECT version_num FROM alembic_version") if _VERSION in tables else ()
            found = DatabaseKind(tables, [version for (version,) in versions])
            if is_checked and found.versions and file.stat().st_size <= MAX_CHECKED:
                _quick_check(connection)
    except sqlite3.Error as error:
        raise damage(error) or StartupError("file", reason=get_reason(error)) from None
    return found


def _quick_check(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise StartupError("damaged")
