"""SQLite connections whose writers wait in a queue, in the order in which they asked.

SQLite has one writer at a time. The others poll with growing pauses, so the one that has waited longest may get the
lock last. Writers of one process queue here instead; writers of different processes still poll.
"""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

CHECKPOINT_ATTEMPTS, CHECKPOINT_PAUSE = 20, 0.1  # pauses in seconds
LOCK_TIMEOUT = 10  # seconds that a writer waits, first in the process's queue and then for other processes


class FifoLock:
    """A lock that is granted in the order of request, which `threading.Lock` does not promise."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._is_locked = False
        self._waiting: deque[Lock] = deque()

    def acquire(self, timeout: int | None = None) -> None:
        """Acquire the lock, or wait for it up to `timeout` seconds (default: LOCK_TIMEOUT).

        Raises:
            sqlite3.OperationalError: the timeout has passed; the same error as SQLite's own.
        """
        with self._guard:
            if not self._is_locked:
                self._is_locked = True
                return
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=LOCK_TIMEOUT if timeout is None else timeout):
            return
        with self._guard:
            if mine in self._waiting:  # else it was granted just after the timeout
                self._waiting.remove(mine)
                raise sqlite3.OperationalError("database is locked: others of this process write")

    def release(self) -> None:
        """Release the lock to the one who has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_locked = False


_locks: WeakValueDictionary[str, FifoLock] = WeakValueDictionary()
_locks_guard = Lock()


class QueuedConnection(sqlite3.Connection):
    """A SQLite connection whose writing transactions wait in the process's queue for the same file."""

    def __init__(self, database: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(database, *args, **kwargs)
        with _locks_guard:
            self._lock = _locks.setdefault(database, FifoLock())
        self._is_writing = False
        self._has_snapshot = False

    @property
    def writes(self) -> bool:
        """Whether a writing transaction is active."""
        return self._is_writing

    def begin_reading(self) -> None:
        """Begin a transaction whose statements all see the database as of the first of them."""
        if not self.in_transaction:
            self.execute("BEGIN")
            self._has_snapshot = True

    def begin(self, *, wait: bool = True) -> None:
        """Begin a writing transaction, after those of this process and of others; no other can write until it ends.

        Raises:
            sqlite3.OperationalError: another writer was active for LOCK_TIMEOUT, or, without `wait`, at all.
        """
        if self._has_snapshot:
            self.rollback()  # a snapshot cannot be upgraded once others have committed
        if self.in_transaction:
            return
        self._lock.acquire(LOCK_TIMEOUT if wait else 0)
        self._is_writing = True
        try:
            self._begin_immediate(LOCK_TIMEOUT if wait else 0)
        finally:
            self._after_transaction()

    def _begin_immediate(self, timeout: int) -> None:
        """Begin the transaction, waiting up to `timeout` seconds for other processes.

        Setting the timeout costs a statement, so it is set only if it differs from the connection's.
        """
        if timeout == LOCK_TIMEOUT:
            self.execute("BEGIN IMMEDIATE")
            return
        self.execute(f"PRAGMA busy_timeout={timeout * 1000}")
        try:
            self.execute("BEGIN IMMEDIATE")
        finally:
            self.execute(f"PRAGMA busy_timeout={LOCK_TIMEOUT * 1000}")

    def commit(self) -> None:
        """Commit, and let the next writer begin."""
        try:
            super().commit()
        finally:
            self._after_transaction()

    def rollback(self) -> None:
        """Roll back, and let the next writer begin."""
        try:
            super().rollback()
        finally:
            self._after_transaction()

    def close(self) -> None:
        """Close the connection, and let the next writer begin."""
        try:
            super().close()
        finally:
            self._release()

    def _after_transaction(self) -> None:
        if not self.in_transaction:
            self._has_snapshot = False
            self._release()

    def _release(self) -> None:
        if self._is_writing:
            self._is_writing = False
            self._lock.release()

    def empty_log(self) -> bool:
        """Move all of the write-ahead log into the database's file; False if others read older data all the time."""
        self.execute("PRAGMA busy_timeout=0")  # else other writers would wait as well
        try:
            for _ in range(CHECKPOINT_ATTEMPTS):
                is_busy, *_ = self.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if not is_busy:
                    return True
                time.sleep(CHECKPOINT_PAUSE)
        finally:
            self.execute(f"PRAGMA busy_timeout={LOCK_TIMEOUT * 1000}")
        return False
