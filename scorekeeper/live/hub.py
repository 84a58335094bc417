"""The streams that this process holds open, and the delivery of messages to them.

A stream is opened before what it follows is read for it, so that no message is lost in between, and is sent what it
does not know yet once the server has sent the response's head. Everything here may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from threading import RLock
from typing import Any, NamedTuple, Protocol

from .messages import ACCESS, REVISION, Message

# The key of a request's WSGI environment under which a server that can hold responses open has a function for it. The
# app calls it with a stream; when the response is sent, the server connects the stream instead of ending the response.
# The function raises NoRoomError if the server holds as many as it can.
HOLD = "scorekeeper.hold_stream"


class NoRoomError(Exception):
    """The server holds as many streams as it can, or is about to stop; the page polls, and may try again later."""


class Access(NamedTuple):
    """A follower and what they follow, in words that no other circle, table, event, device or link ever has.

    Attributes:
        circle: its name.
        topic: the token of the table or event.
        follower: the hash of a device's secret, or the generation of the link by which a reader looks at an event.
    """

    circle: str
    topic: str
    follower: str


class Connection(Protocol):
    """A response that the server holds open. Both methods return at once, without waiting for the client."""

    def send(self, data: bytes) -> None:
        """Send bytes to the client."""

    def close(self) -> None:
        """End the response; the server then closes the stream."""


class Topic:
    """A table or an event that somebody follows: its token, the newest number of each message, and its streams.

    All its streams know the newest numbers, except those that are not connected yet.
    """

    __slots__ = ("newest", "streams", "token")

    def __init__(self, token: str) -> None:
        self.token = token
        self.newest: dict[str, int] = {}
        self.streams: set[Stream] = set()

    @property
    def takers(self) -> set[Stream]:
        """The connected streams that are sent updates."""
        return {stream for stream in self.streams if stream.takes_updates}


class Stream:
    """The followers of a topic. They get each number once, and only larger ones than before.

    There may be thousands of them, so each is small.

    Attributes:
        access: who follows; None until access has been checked.
        recipient: for whom a table's updates are rendered; None if only their numbers are sent.
    """

    __slots__ = (
        "__weakref__",
        "_begun",
        "_connection",
        "_hub",
        "_is_closed",
        "_kinds",
        "_topic",
        "access",
        "recipient",
    )

    def __init__(self, hub: Hub, topic: Topic) -> None:
        self.access: Access | None = None
        self.recipient: Any = None
        self._hub = hub
        self._topic = topic
        self._kinds: tuple[str, ...] = ()  # of the messages that it follows
        self._begun: dict[str, int] | None = None  # what `begin` returned, until the stream is connected
        self._connection: Connection | None = None
        self._is_closed = False

    @property
    def topic(self) -> str:
        """The token of what is followed."""
        return self._topic.token

    def begin(self, circle: str, follower: str, read: Mapping[str, int]) -> bytes:
        """Set who follows which messages, and the numbers that were read; return the first events."""
        with self._hub.lock:
            self.access, self._kinds = Access(circle, self.topic, follower), tuple(read)
            # What was published meanwhile may be newer than what was read, and what was read newer than what was
            # published: the message may still be on its way from another process.
            self._hub.publish(Message(event, self.topic, number) for event, number in read.items())
            newest = self._topic.newest
            self._begun = {event: max(number, newest.get(event, 0)) for event, number in read.items()}
            return self._events(self._begun)

    def connect(self, connection: Connection) -> None:
        """Send messages to this connection from now on, beginning with those since `begin`."""
        with self._hub.lock:
            self._connection = connection
            begun, self._begun = self._begun or {}, None
            if self._is_closed:
                connection.close()
                return
            newest = self._topic.newest
            missed = {event: newest[event] for event in begun if newest.get(event, 0) > begun[event]}
            if missed:
                connection.send(self._events(missed))

    def _events(self, numbers: dict[str, int]) -> bytes:
        return b"".join(Message(event, self.topic, number).as_event() for event, number in numbers.items())

    @property
    def takes_updates(self) -> bool:
        """Whether it is sent a table's updates themselves."""
        return self.recipient is not None and self._connection is not None

    def deliver(self, kind: str, data: bytes) -> None:
        """Send a message, if it follows this kind; until it is connected, the topic's newest numbers keep it."""
        if self._connection is not None and not self._is_closed and kind in self._kinds:
            self._connection.send(data)

    def close(self) -> None:
        """End the stream; the browser may open another one, for which its access is checked again."""
        with self._hub.lock:
            self._hub.remove(self)
            if self._connection is not None and not self._is_closed:
                self._connection.close()
            self._is_closed = True


class Hub:
    """All streams of this process.

    Attributes:
        on_first_stream: called whenever a stream is opened and there was none; it may start a thread.
        on_change: called with the number of streams whenever it changes.
        push: called with a table's token, and the revision that its streams were sent last, when there is a newer one
            and streams that take updates.
    """

    def __init__(self, on_first_stream: Callable[[], None] = lambda: None) -> None:
        self.lock = RLock()
        self.on_first_stream = on_first_stream
        self.on_change: Callable[[int], None] = lambda _number: None
        self.push: Callable[[str, int], None] | None = None
        self._topics: dict[str, Topic] = {}
        self._number = 0

    def open(self, token: str) -> Stream:
        """Open a stream for the table or event with this token. The caller checks access, before `Stream.begin`."""
        with self.lock:
            is_first = not self._topics
            followed = self._topics.setdefault(token, Topic(token))
            stream = Stream(self, followed)
            followed.streams.add(stream)
            self._count(+1)
        if is_first:
            self.on_first_stream()
        return stream

    def remove(self, stream: Stream) -> None:
        """Deliver nothing to this stream any more."""
        with self.lock:
            followed = self._topics.get(stream.topic)
            if followed is not None and stream in followed.streams:
                followed.streams.discard(stream)
                if not followed.streams:
                    del self._topics[stream.topic]
                self._count(-1)

    def _count(self, change: int) -> None:
        self._number += change
        self.on_change(self._number)

    def __len__(self) -> int:
        """Return the number of open streams."""
        return self._number

    def __bool__(self) -> bool:
        """Return True: a hub without streams is a hub."""
        return True

    # --- messages

    def publish(self, messages: Iterable[Message]) -> None:
        """Deliver messages to the streams that they concern."""
        for message in messages:
            if message.event == ACCESS:
                self._end_access(message.topic)
            else:
                self._deliver(message)

    def _deliver(self, message: Message) -> None:
        """Deliver a message unless its number, or a larger one, has been delivered before."""
        with self.lock:
            followed = self._topics.get(message.topic)
            if followed is None or message.number <= followed.newest.get(message.event, 0):
                return
            before, followed.newest[message.event] = followed.newest.get(message.event, 0), message.number
            data = message.as_event()
            takers = followed.takers if self.push is not None and message.event == REVISION else set()
            for stream in followed.streams - takers:
                stream.deliver(message.event, data)
            if self.push is not None and takers:
                self.push(message.topic, before)

    def takers(self, token: str) -> tuple[int, list[Stream]]:
        """Return the newest number of a table's revisions, and the streams that are sent its updates."""
        with self.lock:
            followed = self._topics.get(token)
            if followed is None:
                return 0, []
            return followed.newest.get(REVISION, 0), list(followed.takers)

    def send_to(self, streams: Iterable[Stream], find_data: Callable[[Stream], bytes]) -> None:
        """Send a table's update to those of these streams that have not been closed meanwhile."""
        with self.lock:
            for stream in streams:
                stream.deliver(REVISION, find_data(stream))

    def _end_access(self, topic: str) -> None:
        # A stream whose access is being checked may be of that circle.
        self._close(lambda stream: stream.access is None or topic in (stream.access.circle, stream.topic))

    def close_followers(self, followers: Collection[Access]) -> None:
        """Close the streams of these followers of these topics."""
        self._close(lambda stream: stream.access in followers)

    def close_topics(self, tokens: Collection[str]) -> None:
        """Close the streams of the tables and events with these tokens."""
        self._close(lambda stream: stream.topic in tokens)

    def close_all(self) -> None:
        """Close every stream, since the server stops."""
        self._close(lambda _: True)

    def _close(self, is_meant: Callable[[Stream], bool]) -> None:
        for stream in self.streams():
            if is_meant(stream):
                stream.close()

    # --- what is followed

    def streams(self) -> list[Stream]:
        """List the open streams."""
        with self.lock:
            return [stream for followed in self._topics.values() for stream in followed.streams]

    def newest(self) -> dict[str, dict[str, int]]:
        """Return the newest number of each kind of message that was delivered, by the token of each followed topic."""
        with self.lock:
            return {token: followed.newest.copy() for token, followed in self._topics.items()}
