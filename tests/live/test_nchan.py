"""Messages to nginx: what it is asked, and what becomes of messages while it is away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from scorekeeper.live import nchan, threads
from scorekeeper.live.messages import EVENT, MARKS, REVISION, Message, access_changed
from scorekeeper.live.nchan import Endpoint, NchanPublisher


class Receiver(ThreadingHTTPServer):
    """Answers as nginx does, with `status` to what is published, and notes what it accepts."""

    def __init__(self) -> None:
        self.accepted: list[tuple[str, str | None, str]] = []
        self.status = 202
        super().__init__(("127.0.0.1", 0), _Handler)
        self.endpoint = Endpoint("127.0.0.1", self.server_port, "/streams")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.server.status < 300:
            self.server.accepted.append((self.path, self.headers["X-EventSource-Event"], body))
        self._answer(self.server.status)

    def do_DELETE(self) -> None:
        self.server.accepted.append((self.path, None, ""))
        self._answer(404)

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def receivers() -> Iterator[list[Receiver]]:
    started = [Receiver(), Receiver()]
    for receiver in started:
        Thread(target=receiver.serve_forever, args=(0.05,), daemon=True).start()
    yield started
    for receiver in started:
        receiver.shutdown()
        receiver.server_close()


@pytest.fixture
def publisher(receivers: list[Receiver]) -> Iterator[NchanPublisher]:
    publisher = NchanPublisher([receiver.endpoint for receiver in receivers])
    yield publisher
    publisher.stop()


def wait_for(receiver: Receiver, number: int) -> None:
    """Wait until a receiver has accepted a number of messages."""
    for _ in range(400):
        if len(receiver.accepted) >= number:
            return
        time.sleep(0.05)
    raise AssertionError(receiver.accepted)


def test_a_message_is_an_event_of_its_tables_channel(publisher: NchanPublisher, receivers: list[Receiver]) -> None:
    publisher.publish([Message(REVISION, "t-1_", 41), Message(MARKS, "t-1_", 2)])
    wait_for(receivers[0], 2)
    assert receivers[0].accepted == [
        ("/streams/revision/t-1_", "revision", "41"),
        ("/streams/marks/t-1_", "marks", "2"),
    ]
    assert receivers[1].accepted == []


def test_the_streams_of_a_circle_are_ended_twice(
    publisher: NchanPublisher, receivers: list[Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nchan, "AGAIN_SECONDS", 0.2)
    publisher.publish([access_changed("c-1_")])
    wait_for(receivers[0], 2)
    assert receivers[0].accepted == [("/streams/access/c-1_", None, "")] * 2


def test_another_nginx_takes_what_the_first_refuses(publisher: NchanPublisher, receivers: list[Receiver]) -> None:
    receivers[0].status = 503
    for number in (1, 2):
        publisher.publish([Message(REVISION, "table", number)])
        wait_for(receivers[1], number)
    assert receivers[1].accepted[-1] == ("/streams/revision/table", "revision", "2")
    assert receivers[0].accepted == []


def test_an_nginx_that_does_not_know_a_kind_of_message_gets_the_others(
    publisher: NchanPublisher, receivers: list[Receiver]
) -> None:
    """Its configuration may be older than the app."""
    receivers[0].status = 404
    publisher.publish([Message(EVENT, "event", 1)])
    publisher.flush()
    receivers[0].status = 202
    publisher.publish([Message(REVISION, "table", 1)])
    wait_for(receivers[0], 1)
    assert receivers[0].accepted == [("/streams/revision/table", "revision", "1")]


def test_only_the_newest_number_is_sent_after_an_outage(
    publisher: NchanPublisher, receivers: list[Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "RETRY_SECONDS", 0.2)
    for receiver in receivers:
        receiver.status = 503
    for number in (1, 3, 2):
        publisher.publish([Message(REVISION, "table", number)])
        time.sleep(0.1)
    for receiver in receivers:
        receiver.status = 201
    publisher.flush()
    accepted = [message for receiver in receivers for message in receiver.accepted]
    assert accepted == [("/streams/revision/table", "revision", "3")]
