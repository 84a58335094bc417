"""Slow, idle or silent clients do not delay others, do not hold resources for long, and change nothing in part."""

from __future__ import annotations

import http.client
import io
import json
import re
import socket
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from threading import Event, Lock
from urllib.parse import urlencode

import pytest

from ..conftest import Server
from ..databases import Files
from .conftest import Serve, on_both, stop_all
from .phones import PLAYERS, Phone, audit, in_threads
from .slow import (
    FORM,
    TIMEOUT,
    WAITING,
    Begin,
    Limited,
    clients,
    connect,
    half_a_body,
    half_a_chunk,
    half_a_header,
    idle,
    is_closed,
    silent,
    taking_nothing,
)

OF_EACH_KIND = 200
TIMES_SLOWER = 6  # plus SPARE, because durations vary on two busy cores
SPARE = 0.2  # seconds
EACH = 15  # requests of each kind; their median counts
SHORT = {"MAX_HEADER_SECONDS": 1, "MAX_BODY_SECONDS": 1, "MAX_SEND_SECONDS": 1}
CLOSED_BY = 15  # seconds, on a busy machine


@pytest.fixture
def limited(tmp_path: Path, files: Files) -> Iterator[Callable[..., Limited]]:
    """Start a server on SQLite with its own limits."""
    started: list[Limited] = []

    def start(*arguments: str, files_open: int | None = None, **limits: float) -> Limited:
        server = Limited(tmp_path, files.make(tmp_path), *arguments, files=files_open, **limits)
        server.start()
        started.append(server)
        return server

    yield start
    stop_all(started)


# --- nobody is kept waiting ----------------------------------------------------------------------------------


def seconds(ask: Callable[[], object]) -> float:
    """Return the median duration of some requests."""
    took = []
    for _ in range(EACH):
        began = time.perf_counter()
        ask()
        took.append(time.perf_counter() - began)
    return median(took)


@on_both
def test_slow_and_idle_clients_do_not_delay_pages_and_entries(
    url: str, serve: Serve, request: pytest.FixtureRequest
) -> None:
    server = serve(url)
    phone = Phone(server.url)
    table = phone.open_table()

    def page() -> None:
        assert phone.ask(table).status == 200

    def record() -> None:
        phone.enter(table, phone.score())

    quiet = {ask: seconds(ask) for ask in (page, record)}
    kinds: dict[Begin, int] = dict.fromkeys(WAITING, OF_EACH_KIND) | {taking_nothing: 10}
    with clients(server.port, kinds):
        seconds(page)  # first, until the buffers of the clients that read nothing are full
        beside = {ask: seconds(ask) for ask in (page, record)}
    number = sum(kinds.values())
    for ask, before in quiet.items():
        print(
            f"{request.node.callspec.id}, {ask.__name__}: {1000 * before:.1f} ms, "
            f"{1000 * beside[ask]:.1f} ms beside {number} slow clients"
        )
        assert beside[ask] < TIMES_SLOWER * before + SPARE
    assert audit(server.app(), [phone]).acknowledged == 2 * EACH


def test_sixteen_connections_are_served_equally(limited: Callable[..., Limited]) -> None:
    """No connection is served repeatedly while others wait."""
    server = limited()
    counts, longest, lock, stop = [], [], Lock(), Event()

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
        took = []
        while not stop.is_set():
            began = time.perf_counter()
            connection.request("GET", "/health")
            assert connection.getresponse().read().startswith(b"ok ")
            took.append(time.perf_counter() - began)
        connection.close()
        with lock:
            counts.append(len(took))
            longest.append(max(took))

    with in_threads([ask] * 16):
        time.sleep(3)
        stop.set()
    print(f"16 connections in 3 s: {min(counts)} to {max(counts)} answers each, the longest wait {max(longest):.3f} s")
    assert min(counts) > max(counts) / 4


def test_long_requests_do_not_delay_short_ones(limited: Callable[..., Limited]) -> None:
    server = limited()
    phone = Phone(server.url)
    phone.open_table()
    circle = re.search(r'href="(/circles/[^/"]+)', phone.ask("/").text)
    assert circle is not None
    answered, working, stop = [], Event(), Event()

    def ask() -> None:
        other = Phone(server.url)
        assert working.wait(TIMEOUT)
        while not stop.is_set():
            began = time.perf_counter()
            assert other.ask("/health").status == 200
            answered.append(time.perf_counter() - began)

    with in_threads([ask]):
        try:
            began = time.perf_counter()
            working.set()
            status = send_sheets(phone, circle[1], 600)
            took = time.perf_counter() - began
        finally:
            stop.set()
    print(f"beside an import of {took:.1f} s: {len(answered)} answers, the longest after {max(answered):.3f} s")
    assert status == 200
    assert max(answered) < took / 2 + SPARE
    assert len(answered) > 10


def send_sheets(phone: Phone, circle: str, number: int) -> int:
    """Upload a number of sheets; return the status of the answer."""
    phone.ask(f"{circle}/import")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for n in range(number):
            sheet = {"format": "scorekeeper-sheet/1", "game": "whist", "players": PLAYERS}
            archive.writestr(f"{n}.json", json.dumps(sheet | {"title": f"{n}", "deals": [{"tricks": {"ns": 7}}] * 4}))
    boundary = "boundary"
    parts = f'--{boundary}\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n{phone.csrf}\r\n'
    parts += f'--{boundary}\r\nContent-Disposition: form-data; name="sheets"; filename="all.zip"\r\n\r\n'
    body = parts.encode() + packed.getvalue() + f"\r\n--{boundary}--\r\n".encode()
    connection = http.client.HTTPConnection("127.0.0.1", int(phone.url.rpartition(":")[2]), timeout=120)
    headers = {"Cookie": phone.cookie(), "Content-Type": f"multipart/form-data; boundary={boundary}"}
    connection.request("POST", f"{circle}/import", body, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


# --- nothing is held for long --------------------------------------------------------------------------------


def test_every_kind_of_slow_client_is_disconnected_and_leaves_no_open_file(limited: Callable[..., Limited]) -> None:
    server = limited(**SHORT)
    phone = Phone(server.url)
    phone.ask("/")
    before = server.open_files()
    kinds: dict[Begin, int] = dict.fromkeys((silent, half_a_header, half_a_body, half_a_chunk, taking_nothing), 10)
    with clients(server.port, kinds) as opened:
        assert phone.ask("/health").status == 200
        assert server.open_files() >= before + len(opened) // 2
        wait_until(lambda: server.open_files() <= before + 2, "connections of slow clients stay open")
    assert "Traceback" not in server.log


def wait_until(is_so: Callable[[], bool], why: str) -> None:
    for _ in range(CLOSED_BY * 10):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError(why)


def test_a_body_that_arrives_too_slowly_is_refused_and_a_steady_one_is_accepted(
    limited: Callable[..., Limited],
) -> None:
    server = limited(MAX_BODY_SECONDS=1, MIN_BODY_RATE=20_000)
    with connect(server.port) as slow:
        half_a_body(slow)
        assert slow.recv(1 << 16).startswith(b"HTTP/1.1 408")
    with connect(server.port) as steady:
        steady.sendall(f"{FORM}Content-Length: 200000\r\n\r\n".encode())
        for _ in range(20):  # two seconds, at five times the rate
            steady.sendall(b"x" * 10_000)
            time.sleep(0.1)
        assert steady.recv(1 << 16).startswith(b"HTTP/1.1 400")  # from the app: the CSRF token is missing


def test_with_too_many_connections_the_longest_idle_one_is_closed(
    limited: Callable[..., Limited],
) -> None:
    server = limited("--connections", "20")
    with clients(server.port, {silent: 10, half_a_header: 10}) as opened:
        phone = Phone(server.url)
        for _ in range(10):
            assert phone.ask("/health").status == 200
        closed = [is_closed(client, 0.2) for client in opened]
        assert any(closed[:10])  # the oldest connections
        assert not any(closed[10:])
    assert "Traceback" not in server.log


def test_connections_never_exhaust_the_limit_of_open_files(limited: Callable[..., Limited]) -> None:
    server = limited(files_open=300)
    phone = Phone(server.url)
    table = phone.open_table()
    with clients(server.port, {silent: 350, half_a_body: 50}):
        for _ in range(5):
            phone.enter(table, phone.score())
        assert server.open_files() < 300
    assert "Too many open files" not in server.log


def test_idle_connections_do_not_delay_a_stop(limited: Callable[..., Limited]) -> None:
    server = limited()
    with clients(server.port, {idle: 20, silent: 20, half_a_header: 20}) as opened:
        Phone(server.url).ask("/health")
        server.process.terminate()
        opened[0].settimeout(TIMEOUT)
        while b"ok " not in opened[0].recv(1 << 16):
            pass
        idle(opened[0])  # sent before the client can know that the server stops
        rest = b""
        while b"ok " not in rest:
            rest += opened[0].recv(1 << 16)
        assert server.process.wait(CLOSED_BY) == 0
    assert "Traceback" not in server.log


# --- nothing is changed by halves ----------------------------------------------------------------------------


def test_an_incomplete_entry_is_not_recorded(limited: Callable[..., Limited]) -> None:
    """Not even if the part that arrived would be a valid entry by itself."""
    server = limited()
    phone = Phone(server.url)
    table = phone.open_table()
    phone.ask(f"{table}deals/new")
    entry = {"csrf_token": phone.csrf, "seen": "0", "tricks": "ns-3", "do": "record", "key": "cut"}
    body = urlencode(entry).encode()
    head = f"POST {table}deals/new HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {phone.cookie()}\r\n"
    head += "Content-Type: application/x-www-form-urlencoded\r\n"
    for ending in (f"Content-Length: {len(body) + 20}\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n200\r\n"):
        with connect(server.port) as client:
            client.sendall(f"{head}{ending}".encode() + body)
            client.shutdown(socket.SHUT_WR)
            assert is_closed(client, CLOSED_BY)
    assert json.loads(phone.ask(f"{table}sheet.json").text)["deals"] == []
    with connect(server.port) as client:  # the complete entry is recorded
        client.sendall(f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        assert b"303" in client.recv(1 << 16)
    assert len(json.loads(phone.ask(f"{table}sheet.json").text)["deals"]) == 1


@contextmanager
def asking(server: Server) -> Iterator[socket.socket]:
    with connect(server.port) as client:
        yield client


def received(client: socket.socket, until: bytes) -> bytes:
    got = b""
    while until not in got:
        piece = client.recv(1 << 16)
        assert piece, got
        got += piece
    return got


def test_bodies_are_accepted_in_all_encodings_of_http(limited: Callable[..., Limited]) -> None:
    server = limited(BODY_IN_MEMORY=100, MAX_BODY=100_000)
    refused = partial(received, until=b"</html>")
    with asking(server) as client:  # with `Expect: 100-continue`, as curl does
        client.sendall(f"{FORM}Expect: 100-continue\r\nContent-Length: 12\r\n\r\n".encode())
        assert received(client, b"\r\n\r\n").startswith(b"HTTP/1.1 100")
        client.sendall(b"csrf_token=x")
        assert refused(client).startswith(b"HTTP/1.1 400")
    with asking(server) as client:  # in chunks, and too large for memory
        client.sendall(f"{FORM}Transfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(10):
            client.sendall(b"64\r\n" + b"x" * 100 + b"\r\n")
        client.sendall(b"0\r\n\r\n")
        assert refused(client).startswith(b"HTTP/1.1 400")
    for length in ("Content-Length: 100001", "Transfer-Encoding: chunked"):  # more than is allowed
        with asking(server) as client:
            client.sendall(f"{FORM}{length}\r\n\r\n186A1\r\n".encode() + b"x" * 100_001 + b"\r\n0\r\n\r\n")
            assert refused(client).startswith(b"HTTP/1.1 413")
    with asking(server) as client:  # two pipelined requests are answered in order
        client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /none HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answers = refused(client)
        assert answers.index(b"ok ") < answers.index(b"HTTP/1.1 404")
