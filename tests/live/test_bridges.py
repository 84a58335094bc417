"""Several processes on one database: what one of them commits reaches those who follow it at another.

Two apps in this process stand for two processes: they share nothing but the database.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import delete, func, select, text, update
from sqlalchemy.exc import OperationalError

from scorekeeper.cli.main import main
from scorekeeper.live import postgresql, threads
from scorekeeper.live.messages import MARKS, REVISION, Message, access_changed
from scorekeeper.live.pushing import Pusher
from scorekeeper.models import Circle, Revision, db
from scorekeeper.push.queue import Queue
from scorekeeper.services import demo, live
from scorekeeper.web.support import live_updates

from ..apps import MakeApp
from ..databases import ON_POSTGRESQL, Cluster
from ..visitor import Visitor
from .following import Follower, follow

on_postgresql = pytest.mark.skipif(not ON_POSTGRESQL, reason="these are PostgreSQL's notifications")


@pytest.fixture(autouse=True)
def _retry_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "RETRY_SECONDS", 0.02)


@pytest.fixture
def other_app(app: Flask, database: str, make_app: MakeApp) -> Flask:
    """Another process on the same database."""
    assert app
    return make_app(database)


@pytest.fixture
def host(visitor: Visitor) -> Visitor:
    return visitor.open_table("whist")


@pytest.fixture
def guest(host: Visitor, other_app: Flask) -> Visitor:
    """A phone of the same circle, at the other process."""
    table = host.table
    guest = Visitor(other_app)
    guest.join(host.link("score"))
    host.visit(table)
    return guest


@pytest.fixture
def follower(host: Visitor, guest: Visitor) -> Follower:
    """The guest, who follows the host's table."""
    return follow(guest, host.table)


def in_app(app: Flask, work: Callable[[], Any]) -> Any:
    with app.app_context():
        return work()


# --- entries and flags ---------------------------------------------------------------------------------------


def test_entries_of_one_process_are_known_at_the_other_once_and_in_order(host: Visitor, follower: Follower) -> None:
    own = follow(host, host.table)
    for number in range(1, 6):
        host.record(tricks="ns-3")
        follower.wait_for(number)
    for one in (own, follower):
        assert one.numbers() == [0, 1, 2, 3, 4, 5]
        assert one.numbers("marks") == [0]
        assert not one.is_closed


def test_what_is_recorded_before_the_thread_has_started_is_known(host: Visitor, guest: Visitor) -> None:
    """The thread that listens starts with the first stream, and needs a moment."""
    follower = follow(guest, host.table)
    host.record(tricks="ns-3")
    follower.wait_for(1)


def test_what_is_recorded_while_a_process_cannot_read_is_known_afterwards(
    host: Visitor, guest: Visitor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures: list[Any] = []
    read = live.read_numbers

    def away(tables: Any) -> list[Message]:
        if len(failures) < 5:
            failures.append(tables)
            raise OperationalError("SELECT", {}, Exception("the database is away"))
        return read(tables)

    monkeypatch.setattr(live, "read_numbers", away)
    with caplog.at_level(logging.WARNING, threads.__name__):
        follower = follow(guest, host.table)
        host.record(tricks="ns-3")
        host.record(tricks="ew-1")
        follower.wait_for(2)
        follow(guest, host.table)
        host.record(tricks="ew-2")
        follower.wait_for(3)
    assert len(failures) == 5
    assert [record.getMessage().rpartition("; ")[2] for record in caplog.records if "tries" in record.getMessage()] == [
        "it tries again"
    ]
    assert any("it works again" in record.getMessage() for record in caplog.records)


def test_streams_opened_after_a_while_without_any_are_served_too(host: Visitor, guest: Visitor) -> None:
    for number in range(1, 4):
        follower = follow(guest, host.table)
        host.record(tricks="ns-3")
        follower.wait_for(number)
        in_app(guest.client.application, live_updates.current_hub).close_all()
    live_updates.of(guest.client.application).close()  # the threads end
    follower = follow(guest, host.table)
    host.record(tricks="ns-3")
    follower.wait_for(4)


# --- access --------------------------------------------------------------------------------------------------


def renew(host: Visitor) -> None:
    host.visit(f"/circles/{host.circle}/links").send({}, "/links/score/renew")


def remove(host: Visitor) -> None:
    host.visit(f"/circles/{host.circle}/links").send({}, "/browsers/2/end")


def erase(host: Visitor) -> None:
    host.visit(f"/circles/{host.circle}/erase").send({"typed": "erase the circle"}, "/erase")


def expire(host: Visitor) -> None:
    """Erase the circle as a sample whose day is over."""
    with host.client.application.app_context():
        created_at = db.session.scalars(select(Circle.created_at)).one() - 2 * demo.LIFETIME
        db.session.execute(update(Circle).values(is_sample=True, created_at=created_at))
        db.session.commit()
        assert demo.erase_expired() == 1


@pytest.mark.parametrize("end", [renew, remove, erase, expire])
def test_a_stream_ends_with_the_access_that_another_process_ends(
    host: Visitor, guest: Visitor, follower: Follower, end: Callable[[Visitor], None]
) -> None:
    table = host.table
    end(host)
    follower.wait_until_closed()
    assert guest.client.get(f"{table}stream").status_code == 404


@pytest.mark.parametrize("end", [renew, remove, erase, expire])
def test_a_stream_ends_at_once_with_the_access_that_its_own_process_ends(
    app: Flask, host: Visitor, end: Callable[[Visitor], None]
) -> None:
    table = host.table
    guest = Visitor(app)
    guest.join(host.link("score"))
    follower = follow(guest, table)
    end(host)
    assert follower.is_closed


def test_a_browser_with_a_lower_right_may_follow_again(app: Flask, host: Visitor) -> None:
    table = host.table
    guest = Visitor(app)
    for right in ("watch", "score"):
        guest.join(host.link(right))
    follower = follow(guest, table)
    renew(host)
    assert follower.is_closed
    host.visit(table).record(tricks="ns-3")
    assert follow(guest, table).numbers() == [1]


# --- backups -------------------------------------------------------------------------------------------------


def test_streams_end_when_a_backup_is_restored_beside_the_server(
    host: Visitor, follower: Follower, database: str, tmp_path: Path
) -> None:
    settings = {"DATABASE_URL": database, "SCOREKEEPER_INSTANCE": str(tmp_path), "LC_ALL": "en"}
    host.record(tricks="ns-3")
    follower.wait_for(1)
    for arguments in (["backup", str(tmp_path / "copy")], ["restore", str(tmp_path / "copy"), "--yes"]):
        host.record(tricks="ns-3")
        done = CliRunner().invoke(main, arguments, env=settings)
        assert done.exit_code == 0, done.output
    follower.wait_until_closed()


def test_a_stream_ends_if_its_table_has_fewer_revisions_than_it_knows(
    app: Flask, host: Visitor, follower: Follower
) -> None:
    host.record(tricks="ns-3").record(tricks="ns-3")
    follower.wait_for(2)
    with app.app_context():
        db.session.execute(
            delete(Revision).where(Revision.number == select(func.max(Revision.number)).scalar_subquery())
        )
        db.session.commit()
    follower.wait_until_closed()


# --- databases -----------------------------------------------------------------------------------------------


def test_a_database_in_memory_has_no_other_processes(make_app: MakeApp) -> None:
    updates = live_updates.of(make_app("sqlite://"))
    assert ([type(bridge) for bridge in updates.bridges], updates.publishers) == ([Queue, Pusher], ())


@on_postgresql
def test_an_entry_notifies_nobody_in_its_own_transaction(app: Flask, host: Visitor, follower: Follower) -> None:
    """It takes a lock of the whole server at its commit, so a connection of its own sends it."""
    notifier = live_updates.of(app).publishers[0]
    assert isinstance(notifier, postgresql.Notifier)
    host.record(tricks="ns-3")
    follower.wait_for(1)
    notifier.flush()
    with app.app_context():
        query = text("SELECT application_name FROM pg_stat_activity WHERE query LIKE 'SELECT pg_notify%'")
        assert db.session.scalars(query).all() == ["scorekeeper live"]


@on_postgresql
def test_a_message_is_made_good_if_the_server_ends_all_connections(
    app: Flask, host: Visitor, follower: Follower, postgresql: Cluster
) -> None:
    host.record(tricks="ns-3")
    follower.wait_for(1)
    live_updates.of(app).publishers[0].flush()  # type: ignore[attr-defined]  # PostgreSQL's
    postgresql.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    host.record(tricks="ns-3")
    follower.wait_for(2)
    assert follower.numbers() == [0, 1, 2]


def test_messages_are_packed_into_notifications_that_are_short_enough() -> None:
    messages = [Message(REVISION, f"{number:020}", number) for number in range(1_000)]
    messages += [access_changed("circle"), Message(MARKS, "a", 3)]
    packed = list(postgresql.payloads(messages))
    assert len(packed) > 1
    assert all(len(payload.encode()) < 8_000 for payload in packed)
    assert [message for payload in packed for message in postgresql.parse(payload)] == messages


@pytest.mark.parametrize(
    "payload", ["", "hello", "revision a", "revision a b", "revision a -1", "revision a ١", "a b 1 2"]
)
def test_notifications_of_others_are_passed_over(payload: str) -> None:
    assert list(postgresql.parse(payload)) == []
