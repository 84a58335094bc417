"""Servers killed under load, a full disk, a locked database: what was acknowledged is there afterwards."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event

from scorekeeper.models import Revision, db
from scorekeeper.tables.caches import verify

from .support.apps import open_app
from .support.databases import Databases, Files, only_sqlite
from .support.phones import Phone
from .support.server import Server
from .support.visitor import Visitor, filled_in

KILLS, EACH = 2, 12  # entries acknowledged at least between two kills
TABLES, PHONES = 2, 4
TYPED = {"tricks": "ns-2", "honours": "ew-3"}


# --- killed under load


@pytest.fixture
def served(databases: Databases, tmp_path: Path) -> Iterator[Server]:
    """A server of its own, which the test may kill."""
    server = Server(tmp_path, databases.make(tmp_path))
    server.start()
    yield server
    if server.process.poll() is None:
        server.stop()


def test_entries_confirmed_by_a_killed_server_are_stored_once(served: Server) -> None:
    app = served.app()
    host = Visitor(app)
    tables = [host.open_table("whist").table for _ in range(TABLES)]
    phones = [Phone(served.url, Visitor(app).join(host.link("score"))) for _ in range(PHONES)]
    stop = Event()

    def keep_entering(phone: Phone) -> None:
        random = Random(phones.index(phone))  # noqa: S311  # nothing secret
        while not stop.is_set():
            taken = f"{random.choice(('ns', 'ew'))}-{random.randint(1, 7)}"
            phone.enter(random.choice(tables), {"tricks": taken, "do": "record"})

    with ThreadPoolExecutor(PHONES) as pool:
        running = [pool.submit(keep_entering, phone) for phone in phones]
        try:
            for kill in range(1, KILLS + 1):
                while sum(len(phone.confirmed) for phone in phones) < kill * EACH and not stop.is_set():
                    time.sleep(0.01)
                served.kill()
                served.start()
        finally:
            stop.set()
    for each in running:
        each.result()
    with app.app_context():
        stored = Counter(db.session.scalars(db.select(Revision.entry_key)))
        assert verify().faults == []
    assert stored == Counter(key for phone in phones for key in phone.confirmed)
    assert sum(phone.sent_again for phone in phones) >= KILLS


# --- a full disk, and a database that another process holds


@pytest.fixture
def careless_app(files: Files, tmp_path: Path) -> Iterator[Flask]:
    """An app that waits for no other process, and whose database may be no larger than `MAX_PAGES` of its config."""
    with open_app(files.make(tmp_path)) as app:

        def limit(connection: Any, _record: Any) -> None:
            connection.execute("PRAGMA busy_timeout=0")
            connection.execute(f"PRAGMA max_page_count={app.config.get('MAX_PAGES', 1 << 30)}")

        with app.app_context():
            engine = db.engine
        event.listen(engine, "connect", limit)
        yield app


def database_of(app: Flask) -> str:
    with app.app_context():
        return str(db.engine.url.database)


def fill(app: Flask) -> None:
    """Let the database grow no more: as on a full disk, SQLite finds no room for another page."""
    with closing(sqlite3.connect(database_of(app))) as connection:
        connection.execute("CREATE TABLE filler (content BLOB)")
        connection.commit()
        (app.config["MAX_PAGES"],) = connection.execute("PRAGMA page_count").fetchone()
    _reconnect(app)


def empty(app: Flask) -> None:
    app.config["MAX_PAGES"] = 1 << 30
    _reconnect(app)


def _reconnect(app: Flask) -> None:
    with app.app_context():
        db.engine.dispose()


def keeps_what_was_typed(visitor: Visitor) -> dict[str, str]:
    """Return the form of an error page, which has all that was sent and sends it again."""
    form = visitor.find("main form")
    data: dict[str, str] = filled_in(form)
    assert TYPED.items() <= data.items()
    return data


@only_sqlite
def test_on_a_full_disk_nothing_is_lost_and_what_was_typed_is_sent_again(careless_app: Flask) -> None:
    visitor = Visitor(careless_app).open_table("whist")
    visitor.record(tricks="ns-1")
    fill(careless_app)
    recorded = 0
    for _ in range(200):  # until the last page has no room either
        visitor.record(**TYPED, note=str(recorded))
        if visitor.status >= 500:
            break
        recorded += 1
    assert visitor.status == 507
    assert visitor.response.headers["Retry-After"]
    assert "full" in visitor.text
    again, refused = keeps_what_was_typed(visitor), visitor.path
    assert len(Visitor.export(visitor.visit(refused))["deals"]) == 1 + recorded
    empty(careless_app)
    for _ in range(2):
        assert visitor.client.post(refused, data=again).status_code == 303
    assert len(visitor.visit(visitor.table).export()["deals"]) == 2 + recorded
    with careless_app.app_context():
        assert verify().faults == []


@only_sqlite
def test_a_locked_database_is_answered_503_and_what_was_typed_is_sent_again(careless_app: Flask) -> None:
    visitor = Visitor(careless_app).open_table("whist")
    table = visitor.table
    form = filled_in(visitor.visit(f"{table}deals/new").form()) | TYPED | {"do": "record"}
    with closing(sqlite3.connect(database_of(careless_app), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = visitor.client.post(f"{table}deals/new", data=form, headers=visitor.headers)
        assert visitor.visit(table).status == 200  # pages are shown meanwhile
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    visitor.receive(refused)
    again = keeps_what_was_typed(visitor)
    assert visitor.client.post(f"{table}deals/new", data=again).status_code == 303
    assert [deal["tricks"]["ns"] for deal in visitor.visit(table).export()["deals"]] == [8]


@only_sqlite
def test_a_server_that_has_lost_its_database_does_not_start(served: Server) -> None:
    served.stop()
    Path(served.database.removeprefix("sqlite:///")).unlink()
    with pytest.raises(RuntimeError, match="There is no database"):
        served.start()
