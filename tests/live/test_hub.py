"""Streams: which messages reach them, in which order, and how often."""

from __future__ import annotations

import pytest

from scorekeeper.live.hub import Access, Hub, Stream
from scorekeeper.live.messages import EVENT, MARKS, PLAN, REVISION, Message, access_changed

CIRCLE, OTHER_CIRCLE, BROWSER, OTHER_BROWSER = "circle", "other circle", "hash", "other hash"


class Held:
    """A connection that keeps what is sent."""

    def __init__(self) -> None:
        self.sent = b""
        self.closings = 0

    def send(self, data: bytes) -> None:
        self.sent += data

    def close(self) -> None:
        self.closings += 1


def events(*numbers: int) -> bytes:
    return b"".join(Message(REVISION, "a", number).as_event() for number in numbers)


@pytest.fixture
def hub() -> Hub:
    return Hub()


def opened(hub: Hub, revisions: int = 4, table: str = "a") -> Stream:
    stream = hub.open(table)
    stream.begin(CIRCLE, BROWSER, {REVISION: revisions, MARKS: 0})
    return stream


def test_a_stream_begins_with_where_the_table_is(hub: Hub) -> None:
    begun = hub.open("a").begin(CIRCLE, BROWSER, {REVISION: 4, MARKS: 1})
    assert begun == b"event: revision\ndata: 4\n\nevent: marks\ndata: 1\n\n"


def test_a_message_reaches_those_who_follow_the_table_only(hub: Hub) -> None:
    one, other = Held(), Held()
    opened(hub).connect(one)
    opened(hub, table="b").connect(other)
    hub.publish([Message(REVISION, "a", 5)])
    assert (one.sent, other.sent) == (events(5), b"")


def test_a_number_is_sent_once_and_no_older_one_after_it(hub: Hub) -> None:
    held = Held()
    opened(hub).connect(held)
    for number in (4, 6, 5, 6, 7):
        hub.publish([Message(REVISION, "a", number)])
    assert held.sent == events(6, 7)


def test_what_is_published_before_the_table_is_read_is_not_lost(hub: Hub) -> None:
    stream = hub.open("a")
    hub.publish([Message(REVISION, "a", 5), Message(MARKS, "a", 2)])
    begun = stream.begin(CIRCLE, BROWSER, {REVISION: 4, MARKS: 0})
    assert begun == b"event: revision\ndata: 5\n\nevent: marks\ndata: 2\n\n"


def test_what_is_published_before_the_head_is_sent_follows_it(hub: Hub) -> None:
    stream, held = opened(hub), Held()
    hub.publish([Message(REVISION, "a", 5)])
    hub.publish([Message(REVISION, "a", 6)])
    stream.connect(held)
    assert held.sent == events(6)


def test_who_follows_the_plan_of_an_event_is_not_told_of_its_results(hub: Hub) -> None:
    wall, phone = Held(), Held()
    for held, kind in ((wall, EVENT), (phone, PLAN)):
        stream = hub.open("a")
        stream.begin(CIRCLE, BROWSER, {kind: 1})
        hub.publish([Message(EVENT, "a", 2), Message(PLAN, "a", 2)])
        stream.connect(held)
    hub.publish([Message(EVENT, "a", 3)])
    assert wall.sent == b"event: event\ndata: 2\n\nevent: event\ndata: 3\n\n"
    assert phone.sent == b""  # it began with 2, which was published before


def test_a_change_of_access_closes_the_streams_of_that_circle(hub: Hub) -> None:
    mine, theirs, unknown = Held(), Held(), Held()
    opened(hub).connect(mine)
    other = hub.open("b")
    other.begin(OTHER_CIRCLE, OTHER_BROWSER, {REVISION: 0, MARKS: 0})
    other.connect(theirs)
    checking = hub.open("c")  # its access may have been read before it ended
    hub.publish([access_changed(CIRCLE)])
    checking.begin(OTHER_CIRCLE, OTHER_BROWSER, {REVISION: 0, MARKS: 0})
    checking.connect(unknown)
    assert (mine.closings, theirs.closings, unknown.closings) == (1, 0, 1)
    assert hub.streams() == [other]


def test_a_change_of_access_to_a_table_closes_the_streams_of_that_table_only(hub: Hub) -> None:
    here, there = Held(), Held()
    opened(hub).connect(here)
    opened(hub, table="b").connect(there)
    hub.publish([access_changed("a")])
    assert (here.closings, there.closings) == (1, 0)


def test_a_closed_stream_gets_nothing_and_is_closed_once(hub: Hub) -> None:
    stream, held = opened(hub), Held()
    stream.connect(held)
    stream.close()
    stream.close()
    hub.publish([Message(REVISION, "a", 5)])
    assert (held.sent, held.closings, hub.streams()) == (b"", 1, [])


def test_streams_of_chosen_browsers_are_closed(hub: Hub) -> None:
    stream, held = opened(hub), Held()
    stream.connect(held)
    hub.close_followers({Access(CIRCLE, "a", OTHER_BROWSER), Access(CIRCLE, "b", BROWSER)})
    assert held.closings == 0
    hub.close_followers({Access(CIRCLE, "a", BROWSER)})
    assert held.closings == 1
