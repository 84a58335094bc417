"""The database engine: its URL, durability, snapshots for readers, one writer at a time, and what errors mean.

A session reads one snapshot: all its statements see the database as of the first one, until it commits, rolls back or
writes. db/transactions.py describes how it writes. So a page never shows half of a write. What is acknowledged is on
the disk: SQLite runs with a write-ahead log and full synchronisation.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
import sqlite3
from functools import partial
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import Pool

from ..errors import StartupError
from ..models import db

POOL_SIZE = 16  # connections that a process keeps open
MAX_CONNECTIONS = 64  # of a process: further threads wait. A stream of live updates holds none while it waits for news
LOCK_TIMEOUT = 10  # seconds that a writer waits for others

FULL, UNAVAILABLE = "full", "unavailable"  # why the database refuses: see `classify_error`

_PRAGMAS = (
    "synchronous=FULL",
    "foreign_keys=ON",
    f"busy_timeout={LOCK_TIMEOUT * 1000}",
    "secure_delete=ON",  # what is deleted or replaced is overwritten
)


def database_url(setting: str) -> str:
    """Return the URL for SQLAlchemy; raises StartupError for a database that cannot be used."""
    url = re.sub("^postgres(ql)?://", "postgresql+psycopg://", setting)
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: its port is not a number
        raise StartupError("database-url") from None
    driver = address.drivername
    if driver.startswith("sqlite") and address.database in (None, "", ":memory:"):
        raise StartupError("database-in-memory")
    if driver not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise StartupError("database-kind", kind=driver)
    if driver == "postgresql+psycopg":
        try:
            importlib.import_module("psycopg")
        except ImportError:  # raised too if the package is installed and its C library is not
            raise StartupError("no-driver") from None
    return url


def engine_options(url: str) -> dict[str, Any]:
    options = {
        "pool_size": POOL_SIZE,
        "max_overflow": MAX_CONNECTIONS - POOL_SIZE,
        "json_serializer": partial(json.dumps, ensure_ascii=False, separators=(",", ":")),
    }
    if make_url(url).get_backend_name() == "sqlite":
        return options
    return options | {
        "pool_pre_ping": True,  # the server may have been restarted
        "connect_args": {"connect_timeout": 5},  # seconds, for each host of the URL
        "isolation_level": "REPEATABLE READ",  # for reading; `begin_writing` changes it for writing
    }


@event.listens_for(Engine, "connect")
def _set_pragmas(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.isolation_level = None  # `_begin` begins transactions, not Python
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")


# --- transactions ------------------------------------------------------------------------------------------


@event.listens_for(Engine, "begin")
def _begin(connection: Connection) -> None:
    """Begin a transaction that reads one snapshot; PostgreSQL does so by the engine's isolation level."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN")


def begin_writing(connection: Connection) -> None:
    """End the connection's snapshot, and begin a transaction that writes and reads what is committed now.

    On SQLite no other writer can begin until it ends; on PostgreSQL nothing is locked yet. Raises
    OperationalError if another writer was active for LOCK_TIMEOUT.
    """
    connection.exec_driver_sql("ROLLBACK")  # a snapshot cannot be upgraded once others have committed
    if connection.dialect.name == "sqlite":
        if not connection.info.get(_HAS_TURN):
            if not _turn.acquire(timeout=LOCK_TIMEOUT):
                busy = sqlite3.OperationalError("database is locked: others of this process write")
                busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise OperationalError("BEGIN IMMEDIATE", None, busy)
            connection.info[_HAS_TURN] = True
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}s'")


# SQLite lets writers poll with growing pauses, so that the first to come may be the last to write. Those of one process
# wait here instead, until the connection of the one before is given back.
_turn = Lock()
_HAS_TURN = "scorekeeper_turn"  # in a connection's `info`


@event.listens_for(Pool, "checkin")
def _end_turn(_connection: Any, record: Any) -> None:
    if record.info.pop(_HAS_TURN, False):
        _turn.release()


def forget_deleted() -> None:
    """Remove what was deleted from SQLite's write-ahead log, too; the session's snapshot ends."""
    db.session.rollback()
    if db.engine.dialect.name != "sqlite":
        return
    connection = db.engine.raw_connection()
    try:
        is_busy, *_ = connection.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()  # type: ignore[union-attr]  # sqlite3's
        if is_busy:
            logging.getLogger(__name__).warning("What was erased stays in the write-ahead log for now: others read.")
    finally:
        connection.close()


# --- errors ------------------------------------------------------------------------------------------------

# SQLITE_IOERR_SHMSIZE: there is no room for the index of the write-ahead log, without which SQLite cannot even read.
_FULL_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_WRITE}
_UNAVAILABLE_CODES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PROTOCOL,
}
_FULL_STATE = "53100"
# Connection failures (08, 57P), lack of resources (53), a lock timeout (55P03), conflicting transactions (40), and a
# server that has become read-only (25006).
_UNAVAILABLE_STATES = ("08", "53", "57P", "55P03", "40", "25006")


def classify_error(error: SQLAlchemyError) -> str | None:
    """Return FULL or UNAVAILABLE; None for a bug.

    Unless it is a bug, the request can be sent again: nothing was committed, or the answer was lost.
    """
    if isinstance(error, PoolTimeoutError):
        return UNAVAILABLE
    if not isinstance(error, DBAPIError):
        return None
    if isinstance(error.orig, sqlite3.Error):
        code = getattr(error.orig, "sqlite_errorcode", 0)
        if code in _FULL_CODES:
            return FULL
        return UNAVAILABLE if code & 0xFF in _UNAVAILABLE_CODES else None
    state = getattr(error.orig, "sqlstate", None)
    if state == _FULL_STATE:
        return FULL
    if state is None and isinstance(error, OperationalError):  # the connection failed, not a statement
        return UNAVAILABLE
    return UNAVAILABLE if error.connection_invalidated or (state or "").startswith(_UNAVAILABLE_STATES) else None


_STATES_WITH_VALUES = ("22", "23")  # invalid data and violated constraints: their messages may quote values


@event.listens_for(Engine, "handle_error")
def _redact_values(context: ExceptionContext) -> None:
    """Remove values (names, amounts, keys) from PostgreSQL's error messages, so that no log has to redact them."""
    original = context.original_exception
    diagnostics = getattr(original, "diag", None)
    if diagnostics is None or diagnostics.sqlstate is None:
        return
    message = f"{diagnostics.sqlstate} {diagnostics.constraint_name or ''}".rstrip()
    if not diagnostics.sqlstate.startswith(_STATES_WITH_VALUES):
        message = f"{message} {diagnostics.message_primary}"
    original.args = (message,)
    if context.sqlalchemy_exception is not None:
        context.sqlalchemy_exception.args = (f"({type(original).__module__}.{type(original).__name__}) {message}",)
