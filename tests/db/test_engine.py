"""What is written is on the disk and whole; readers see one moment; errors that are no bugs are classified."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as NoneFreeError

from scorekeeper.circles.lifecycle import find_or_add_scoring_membership
from scorekeeper.db.engine import LOCK_TIMEOUT, begin_writing, classify_error
from scorekeeper.db.transactions import writing_to_circle
from scorekeeper.models import Circle, Player, db, new_secret

from ..support.apps import open_app
from ..support.databases import Files

TIMEOUT = 10  # seconds


@pytest.fixture
def careful_app(files: Files, tmp_path: Path) -> Iterator[Flask]:
    """An app on SQLite with the settings of a server."""
    with open_app(files.make(tmp_path), careful=True) as app:
        yield app


@pytest.fixture
def circle_id(app: Flask) -> int:
    with app.app_context():
        return find_or_add_scoring_membership(new_secret(), "").circle.id


def test_sqlite_uses_a_write_ahead_log_and_full_synchronisation(careful_app: Flask) -> None:
    names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "secure_delete")
    with careful_app.app_context(), db.engine.connect() as connection:
        settings = [connection.execute(text(f"PRAGMA {name}")).scalar() for name in names]
    assert settings == ["wal", 2, 1, LOCK_TIMEOUT * 1000, 1]


def test_foreign_keys_are_enforced(app: Flask) -> None:
    with app.app_context():
        db.session.add(Player(circle_id=99, name="Anne"))
        with pytest.raises(IntegrityError):
            db.session.flush()


def test_a_session_reads_one_moment_until_it_writes(app: Flask, circle_id: int) -> None:
    def rename() -> None:
        with app.app_context(), writing_to_circle(circle_id) as circle:
            circle.title = "Later"

    title = db.select(Circle.title)
    with app.app_context():
        assert db.session.scalar(title) is None
        other = Thread(target=rename)
        other.start()
        other.join(TIMEOUT)
        assert db.session.scalar(title) is None
        begin_writing(db.session.connection())
        assert db.session.scalar(title) == "Later"


def test_a_writer_waits_for_another_and_reads_what_it_has_written(app: Flask, circle_id: int) -> None:
    has_begun, may_end, order = Event(), Event(), list[str]()

    def write(name: str, *, first: bool = False) -> None:
        with app.app_context(), writing_to_circle(circle_id) as circle:
            order.append(f"{name} after {[player.name for player in circle.players]}")
            circle.players.append(Player(name=name))
            if first:
                has_begun.set()
                assert may_end.wait(TIMEOUT)

    one, two = Thread(target=write, args=("Anne",), kwargs={"first": True}), Thread(target=write, args=("Bruno",))
    one.start()
    assert has_begun.wait(TIMEOUT)
    two.start()
    two.join(0.3)
    assert len(order) == 1
    may_end.set()
    for thread in (one, two):
        thread.join(TIMEOUT)
    assert order == ["Anne after []", "Bruno after ['Anne']"]


def test_a_writer_that_fails_lets_the_next_one_write(app: Flask, circle_id: int) -> None:
    with app.app_context():
        for _ in range(2):
            with pytest.raises(LookupError), writing_to_circle(circle_id):
                raise LookupError
        with writing_to_circle(circle_id) as circle:
            circle.title = "Written"
        assert db.session.scalar(db.select(Circle.title)) == "Written"


def of_sqlite(code: int) -> DBAPIError:
    error = sqlite3.OperationalError("told by SQLite")
    error.sqlite_errorcode = code
    return OperationalError("", {}, error)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (of_sqlite(sqlite3.SQLITE_FULL), "full"),
        (of_sqlite(sqlite3.SQLITE_BUSY_SNAPSHOT), "unavailable"),
        (of_sqlite(sqlite3.SQLITE_CORRUPT), None),
        (OperationalError("", {}, psycopg.errors.DiskFull()), "full"),
        (OperationalError("", {}, psycopg.errors.AdminShutdown()), "unavailable"),
        (OperationalError("", {}, psycopg.OperationalError("connection refused")), "unavailable"),
        (IntegrityError("", {}, psycopg.errors.UniqueViolation()), None),
        (NoneFreeError("none free"), "unavailable"),
    ],
    ids=str,
)
def test_an_unavailable_database_is_distinguished_from_other_errors(error: Any, says: str | None) -> None:
    assert classify_error(error) == says
