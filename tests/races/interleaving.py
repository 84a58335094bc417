"""Interleave two requests of one process: the first stops at a given point until the second is done.

This makes collisions deterministic: everything that the first request has read is outdated when it continues. If the
second has to wait for a lock of the first, the first continues immediately.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread, get_ident
from typing import Any, Protocol

from sqlalchemy import Engine, event
from werkzeug.test import TestResponse

from scorekeeper.db import sqlite
from scorekeeper.db.sqlite import QueuedConnection
from scorekeeper.models import db
from scorekeeper.services.tables import replayed

from .sending import Request
from .world import World

TIMEOUT = 20  # seconds; a request that takes longer is a failure
POLL = 0.002  # seconds

BEFORE_WRITING = "before writing"  # everything is read, the lock is not yet held
AFTER_COMMIT = "after the commit"
Point = str | int  # one of the two above, or the number of executed statements

_WRITES = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)")


class Answer(Protocol):
    @property
    def status_code(self) -> int: ...


@dataclass
class Outcome:
    """The answers to two requests, and what was logged or raised meanwhile."""

    first: Answer | None = None
    second: Answer | None = None
    stopped: bool = False  # whether the first reached its point
    faults: list[str] = field(default_factory=list)

    def statuses(self) -> tuple[int, int]:
        return _status(self.first), _status(self.second)


def _status(answer: Answer | None) -> int:
    return answer.status_code if answer is not None else 0


class _Stop:
    """The point at which the thread of the first request stops. The hooks below read it."""

    def __init__(self, point: Point, wait: Callable[[], None]) -> None:
        self.point, self.wait = point, wait
        self.thread: int | None = None
        self.statements = 0
        self.written = set[str]()  # tables
        self.reached = False

    def reach_point(self, point: Point) -> None:
        if not self.reached and point == self.point and get_ident() == self.thread:
            self.reached = True
            self.wait()


_stop: _Stop | None = None


def _reach(point: Point) -> None:
    if _stop is not None:
        _stop.reach_point(point)


@event.listens_for(Engine, "before_cursor_execute")
def _before(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
    written = _WRITES.match(statement)
    if written is not None and _stop is not None and get_ident() == _stop.thread:
        _stop.written.add(written[1])
    if written is not None or " FOR NO KEY UPDATE" in statement or " FOR UPDATE" in statement:
        _reach(BEFORE_WRITING)


@event.listens_for(Engine, "after_cursor_execute")
def _after(*_what: Any) -> None:
    if _stop is not None and get_ident() == _stop.thread:
        _stop.statements += 1
        _reach(_stop.statements)


@event.listens_for(db.session, "after_commit")
def _committed(_session: Any) -> None:
    _reach(AFTER_COMMIT)


_begin = QueuedConnection.begin


def _begin_stopping(self: QueuedConnection, *, wait: bool = True) -> None:
    _reach(BEFORE_WRITING)
    _begin(self, wait=wait)


QueuedConnection.begin = _begin_stopping  # type: ignore[method-assign]  # SQLAlchemy has no event for this


def run(world: World, first: Callable[[], TestResponse], second: Callable[[], TestResponse], point: Point) -> Outcome:
    """Send the first request up to the point, then the whole second one, then the rest of the first."""
    outcome, reached, second_done = Outcome(), Event(), Event()

    def wait() -> None:
        reached.set()
        _wait_until(lambda: second_done.is_set() or _is_waiting_for_lock(world))

    with faults_in(world, outcome.faults), stopping(point, wait) as stop:

        def send_first() -> None:
            stop.thread = get_ident()
            outcome.first = _send_safely(first, outcome.faults)
            stop.thread = None  # the next thread may get the same number
            reached.set()

        def send_second() -> None:
            outcome.second = _send_safely(second, outcome.faults)
            second_done.set()

        threads = [Thread(target=send_first), Thread(target=send_second)]
        threads[0].start()
        reached.wait(TIMEOUT)
        threads[1].start()
        for thread in threads:
            thread.join(TIMEOUT)
            if thread.is_alive():
                outcome.faults.append("a request did not end")
        outcome.stopped = stop.reached
    return outcome


def send_together(world: World, *requests: Request) -> tuple[list[TestResponse | None], list[str]]:
    """Send all requests at the same moment, each in its own thread. Return the answers, and the faults."""
    answers: list[TestResponse | None] = [None] * len(requests)
    faults: list[str] = []
    start = Event()

    def send(index: int) -> None:
        start.wait(TIMEOUT)
        answers[index] = _send_safely(lambda: requests[index].send(world), faults)

    with faults_in(world, faults):
        threads = [Thread(target=send, args=(index,)) for index in range(len(requests))]
        for thread in threads:
            thread.start()
        start.set()
        for thread in threads:
            thread.join(TIMEOUT)
    return answers, faults


def count_statements(world: World, request: Request) -> int:
    """Return the number of statements of a request, on the prepared world, in a process that has no table cached."""
    return _observed(world, request).statements


def find_written_tables(world: World, request: Request) -> set[str]:
    """Return the tables of the database to which a request writes, on the prepared world."""
    return _observed(world, request).written


def _observed(world: World, request: Request) -> _Stop:
    world.reset()
    replayed._cache = replayed._Cache()  # nothing in the app empties it
    with stopping(-1, lambda: None) as stop:
        stop.thread = get_ident()
        request.send(world)
        return stop


@contextmanager
def stopping(point: Point, wait: Callable[[], None]) -> Iterator[_Stop]:
    """Call `wait` when the stop's thread reaches this point."""
    global _stop  # noqa: PLW0603  # event handlers cannot reach it otherwise
    _stop = _Stop(point, wait)
    try:
        yield _stop
    finally:
        _stop = None


def _send_safely(request: Callable[[], TestResponse], faults: list[str]) -> TestResponse | None:
    """Return the answer. An exception that the app's error pages do not catch is a fault."""
    try:
        return request()
    except Exception as error:
        faults.append(f"outside the error pages: {type(error).__name__}: {error}")
        return None


class _Faults(logging.Handler):
    def __init__(self, faults: list[str]) -> None:
        super().__init__(logging.ERROR)
        self.faults = faults

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.faults.append(f"logged: {record.getMessage()} {type(error).__name__}: {error}"[:600])


@contextmanager
def faults_in(world: World, faults: list[str]) -> Iterator[None]:
    """Collect what the app logs as errors, instead of printing it."""
    handler = _Faults(faults)
    logger = world.app.logger
    before, propagate = list(logger.handlers), logger.propagate
    logger.handlers[:], logger.propagate = [handler], False
    try:
        yield
    finally:
        logger.handlers[:], logger.propagate = before, propagate


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("the other request neither ends nor waits for a lock")
        time.sleep(POLL)


def _is_waiting_for_lock(world: World) -> bool:
    """Whether a request of this process waits for another one's lock."""
    if world.store.is_sqlite:
        return any(lock._waiting for lock in list(sqlite._locks.values()))
    found = world.store.observer.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
    return found is not None and found[0] > 0
