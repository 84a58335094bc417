"""Updates in streams: who is sent which, and what a page is told that gets none."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event

import pytest

from scorekeeper.live import pushing
from scorekeeper.live.hub import Hub, Stream
from scorekeeper.live.messages import MARKS, REVISION, Message
from scorekeeper.live.pushing import Pusher, Render, build_event

from .test_hub import BROWSER, CIRCLE, Held, events

PATIENCE = 10  # seconds


class Awaited(Held):
    """A connection that tells when something has been sent."""

    def __init__(self) -> None:
        super().__init__()
        self.has_more = Event()

    def send(self, data: bytes) -> None:
        super().send(data)
        self.has_more.set()

    def wait(self) -> bytes:
        assert self.has_more.wait(PATIENCE)
        self.has_more.clear()
        return self.sent


@contextmanager
def pushing_hub(render: Render) -> Iterator[tuple[Hub, Pusher]]:
    hub = Hub()
    pusher = Pusher(hub, render)
    hub.push = pusher.push
    yield hub, pusher
    pusher.stop()


def follow(hub: Hub, recipient: str | None) -> tuple[Stream, Awaited]:
    stream, connection = hub.open("a"), Awaited()
    stream.begin(CIRCLE, BROWSER, {REVISION: 4, MARKS: 0})
    stream.recipient = recipient
    stream.connect(connection)
    return stream, connection


def render(token: str, seen: int, recipients: Sequence[str]) -> Mapping[str, str]:
    return {each: f"{token}-{seen}-for-{each}" for each in recipients if each != "nobody"}


def publish(hub: Hub, number: int) -> None:
    hub.publish([Message(REVISION, "a", number)])


def test_each_stream_is_sent_its_update_and_one_without_a_number() -> None:
    with pushing_hub(render) as (hub, _):
        (_, mine), (_, plain), (_, nobody) = (follow(hub, recipient) for recipient in ("me", None, "nobody"))
        publish(hub, 5)
        assert mine.wait() == build_event(4, 5, "a-4-for-me")
        assert (plain.wait(), nobody.wait()) == (events(5), events(5))


def test_without_streams_that_take_updates_none_is_rendered() -> None:
    rendered = []

    def note(token: str, seen: int, recipients: Sequence[str]) -> Mapping[str, str]:
        rendered.append(seen)
        return render(token, seen, recipients)

    with pushing_hub(note) as (hub, _):
        _, plain = follow(hub, None)
        hub.open("a").recipient = "not connected"
        publish(hub, 5)
        assert plain.wait() == events(5)
        hub.publish([Message(MARKS, "a", 1)])
        assert plain.wait().endswith(b"event: marks\ndata: 1\n\n")
    assert rendered == []


def test_of_updates_that_come_faster_than_they_are_rendered_only_the_newest_is_sent() -> None:
    begun, may_end = Event(), Event()

    def render_slowly(token: str, seen: int, recipients: Sequence[str]) -> Mapping[str, str]:
        begun.set()
        assert may_end.wait(PATIENCE)
        return render(token, seen, recipients)

    with pushing_hub(render_slowly) as (hub, _):
        _, mine = follow(hub, "me")
        publish(hub, 5)
        assert begun.wait(PATIENCE)
        for number in (6, 7, 8):
            publish(hub, number)
        may_end.set()
        expected = build_event(4, 5, "a-4-for-me"), build_event(5, 8, "a-5-for-me")
        mine.wait()
        if mine.sent != b"".join(expected):
            mine.wait()
        assert mine.sent == b"".join(expected)


def test_an_update_that_cannot_be_rendered_is_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: object) -> Mapping[str, str]:
        raise ValueError("a game fails")

    with pushing_hub(fail) as (hub, _), caplog.at_level(logging.ERROR):
        _, mine = follow(hub, "me")
        publish(hub, 5)
        assert mine.wait() == events(5)
        publish(hub, 6)
        assert mine.wait() == events(5, 6)
    assert "An update cannot be rendered" in caplog.text


def test_a_stream_that_is_closed_while_its_update_is_rendered_is_sent_nothing() -> None:
    def close(token: str, seen: int, recipients: Sequence[str]) -> Mapping[str, str]:
        mine.close()
        return render(token, seen, recipients)

    with pushing_hub(close) as (hub, _):
        (mine, connection), (_, other) = follow(hub, "me"), follow(hub, "other")
        publish(hub, 5)
        assert other.wait() == build_event(4, 5, "a-4-for-other")
        assert connection.sent == b""


def test_an_update_waits_until_entries_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushing, "MAX_WAIT", PATIENCE)
    is_answered: list[bool] = []

    def render_after(token: str, seen: int, recipients: Sequence[str]) -> Mapping[str, str]:
        assert is_answered
        return render(token, seen, recipients)

    with pushing_hub(render_after) as (hub, pusher):
        _, mine = follow(hub, "me")
        pusher.begin_write()
        publish(hub, 5)
        is_answered.append(True)
        pusher.end_write()
        assert mine.wait() == build_event(4, 5, "a-4-for-me")
