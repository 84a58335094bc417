"""Streams of real servers: everybody ends with the last number, whatever happens to servers and databases meanwhile."""

from __future__ import annotations

import os
import re
import signal
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from ..databases import Cluster, Files
from .conftest import Serve, on_both, stop_all
from .following import Followers, following
from .phones import Phone, in_threads, keep_entering, number_of
from .slow import Limited

TOKEN = "a-token"  # noqa: S105  # of these tests alone
Serving = Callable[..., Limited]


@pytest.fixture
def limited(tmp_path: Path, files: Files, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    """Start a server on SQLite with options and limits of its own, which shows its metrics."""
    monkeypatch.setenv("SCOREKEEPER_METRICS_TOKEN", TOKEN)
    started: list[Limited] = []

    def start(*arguments: str, **limits: Any) -> Limited:
        server = Limited(tmp_path, files.make(tmp_path), *arguments, **limits)
        server.start()
        started.append(server)
        return server

    yield start
    stop_all(started)


def open_streams(server: Limited) -> int:
    """Return the number of streams that all workers hold, from the metrics."""
    request = urllib.request.Request(f"{server.url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})  # noqa: S310  # a loopback address
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  # as above
        found = re.search(r"^scorekeeper_streams (\d+)", answer.read().decode(), re.M)
    return int(found[1]) if found else 0


# --- one server ----------------------------------------------------------------------------------------------


def test_hundreds_follow_and_the_server_stops_at_once(limited: Serving) -> None:
    server = limited()
    phone = Phone(server.url)
    tables = [phone.open_table() for _ in range(2)]
    with following() as followers:
        for number in range(200):
            followers.add(phone, tables[number % 2], "1.1" if number % 3 else "1.0")
        followers.wait_for(0)
        assert open_streams(server) == 200
        for _ in range(3):
            phone.enter(tables[0], phone.score())
            assert phone.ask("/health").status == 200
        first, second = followers.all[::2], followers.all[1::2]
        followers.read_until(lambda: all(follower.last == 3 for follower in first))
        for follower in second[:50]:
            followers.close(follower)  # vanishes
        phone.enter(tables[1], phone.score())
        server.process.terminate()
        followers.read_until(lambda: all(follower.is_closed for follower in first + second[50:]))
        assert server.process.wait(60) == 0
    assert {tuple(follower.numbers) for follower in first} == {(0, 1, 2, 3)}
    assert {tuple(follower.numbers) for follower in second[50:]} == {(0, 1)}
    assert "Traceback" not in server.log
    assert "timeout" not in server.log


def test_streams_never_take_the_connections_of_requests(limited: Serving) -> None:
    server = limited("--connections", "20")
    phone = Phone(server.url)
    table = phone.open_table()
    with following() as followers:
        for _ in range(18):
            followers.add(phone, table)
        followers.wait_for(0)
        late = followers.add(phone, table)
        followers.read_until(lambda: late.status > 0)
        assert (late.status, "Retry-After: " in late.head) == (503, True)
        phone.enter(table, phone.score())
        followers.wait_for(1)
        assert open_streams(server) == 18
        followers.close(followers.all[0])
        for _ in range(1_000):
            if open_streams(server) < 18:
                break
        again = followers.add(phone, table)
        followers.read_until(lambda: again.last == 1)
        assert again.status == 200


def test_a_stream_has_no_length_and_lasts_until_the_connection_is_closed(limited: Serving) -> None:
    server = limited()
    phone = Phone(server.url)
    table = phone.open_table()
    with following() as followers:
        for version in ("1.0", "1.1"):
            followers.add(phone, table, version)
        followers.wait_for(0)
    for follower in followers.all:
        assert "Connection: close" in follower.head
        assert "Content-Type: text/event-stream" in follower.head
        assert "Content-Length" not in follower.head
        assert "Transfer-Encoding" not in follower.head
    request = urllib.request.Request(f"{server.url}{table}stream", method="HEAD", headers={"Cookie": phone.cookie()})  # noqa: S310  # a loopback address
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  # as above
        assert answer.status == 204


def test_a_client_that_never_reads_is_disconnected(limited: Serving) -> None:
    server = limited(HEARTBEAT="b':' + b'x' * 10_000_000", BEAT_SECONDS=1)  # more than any buffer holds
    phone = Phone(server.url)
    table = phone.open_table()
    with following() as followers:
        followers.add(phone, table)
        for _ in range(2_000):
            if open_streams(server) == 0:
                break
        else:
            raise AssertionError("the client keeps its stream")
        assert phone.ask(table).status == 200


def test_requests_are_answered_beside_hundreds_of_streams(limited: Serving) -> None:
    server = limited()
    phone = Phone(server.url)
    table = phone.open_table()
    with following() as followers:
        for _ in range(500):
            followers.add(phone, table)
        followers.wait_for(0)
        for number in range(1, 11):
            phone.enter(table, phone.score())
            followers.wait_for(number)
    assert {tuple(follower.numbers) for follower in followers.all} == {tuple(range(11))}


# --- several processes ---------------------------------------------------------------------------------------


def test_followers_of_a_killed_worker_are_disconnected_and_the_others_go_on(limited: Serving) -> None:
    server = limited("--workers", "2")
    phone = Phone(server.url)
    table = phone.open_table()
    with following() as followers:
        while len(followers.all) < 40:
            followers.add(phone, table)
        followers.wait_for(0)
        phone.enter(table, phone.score())
        followers.wait_for(1)  # of both workers
        assert open_streams(server) == 40
        os.kill(server.workers()[0], signal.SIGKILL)
        phone.enter(table, phone.score())
        followers.wait_for(2)
        closed = [follower for follower in followers.all if follower.is_closed]
        assert 0 < len(closed) < 40
        for _ in range(1_000):
            if open_streams(server) == 40 - len(closed):
                break
        else:
            raise AssertionError("streams of a dead worker are counted")
    assert all(follower.numbers == list(range(follower.last + 1)) for follower in followers.all)


def test_a_worker_that_has_only_just_been_started_is_stopped_too(limited: Serving) -> None:
    server = limited("--workers", "2", WORKERS=repr("tests.faults.slow_start.SlowToStart"))
    before = server.workers()
    os.kill(before[0], signal.SIGKILL)
    while not set(server.workers()) - set(before):
        pass
    server.process.terminate()
    assert server.process.wait(15) == 0, server.log  # half of the time after which it would be killed


def test_the_server_goes_on_when_one_of_its_workers_is_stopped(limited: Serving) -> None:
    server = limited("--workers", "2")
    before = server.workers()
    os.kill(before[0], signal.SIGTERM)
    while before[0] in server.workers() or len(server.workers()) < 2:
        assert server.process.poll() is None, server.log
    assert open_streams(server) == 0
    server.stop()
    assert server.process.returncode == 0
    assert "Traceback" not in server.log


@on_both
def test_followers_of_two_servers_end_with_the_last_number_and_with_their_access(
    url: str, serve: Serve, request: pytest.FixtureRequest
) -> None:
    """Phones write at both servers. PostgreSQL is stopped and started meanwhile; a SQLite file cannot go away."""
    servers = [serve(url) for _ in range(2)]
    host = Phone(servers[0].url)
    tables = [host.open_table() for _ in range(2)]
    phones = [Phone(servers[number % 2].url, seed=number) for number in range(4)]
    for phone in phones:
        host.let_in(tables[0], phone)
    with following() as followers:
        for phone in phones:
            for table in tables:
                followers.add(phone, table)
        followers.wait_for(0)
        _record_everywhere(followers, phones, tables, None if url.startswith("sqlite") else request)
        last = {table: max(number_of(phone.versions.get(table, "0")) for phone in phones) for table in tables}
        expected = [last[table] for _ in phones for table in tables]
        followers.read_until(lambda: [follower.last for follower in followers.all] == expected)
        for follower in followers.all:
            assert not follower.is_closed
            assert follower.numbers == sorted(set(follower.numbers))
        _renew_link(host, tables[0])
        followers.read_until(lambda: all(follower.is_closed for follower in followers.all))
        again = [followers.add(phone, tables[0]) for phone in (host, phones[1])]
        followers.read_until(lambda: all(follower.status for follower in again))
        assert [follower.status for follower in again] == [200, 404]


def _record_everywhere(
    followers: Followers, phones: list[Phone], tables: list[str], request: pytest.FixtureRequest | None
) -> None:
    """Record until everybody has been sent some entries, before and after PostgreSQL has been away."""
    stop = Event()
    with in_threads([partial(keep_entering, phone, tables, stop) for phone in phones]):
        try:
            followers.read_until(lambda: all(follower.last >= 3 for follower in followers.all))
            if request is not None:
                cluster: Cluster = request.getfixturevalue("careful")
                cluster.stop()
                cluster.start()
            seen = max(follower.last for follower in followers.all)
            followers.read_until(lambda: any(follower.last >= seen + 3 for follower in followers.all))
        finally:
            stop.set()


def _renew_link(host: Phone, table: str) -> None:
    """Renew the link by which all other phones joined."""
    circle = re.search(r'href="(/circles/[^/"]+/)', host.ask(table).text)
    assert circle is not None
    renewal = re.search(r'/links/score/renew">.*?</form>', host.ask(f"{circle[1]}links").text, re.S)
    assert renewal is not None
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', renewal[0]))
    assert host.ask(f"{circle[1]}links/score/renew", fields).status == 200
