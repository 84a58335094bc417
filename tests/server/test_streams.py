"""Responses that the server holds open: how they are sent to, and when they end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import gevent
import pytest

from scorekeeper.live.hub import Access, Hub, NoRoomError, Stream
from scorekeeper.live.messages import MARKS, REVISION, Message
from scorekeeper.server import streams as module
from scorekeeper.server.streams import HEARTBEAT, Streams

ROOM = 20  # connections
TABLE = "a"
FOLLOWER = "circle", "hash"


class Client:
    """A client whose response is held open, at the other end of a pair of sockets."""

    def __init__(self, streams: Streams, hub: Hub, *, buffer: int | None = None) -> None:
        ours, self.socket = socket.socketpair()
        if buffer is not None:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
        ours.setblocking(False)
        self.socket.settimeout(0)
        self.stream = hub.open(TABLE)
        self.stream.begin(*FOLLOWER, {REVISION: 0, MARKS: 0})
        self.file = ours.detach()
        streams.hold(self.file, self.stream)

    def received(self) -> bytes:
        """Return all that has been sent, and b"end" at its end if the connection has been closed."""
        turn()
        got = b""
        while True:
            try:
                piece = self.socket.recv(1 << 16)
            except BlockingIOError:
                return got
            if not piece:
                return got + b"end"
            got += piece


Connect = Callable[..., Client]


def turn() -> None:
    """Let the event loop run."""
    gevent.sleep(0.01)


def revision(number: int) -> bytes:
    return Message(REVISION, TABLE, number).as_event()


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def streams() -> Iterator[Streams]:
    streams = Streams(gevent.get_hub().loop, ROOM)
    yield streams
    streams.close_all()
    assert len(streams) == 0


@pytest.fixture
def connect(streams: Streams, hub: Hub) -> Iterator[Connect]:
    """Connect clients; close their ends after the test."""
    clients: list[Client] = []

    def connect(**settings: Any) -> Client:
        clients.append(Client(streams, hub, **settings))
        return clients[-1]

    yield connect
    for client in clients:
        client.socket.close()


@contextmanager
def watched(connect: Connect, hub: Hub) -> Iterator[Client]:
    """A further client, who is not disturbed by what happens to another."""
    client = connect()
    yield client
    assert client.received() == b""
    hub.publish([Message(REVISION, TABLE, 1_000_000)])
    assert client.received() == revision(1_000_000)


def test_what_several_threads_publish_arrives_in_order_and_once(hub: Hub, connect: Connect) -> None:
    clients = [connect() for _ in range(3)]

    def publish() -> None:
        for number in range(1, 101):
            hub.publish([Message(REVISION, TABLE, number)])

    threads = [Thread(target=publish) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything = b"".join(revision(number) for number in range(1, 101))
    assert [client.received() for client in clients] == [everything] * 3


def test_a_stream_ends_when_its_client_disconnects(streams: Streams, hub: Hub, connect: Connect) -> None:
    with watched(connect, hub):
        client = connect()
        client.socket.close()
        turn()
        assert (len(streams), len(hub)) == (1, 1)


def test_a_stream_ends_when_its_client_sends_anything_more(streams: Streams, hub: Hub, connect: Connect) -> None:
    with watched(connect, hub):
        client = connect()
        client.socket.send(b"GET / HTTP/1.1\r\n\r\n")
        turn()
        assert (len(streams), len(hub)) == (1, 1)
        with pytest.raises(ConnectionResetError):
            client.received()


def test_a_client_that_reads_nothing_is_disconnected_and_delays_nobody(
    streams: Streams, hub: Hub, connect: Connect
) -> None:
    slow = connect(buffer=2_000)
    quick = connect()
    got = b""
    for number in range(1, 1_001):
        hub.publish([Message(REVISION, TABLE, number)])
        if number % 100 == 0:
            got += quick.received()
    assert got == b"".join(revision(number) for number in range(1, 1_001))
    assert slow.received().endswith(b"end")
    assert (len(streams), len(hub)) == (1, 1)


def test_a_stream_that_is_closed_by_the_app_ends(streams: Streams, hub: Hub, connect: Connect) -> None:
    client = connect()
    hub.publish([Message(REVISION, TABLE, 1)])
    hub.close_followers({Access(FOLLOWER[0], TABLE, FOLLOWER[1])})
    hub.publish([Message(REVISION, TABLE, 2)])
    assert client.received() == revision(1) + b"end"
    assert (len(streams), len(hub)) == (0, 0)


def test_a_stream_that_was_closed_before_its_head_was_sent_ends(streams: Streams, hub: Hub) -> None:
    ours, theirs = socket.socketpair()
    stream = hub.open(TABLE)
    stream.begin(*FOLLOWER, {REVISION: 0, MARKS: 0})
    stream.close()
    streams.hold(ours.detach(), stream)
    turn()
    assert theirs.recv(10) == b""
    theirs.close()
    assert len(streams) == 0


def test_each_stream_gets_a_heartbeat_in_every_period_and_not_all_at_once(streams: Streams, connect: Connect) -> None:
    clients = [connect() for _ in range(10)]
    for _ in range(module.BEAT_SECONDS // 2):
        streams._beat()
    assert 0 < sum(client.received() == HEARTBEAT for client in clients) < 10
    for _ in range(module.BEAT_SECONDS):
        streams._beat()
    assert {client.received() for client in clients} <= {HEARTBEAT, HEARTBEAT * 2}


def test_a_stream_ends_after_a_while_so_that_access_is_checked_again(
    streams: Streams, hub: Hub, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MIN_BEATS", 3)
    monkeypatch.setattr(module, "MAX_BEATS", 3)
    client = connect()
    for _ in range(3 * module.BEAT_SECONDS):
        streams._beat()
    assert client.received() == HEARTBEAT * 2 + b"end"
    assert len(hub) == 0


def test_heartbeats_begin_with_the_first_stream(
    streams: Streams, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_timer", gevent.get_hub().loop.timer(0, 0.001))
    client = connect()
    for _ in range(1_000):
        if HEARTBEAT in client.received():
            return
    raise AssertionError("there is no heartbeat")


def test_a_part_of_the_connections_remains_for_requests(streams: Streams, hub: Hub, connect: Connect) -> None:
    for _ in range(ROOM - 2):
        streams.check_room()
        connect()
    with pytest.raises(NoRoomError):
        streams.check_room()
    hub.streams()[0].close()
    turn()
    streams.check_room()


def test_no_stream_is_held_any_more_once_the_worker_stops(streams: Streams, hub: Hub, connect: Connect) -> None:
    client = connect()
    streams.close_all()
    assert client.received() == b"end"
    with pytest.raises(NoRoomError):
        streams.check_room()
    late = connect()
    assert late.received() == b"end"
    assert len(hub) == 0


def test_the_file_of_a_stream_is_closed_once(hub: Hub, connect: Connect) -> None:
    """A second time, it may be another connection's."""
    client = connect()
    client.stream.close()
    turn()
    client.socket.close()
    reused = os.dup(0)
    client.stream.close()
    hub.publish([Message(REVISION, TABLE, 1)])
    turn()
    os.fstat(reused)
    os.close(reused)


def test_a_stream_is_small(connect: Connect) -> None:
    client = connect()
    for each in (client.stream, client.stream._connection):
        assert not hasattr(each, "__dict__")
    assert isinstance(client.stream, Stream)
