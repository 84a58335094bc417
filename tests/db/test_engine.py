"""SQLite's settings, the queue of writers in one process, and the classification of database errors."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as NoneFreeError

from scorekeeper.db import sqlite
from scorekeeper.db.engine import UNAVAILABLE, classify_error, dump_json
from scorekeeper.db.sqlite import LOCK_TIMEOUT, FifoLock, QueuedConnection
from scorekeeper.models import Circle, Player, db
from scorekeeper.services.circles.lifecycle import create_circle

from ..apps import open_app
from ..databases import Files

TIMEOUT = 10  # seconds


@pytest.fixture
def app(files: Files, tmp_path: Path) -> Iterator[Flask]:
    """An app on SQLite, even when other tests run on PostgreSQL."""
    with open_app(files.make(tmp_path), careful=True) as app:
        yield app


# --- durability ----------------------------------------------------------------------------------------------


def test_every_connection_uses_a_write_ahead_log_and_full_synchronisation(app: Flask) -> None:
    with app.app_context():
        for _ in range(2):
            with db.engine.connect() as connection:
                settings = [
                    connection.execute(text(f"PRAGMA {name}")).scalar()
                    for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
                ]
            assert settings == ["wal", 2, 1, LOCK_TIMEOUT * 1000]
            db.engine.dispose()


def test_foreign_keys_are_enforced(app: Flask) -> None:
    with app.app_context():
        db.session.add(Player(circle_id=99, name="Anne"))
        with pytest.raises(IntegrityError):
            db.session.flush()


# --- one writer at a time ------------------------------------------------------------------------------------


def in_the_queue(turn: FifoLock, waiting: int) -> None:
    for _ in range(100 * TIMEOUT):
        if len(turn._waiting) == waiting:
            return
        time.sleep(0.01)
    raise AssertionError(f"{len(turn._waiting)} wait")


def test_writers_are_served_in_order_of_arrival() -> None:
    turn, served = FifoLock(), list[int]()

    def work(number: int) -> None:
        turn.acquire()
        served.append(number)
        turn.release()

    turn.acquire()
    threads = [Thread(target=work, args=(number,)) for number in range(8)]
    for waiting, thread in enumerate(threads, start=1):
        thread.start()
        in_the_queue(turn, waiting)
    assert served == []
    turn.release()
    for thread in threads:
        thread.join(TIMEOUT)
    assert served == list(range(8))
    turn.acquire()  # the lock is free again
    turn.release()


def test_a_writer_waits_for_the_commit_of_another(app: Flask) -> None:
    with app.app_context():
        circle = create_circle()[0].browser.circle.id
    is_written, go_on, order = Event(), Event(), list[str]()

    def write(name: str, *, first: bool) -> None:
        with app.app_context():
            db.session.add(Player(circle_id=circle, name=name))
            db.session.flush()
            order.append(name)
            if first:
                is_written.set()
                assert go_on.wait(TIMEOUT)
            db.session.commit()
            db.session.remove()

    first, second = Thread(target=write, args=("Anne",), kwargs={"first": True}), None
    first.start()
    assert is_written.wait(TIMEOUT)
    second = Thread(target=write, args=("Bruno",), kwargs={"first": False})
    second.start()
    with app.app_context(), db.engine.connect() as connection:
        ours = connection.connection.dbapi_connection
        assert isinstance(ours, QueuedConnection)
        in_the_queue(ours._lock, 1)
        assert order == ["Anne"]
        assert (
            db.session.scalars(db.select(Player.name)).all() == []
        )  # a reader does not wait, and sees the earlier state
    go_on.set()
    first.join(TIMEOUT)
    second.join(TIMEOUT)
    with app.app_context():
        assert db.session.scalars(db.select(Player.name).order_by(Player.id)).all() == ["Anne", "Bruno"]


def test_a_writer_that_fails_or_times_out_releases_the_lock(app: Flask) -> None:
    for _ in range(2):
        with app.app_context():
            db.session.add(Player(circle_id=99, name="Anne"))
            with pytest.raises(IntegrityError):
                db.session.flush()
            db.session.remove()
        with app.app_context():
            db.session.add(Circle(name="abc", created_at=datetime(2026, 11, 21)))
            db.session.flush()  # and closed without a commit


def test_a_writer_waits_for_other_processes(app: Flask) -> None:
    with app.app_context():
        path = db.engine.url.database
        assert path is not None
        other = sqlite3.connect(path, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")

        def end_write() -> None:
            time.sleep(0.3)
            other.rollback()
            other.close()

        release = Thread(target=end_write)
        release.start()
        create_circle()
        release.join(TIMEOUT)
        assert db.session.query(Circle).count() == 1


def test_waiting_too_long_raises_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "LOCK_TIMEOUT", 0)
    turn = FifoLock()
    turn.acquire()
    with pytest.raises(sqlite3.OperationalError) as raised:
        turn.acquire()
    assert classify_error(OperationalError("", {}, raised.value)) == UNAVAILABLE
    turn.release()
    turn.acquire()  # the writer that timed out blocks nobody


# --- unavailable databases -----------------------------------------------------------------------------------


def of_sqlite(code: int) -> DBAPIError:
    error = sqlite3.OperationalError("told by SQLite")
    error.sqlite_errorcode = code
    return OperationalError("", {}, error)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (of_sqlite(sqlite3.SQLITE_FULL), "full"),
        (of_sqlite(sqlite3.SQLITE_IOERR_SHMSIZE), "full"),
        (of_sqlite(sqlite3.SQLITE_BUSY_SNAPSHOT), "away"),
        (of_sqlite(sqlite3.SQLITE_CANTOPEN), "away"),
        (of_sqlite(sqlite3.SQLITE_ERROR), None),
        (of_sqlite(sqlite3.SQLITE_CORRUPT), None),
        (OperationalError("", {}, psycopg.errors.DiskFull()), "full"),
        (OperationalError("", {}, psycopg.errors.AdminShutdown()), "away"),
        (OperationalError("", {}, psycopg.errors.TooManyConnections()), "away"),
        (OperationalError("", {}, psycopg.errors.DeadlockDetected()), "away"),
        (OperationalError("", {}, psycopg.OperationalError("connection refused")), "away"),
        (DBAPIError("", {}, psycopg.errors.UndefinedTable()), None),
        (IntegrityError("", {}, psycopg.errors.UniqueViolation()), None),
        (NoneFreeError("none free"), "away"),
    ],
    ids=str,
)
def test_an_unavailable_database_is_distinguished_from_other_errors(error: Any, says: str | None) -> None:
    assert classify_error(error) == says


def test_a_programming_error_does_not_mean_that_the_database_is_unavailable(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.config["TESTING"] = False
    with app.app_context():
        db.session.execute(text("DROP TABLE circle"))
        db.session.commit()
    answer = app.test_client().get("/sample")
    assert answer.status_code in (404, 405)
    csrf = app.test_client()
    app.config["WTF_CSRF_ENABLED"] = False
    assert csrf.post("/sample/whist").status_code == 500
    monkeypatch.undo()


@pytest.mark.parametrize("data", [{"fiches": 10**30, "name": "Zoé"}, {"reason": "\ud800"}, {"tricks": {"ns": 7}}, []])
def test_json_is_stored_and_read_unchanged(data: Any) -> None:
    assert json.loads(dump_json(data)) == data
