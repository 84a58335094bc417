"""The streams that this process holds open, and the delivery of messages to them.

A stream is opened before the table is read for it, so that no message is lost in between, and keeps what arrives until
the server has sent the response's head. Everything here may be called from any thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from threading import RLock
from typing import Protocol

from .messages import ACCESS, FLAGS, REVISION, Message

# The key of a request's WSGI environment under which a server that can hold responses open has a function for it. The
# app calls it with a stream; when the response is sent, the server connects the stream instead of ending the response.
HOLD = "scorekeeper.hold_stream"


class Connection(Protocol):
    """A response that the server holds open. Both methods return at once, without waiting for the client."""

    def send(self, data: bytes) -> None:
        """Send bytes to the client."""

    def close(self) -> None:
        """End the response; the server then closes the stream."""


class Stream:
    """A browser that follows a table. It gets each number once, and only larger ones than before.

    Attributes:
        table: the table's token.
        circle_id, browser_id: who follows; None until access has been checked.
    """

    def __init__(self, hub: Hub, table: str) -> None:
        self.table = table
        self.circle_id: int | None = None
        self.browser_id: int | None = None
        self._hub = hub
        self._numbers: dict[str, int] = {}  # the last of each event
        self._waiting: dict[str, Message] = {}  # for the connection, by event
        self._connection: Connection | None = None
        self._is_closed = False

    def begin(self, circle_id: int, browser_id: int, revisions: int, flags: int) -> bytes:
        """Set who follows and where the table is; return the first events."""
        with self._hub.lock:
            self.circle_id, self.browser_id = circle_id, browser_id
            messages = Message(REVISION, self.table, revisions), Message(FLAGS, self.table, flags)
            # What was published meanwhile may be newer than what was read.
            newest = [
                message._replace(number=max(message.number, self._numbers.get(message.event, 0)))
                for message in messages
            ]
            self._numbers = {message.event: message.number for message in newest}
            return b"".join(message.as_event() for message in newest)

    def connect(self, connection: Connection) -> None:
        """Send messages to this connection from now on, beginning with those since `begin`."""
        with self._hub.lock:
            self._connection = connection
            if self._is_closed:
                connection.close()
            elif self._waiting:
                connection.send(b"".join(message.as_event() for message in self._waiting.values()))

    def deliver(self, message: Message) -> None:
        """Send a message, unless the browser knows it or a later one."""
        with self._hub.lock:
            if message.number <= self._numbers.get(message.event, 0):
                return
            self._numbers[message.event] = message.number
            if self._connection is not None:
                self._connection.send(message.as_event())
            elif self.browser_id is not None:
                self._waiting[message.event] = message

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
    """

    def __init__(self, on_first_stream: Callable[[], None] = lambda: None) -> None:
        self.lock = RLock()
        self.on_first_stream = on_first_stream
        self._by_table: defaultdict[str, set[Stream]] = defaultdict(set)

    def open(self, table: str) -> Stream:
        """Open a stream for the table with this token. Access is checked by the caller, before `Stream.begin`."""
        stream = Stream(self, table)
        with self.lock:
            is_first = not self._by_table
            self._by_table[table].add(stream)
        if is_first:
            self.on_first_stream()
        return stream

    def remove(self, stream: Stream) -> None:
        """Deliver nothing to this stream any more."""
        with self.lock:
            streams = self._by_table.get(stream.table)
            if streams is not None:
                streams.discard(stream)
                if not streams:
                    del self._by_table[stream.table]

    def publish(self, messages: Iterable[Message]) -> None:
        """Deliver messages to the streams that they concern."""
        for message in messages:
            if message.event == ACCESS:
                self._close_circle(message.topic)
            else:
                with self.lock:
                    streams = list(self._by_table.get(message.topic, ()))
                for stream in streams:
                    stream.deliver(message)

    def _close_circle(self, circle_id: str) -> None:
        # A stream whose access is being checked may be of that circle.
        self._close(lambda stream: stream.circle_id is None or str(stream.circle_id) == circle_id)

    def close_browsers(self, browser_ids: Collection[int]) -> None:
        """Close the streams of these browsers."""
        self._close(lambda stream: stream.browser_id in browser_ids)

    def close_all(self) -> None:
        """Close every stream, since the server stops."""
        self._close(lambda _: True)

    def _close(self, is_meant: Callable[[Stream], bool]) -> None:
        for stream in self.streams():
            if is_meant(stream):
                stream.close()

    def streams(self) -> list[Stream]:
        """List the open streams."""
        with self.lock:
            return [stream for streams in self._by_table.values() for stream in streams]
