"""How the database is spoken to: what is acknowledged is on the disk, writers take turns, what keeps us out is told.

SQLite lets one writer in at a time and has the others ask again and again, each sleeping longer: whoever came first
may be served last. Within a process they stand in a queue instead; processes among themselves still ask.
"""

from __future__ import annotations

import json
import sqlite3
from collections import deque
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import orjson
from sqlalchemy import Connection, Engine, event, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoneFreeError

from ..store import db

PATIENCE = 10  # seconds that a writer waits for its turn, within a process and between processes
TO_CONNECT = 5  # seconds until a server that does not answer is taken to be away

FULL, AWAY = "full", "away"

_WRITING = ("INSERT", "UPDATE", "DELETE")
_CAREFUL = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={PATIENCE * 1000}")


def options(url: str) -> dict[str, Any]:
    """What SQLAlchemy makes its engine with."""
    if make_url(url).get_backend_name() == "sqlite":
        return {"json_serializer": as_json, "connect_args": {"factory": InTurn}}
    # A connection is tried before it is used: the server may have been started again since.
    return {"json_serializer": as_json, "pool_pre_ping": True, "connect_args": {"connect_timeout": TO_CONNECT}}


def as_json(told: Any) -> str:
    """As it is kept. It is read by Python's own json: orjson would make floats of what outgrows 64 bits."""
    try:
        return orjson.dumps(told).decode()
    except TypeError:
        return json.dumps(told)


# --- one writer at a time ----------------------------------------------------------------------------------


class Turn:
    """First come, first served."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._is_taken = False
        self._waiting: deque[Lock] = deque()

    def take(self) -> None:
        """Raises sqlite3.OperationalError, as SQLite would, where the others take too long."""
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=PATIENCE):
            return
        with self._guard:
            if mine in self._waiting:  # else it was handed over at the last moment
                self._waiting.remove(mine)
                raise sqlite3.OperationalError("database is locked: others of this process write")

    def give_back(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False


_turns: WeakValueDictionary[str, Turn] = WeakValueDictionary()
_making = Lock()


class InTurn(sqlite3.Connection):
    """A connection whose writing transactions take turns with those of the process's others to the same file."""

    def __init__(self, database: str, *arguments: Any, **told: Any) -> None:
        super().__init__(database, *arguments, **told)
        with _making:
            self._turn = _turns.setdefault(database, Turn())
        self._is_ours = False

    def begin(self) -> None:
        """Wait for the turn, then for other processes; what is read from here on nobody else changes."""
        if self.in_transaction:
            return
        self._turn.take()
        self._is_ours = True
        try:
            self.execute("BEGIN IMMEDIATE")
        finally:
            self._ended()

    def commit(self) -> None:
        try:
            super().commit()
        finally:
            self._ended()

    def rollback(self) -> None:
        try:
            super().rollback()
        finally:
            self._ended()

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._is_over()

    def _ended(self) -> None:
        if not self.in_transaction:
            self._is_over()

    def _is_over(self) -> None:
        if self._is_ours:
            self._is_ours = False
            self._turn.give_back()


def begin_writing(connection: Connection) -> None:
    """From here to the end of the transaction nobody else writes to a file of SQLite's; nothing is done to others."""
    ours = connection.connection.dbapi_connection
    if isinstance(ours, InTurn):
        ours.begin()


@event.listens_for(Engine, "before_cursor_execute")
def _in_turn(connection: Connection, _cursor: Any, statement: str, *_rest: Any) -> None:
    if statement.startswith(_WRITING):
        begin_writing(connection)


@event.listens_for(Engine, "connect")
def _carefully(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        for pragma in _CAREFUL:
            connection.execute(f"PRAGMA {pragma}")


# --- what keeps us out -------------------------------------------------------------------------------------

# Where there is no room for the index of what was written last, SQLite cannot even read.
_FULL_FILE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_WRITE}
_AWAY_FILE = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PROTOCOL),
}
_FULL_STATE = "53100"
# Connections; what the server lacks; what it was told to do; two who wait for each other.
_AWAY_STATES = ("08", "53", "57P", "55P03", "40")


def trouble(error: SQLAlchemyError) -> str | None:
    """FULL: there was no room. AWAY: not to be reached, or others were in the way. None: neither, so a fault of ours.

    In each case nothing of the transaction has been kept that was not acknowledged; what was sent can be sent again.
    """
    if isinstance(error, NoneFreeError):
        return AWAY
    if not isinstance(error, DBAPIError):
        return None
    if isinstance(error.orig, sqlite3.Error):
        return _trouble_with_a_file(error.orig)
    state = getattr(error.orig, "sqlstate", None)
    if state == _FULL_STATE:
        return FULL
    if error.connection_invalidated or (state or "08").startswith(_AWAY_STATES):
        return AWAY
    return None


def _trouble_with_a_file(error: sqlite3.Error) -> str | None:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_BUSY)  # our own, of one who waited for long, has none
    if code in _FULL_FILE:
        return FULL
    return AWAY if code & 0xFF in _AWAY_FILE else None


def let_go() -> None:
    """Have nothing more to do with the transaction that failed."""
    db.session.remove()
