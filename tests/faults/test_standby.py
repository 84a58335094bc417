"""PostgreSQL waits for a synchronous standby, or has become one: nothing is acknowledged that could still be lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from scorekeeper.models import db

from ..apps import open_app
from ..conftest import Server
from ..databases import Cluster
from ..hosting.site import until
from .conftest import Serve
from .phones import Answer, Phone, number_of

WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
LOCKED = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
FORM = {"tricks": "ns-1", "do": "record", "seen": "0"}


@pytest.fixture
def server(careful: Cluster, tmp_path: Path, serve: Serve) -> Iterator[Server]:
    yield serve(careful.make(tmp_path))
    for setting in ("synchronous_standby_names", "default_transaction_read_only"):
        change(careful, f"RESET {setting}")


@pytest.fixture
def phone(server: Server) -> Phone:
    return Phone(server.url)


@pytest.fixture
def sending() -> Iterator[Callable[..., Future[Answer]]]:
    """Send an entry in a thread."""
    with ThreadPoolExecutor(12) as threads:

        def send(phone: Phone, table: str, key: str) -> Future[Answer]:
            return threads.submit(partial(phone.post, table, FORM | {"key": key}))

        yield send


Send = Callable[[Phone, str, str], Future[Answer]]


def change(cluster: Cluster, setting: str) -> None:
    cluster.execute(f"ALTER SYSTEM {setting}")
    cluster.execute("SELECT pg_reload_conf()")


def found(cluster: Cluster, query: str) -> list[int]:
    with psycopg.connect(host="127.0.0.1", port=cluster.port, user="postgres", autocommit=True) as connection:
        return [pid for (pid,) in connection.execute(query.encode()).fetchall()]


def wait_for_standby(cluster: Cluster) -> int:
    """Wait until a commit waits for the standby, and return its process."""
    until(lambda: found(cluster, WAITING), "no commit waits for the standby")
    return found(cluster, WAITING)[0]


@pytest.mark.parametrize("how", ["cancel", "terminate"])
def test_an_entry_is_acknowledged_only_once_the_standby_has_it(
    careful: Cluster, phone: Phone, sending: Send, how: str
) -> None:
    """Also if an administrator breaks off the wait: the entry is then committed, and may still be lost."""
    table = phone.open_table()
    change(careful, "SET synchronous_standby_names = 'nobody'")
    first = sending(phone, table, "the same")
    careful.execute(f"SELECT pg_{how}_backend({wait_for_standby(careful)})")
    assert first.result().status == 503
    again = sending(phone, table, "the same")
    wait_for_standby(careful)
    assert not again.done()
    change(careful, "RESET synchronous_standby_names")
    answer = again.result()
    assert (answer.status, number_of(json.loads(answer.text)["seen"])) == (200, 1)
    assert "recorded" in json.loads(answer.text)
    assert f"{table}deals/1" in phone.ask(table).text
    assert f"{table}deals/2" not in phone.ask(table).text


def test_pages_are_shown_while_every_writer_waits_for_the_standby(
    careful: Cluster, phone: Phone, sending: Send
) -> None:
    """Who waits for the lock of a circle gives up; only who has it goes on waiting."""
    table = phone.open_table()
    change(careful, "SET synchronous_standby_names = 'nobody'")
    sent = [sending(phone, table, f"entry {number}") for number in range(9)]  # more than the server has threads
    wait_for_standby(careful)
    until(lambda: len(found(careful, LOCKED)) >= 6, "the others do not wait for the circle")
    assert phone.ask(table).status == 200
    change(careful, "RESET synchronous_standby_names")
    answers = [entry.result() for entry in sent]
    assert {answer.status for answer in answers} <= {200, 409, 503}
    assert sum("recorded" in json.loads(answer.text) for answer in answers if answer.status == 200) == 1


def test_a_database_that_has_become_a_standby_is_unavailable_and_not_a_fault(careful: Cluster, phone: Phone) -> None:
    table = phone.open_table()
    change(careful, "SET default_transaction_read_only = on")
    refused = phone.post(table, FORM | {"key": "one"})
    assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
    change(careful, "RESET default_transaction_read_only")
    assert "recorded" in json.loads(phone.post(table, FORM | {"key": "one"}).text)


def test_ending_a_request_whose_server_is_gone_meanwhile_is_not_a_fault(careful: Cluster, tmp_path: Path) -> None:
    with open_app(careful.make(tmp_path)) as app, app.app_context():
        process = db.session.scalar(text("SELECT pg_backend_pid()"))
        careful.execute(f"SELECT pg_terminate_backend({process})")
        db.session.remove()
        assert db.session.scalar(text("SELECT 1")) == 1
