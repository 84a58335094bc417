"""Settings of the database engine: durability, the order of writers, snapshots, and the classification of errors.

SQLite allows one writer at a time and lets the others poll with growing delays, so that the first to come may be the
last to write. Within a process writers therefore wait in a queue; processes poll among each other.

A session reads one snapshot: all its statements see the database as of the first one, until it commits, rolls back or
writes. db/transactions.py describes how it writes. So a page never shows half of a write.

What is acknowledged is on the disk: SQLite runs with a write-ahead log and full synchronisation. A deal is one sync and
six pages, 25 KB, which are written once more into the database after every thousand pages.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ..models import db
from . import wal
from .sqlite import LOCK_TIMEOUT, QueuedConnection

POOL_SIZE = 16  # connections that a process keeps open
MAX_CONNECTIONS = 64  # of a process: the largest number of threads it may have
CONNECT_TIMEOUT = 5  # seconds, for each host of the URL
# A machine without power does not close its connections. A connection fails if what was sent is not confirmed within 10
# seconds, or if there is no sign of the machine for 20; with the defaults, that takes up to two hours.
CONNECTION_TIMEOUTS = {
    "connect_timeout": CONNECT_TIMEOUT,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
}

FULL, UNAVAILABLE = "full", "away"

_WRITING = ("INSERT", "UPDATE", "DELETE")
_SNAPSHOT = "scorekeeper_snapshot"  # execution option of a session's connection that has only read so far
_PRAGMAS = (
    *("synchronous=FULL", "foreign_keys=ON", f"busy_timeout={LOCK_TIMEOUT * 1000}"),
    "secure_delete=ON",  # what is deleted or replaced is overwritten
)


def options(url: str) -> dict[str, Any]:
    """Return the options of SQLAlchemy's engine for this database URL."""
    if make_url(url).get_backend_name() == "sqlite":
        return _pool(url) | {"json_serializer": dump_json, "connect_args": {"factory": QueuedConnection}}
    return _pool(url) | {
        "json_serializer": dump_json,
        "pool_pre_ping": True,  # the server may have been restarted
        "connect_args": CONNECTION_TIMEOUTS,
        "isolation_level": "REPEATABLE READ",  # for reading; `begin_writing` changes it for writing
    }


def _pool(url: str) -> dict[str, Any]:
    """Return the options of the connection pool; none for a database in memory, which has a single connection."""
    is_in_memory = make_url(url).database in (None, "", ":memory:")
    return {} if is_in_memory else {"pool_size": POOL_SIZE, "max_overflow": MAX_CONNECTIONS - POOL_SIZE}


def dump_json(value: Any) -> str:
    """Serialize a value for a JSON column."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- one snapshot for a reader -----------------------------------------------------------------------------


@event.listens_for(db.session, "after_begin")
def _begin_snapshot(_session: Any, _transaction: Any, connection: Connection) -> None:
    ours = connection.connection.dbapi_connection
    if isinstance(ours, QueuedConnection):
        ours.begin_reading()
    else:  # the engine's isolation level provides the snapshot, from the first read on
        connection.execution_options(**{_SNAPSHOT: True})


def begin_writing(connection: Connection, *, wait: bool = True) -> None:
    """End the connection's snapshot, and begin a transaction that writes and reads what is committed now.

    On SQLite no other writer can begin until it ends; on PostgreSQL nothing is locked yet. A transaction that writes
    already is left as it is.

    Raises:
        OperationalError: another writer was active for LOCK_TIMEOUT, or, without `wait`, at all.
    """
    ours = connection.connection.dbapi_connection
    with _errors_translated(connection):
        if isinstance(ours, QueuedConnection):
            ours.begin(wait=wait)
        elif connection.get_execution_options().get(_SNAPSHOT):
            connection.execution_options(**{_SNAPSHOT: False})
            _begin_read_committed(ours)


@contextmanager
def _errors_translated(connection: Connection) -> Iterator[None]:
    """Raise SQLAlchemy's errors for those of the driver, as for statements that SQLAlchemy itself runs."""
    try:
        yield
    except connection.dialect.loaded_dbapi.Error as error:
        # Also calls the listeners of `handle_error`, and gives up a connection that is lost.
        connection._handle_dbapi_exception(error, None, None, None, None)  # nothing public does all this


def is_writing(connection: Connection) -> bool:
    """Whether the transaction of a session was begun by `begin_writing`."""
    ours = connection.connection.dbapi_connection
    return ours.writes if isinstance(ours, QueuedConnection) else not connection.get_execution_options().get(_SNAPSHOT)


def _begin_read_committed(connection: Any) -> None:
    """Replace PostgreSQL's snapshot transaction in one round trip; SQLAlchemy's session does not notice.

    Without the limit, a writer whose commit waits for the standby would let every other writer of the circle wait too.
    """
    limit = f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}s'"
    if connection.info.transaction_status:  # else the next statement begins the transaction
        connection.execute(f"ROLLBACK; BEGIN ISOLATION LEVEL READ COMMITTED; {limit}")
    else:
        connection.execute(f"SET TRANSACTION ISOLATION LEVEL READ COMMITTED; {limit}")


@event.listens_for(Engine, "before_cursor_execute")
def _begin_before_writing(connection: Connection, _cursor: Any, statement: str, *_rest: Any) -> None:
    if statement.startswith(_WRITING):
        begin_writing(connection)


@event.listens_for(Engine, "do_connect")
def _connect(dialect: Dialect, _record: Any, arguments: Any, parameters: Any) -> Any:
    if dialect.name != "postgresql":
        return None  # SQLAlchemy connects
    from .postgresql import CheckedConnection  # noqa: PLC0415  # its driver is an optional package

    return CheckedConnection.connect(*arguments, **parameters)


@event.listens_for(Engine, "connect")
def _set_pragmas(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        wal.enable(connection)


def forget_deleted() -> None:
    """Remove what was deleted from SQLite's write-ahead log, too; the session's snapshot ends."""
    db.session.rollback()
    with db.engine.connect() as connection:
        ours = connection.connection.driver_connection
        if isinstance(ours, QueuedConnection) and not ours.empty_log():
            logging.getLogger(__name__).warning("What was erased stays in the write-ahead log for now: others read.")


# --- errors ------------------------------------------------------------------------------------------------

# SQLITE_IOERR_SHMSIZE: there is no room for the index of the write-ahead log, without which SQLite cannot even read.
_FULL_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_WRITE}
_UNAVAILABLE_CODES = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PROTOCOL),
}
_FULL_STATE = "53100"
_READ_ONLY_STATE = "25006"  # the server has become a standby
# Connection failures (08, 57P), lack of resources (53), a lock timeout (55P03), conflicting transactions (40).
_UNAVAILABLE_STATES = ("08", "53", "57P", "55P03", "40", _READ_ONLY_STATE)


def classify_error(error: SQLAlchemyError) -> str | None:
    """Classify a database error that is not a bug, or return None.

    FULL: the disk is full. UNAVAILABLE: the database cannot be reached or is locked by others. In both cases the
    request can be sent again, under the same key: nothing was committed, or the answer to the commit was lost.
    """
    if isinstance(error, PoolTimeoutError):
        return UNAVAILABLE
    if not isinstance(error, DBAPIError):
        return None
    if isinstance(error.orig, sqlite3.Error):
        return _classify_sqlite_error(error.orig)
    state = getattr(error.orig, "sqlstate", None)
    if state == _FULL_STATE:
        return FULL
    if state is None and isinstance(error, OperationalError):  # the connection failed, not a statement
        return UNAVAILABLE
    return UNAVAILABLE if error.connection_invalidated or (state or "").startswith(_UNAVAILABLE_STATES) else None


def _classify_sqlite_error(error: sqlite3.Error) -> str | None:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_BUSY)  # FifoLock's own error has none
    if code in _FULL_CODES:
        return FULL
    return UNAVAILABLE if code & 0xFF in _UNAVAILABLE_CODES else None


# --- error messages ----------------------------------------------------------------------------------------

_STATES_WITH_VALUES = ("22", "23")  # invalid data and violated constraints: their messages may quote values


@event.listens_for(Engine, "handle_error")
def _leave_standby(context: ExceptionContext) -> None:
    """Discard all connections to a server that has become a standby; new ones look for the primary."""
    if getattr(context.original_exception, "sqlstate", None) == _READ_ONLY_STATE:
        context.is_disconnect = True


@event.listens_for(Engine, "handle_error")
def _redact_values(context: ExceptionContext) -> None:
    """Remove values (names, amounts, keys) from PostgreSQL's error messages.

    The exceptions themselves are changed, so that no log has to redact them.
    """
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


def discard_session() -> None:
    """Discard the session after its transaction has failed."""
    db.session.remove()
