"""Responses that a worker holds open, so that the app can send to them later, from any thread.

A response is held once its head and first events have been sent. Its greenlet has ended then: an idle follower costs a
socket, a watcher that notices when the client disconnects, and two small objects. All of them share one queue for what
is to be sent and one timer for heartbeats. Everything but `send` and `close` runs in the event loop's thread.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from random import randint
from typing import Any

from ..live.hub import NoRoomError, Stream

BEAT_SECONDS = 30  # between two heartbeats of a stream: less than any proxy's timeout
MIN_BEATS, MAX_BEATS = 50, 70  # of a stream, about half an hour; then the browser's access is checked again
HEARTBEAT = b"event: alive\ndata:\n\n"
SHARE = 0.9  # of a worker's connections; the others remain for requests
_READABLE = 1  # gevent's event mask

Hold = Callable[[Stream], None]  # what the app calls


class HeldResponse:
    """A response held open: the connection of a stream. It is closed when its client does not take what is sent."""

    __slots__ = ("_streams", "beats", "file", "second", "stream", "watcher")

    def __init__(self, streams: Streams, file: int, stream: Stream, second: int) -> None:
        self._streams = streams
        self.file: int | None = file
        self.stream = stream
        self.second = second  # of BEAT_SECONDS, in which its heartbeats are sent
        self.beats = randint(MIN_BEATS, MAX_BEATS)  # noqa: S311  # nothing secret
        self.watcher: Any = None

    def send(self, data: bytes) -> None:
        """Have the event loop send bytes."""
        self._streams.enqueue(self, data)

    def close(self) -> None:
        """Have the event loop close the connection."""
        self._streams.enqueue(self, None)


class Streams:
    """All responses that a worker holds open."""

    def __init__(self, loop: Any, connections: int) -> None:
        """`connections`: how many the worker may have open."""
        self._loop = loop
        self._most = int(connections * SHARE)
        self._accepts = True
        self._number = 0
        self._by_second: list[set[HeldResponse]] = [set() for _ in range(BEAT_SECONDS)]
        self._next_second = 0  # of the next response
        self._now = 0
        self._queue: deque[tuple[HeldResponse, bytes | None]] = deque()
        self._wake = loop.async_()
        self._wake.start(self._empty_queue)
        self._timer = loop.timer(1, 1)

    def __len__(self) -> int:
        """Return the number of responses held open."""
        return self._number

    def check_room(self) -> None:
        """Raise NoRoomError if no further response can be held open. May be called from any thread."""
        if not self._accepts or self._number >= self._most:
            raise NoRoomError

    def hold(self, file: int, stream: Stream) -> None:
        """Hold a response open: a socket that does not block, whose head has been sent."""
        if not self._accepts:
            os.close(file)
            stream.close()
            return
        held = HeldResponse(self, file, stream, self._next_second)
        self._next_second = (self._next_second + 1) % BEAT_SECONDS
        self._by_second[held.second].add(held)
        if self._number == 0:
            self._timer.start(self._beat)
        self._number += 1
        held.watcher = self._loop.io(file, _READABLE)
        held.watcher.start(self._drop, held)  # the client has disconnected, or sends what nobody has asked for
        stream.connect(held)

    def close_all(self) -> None:
        """Close all connections and hold no others, since the worker stops."""
        self._accepts = False
        for responses in self._by_second:
            for held in list(responses):
                self._drop(held)

    # --- sending

    def enqueue(self, held: HeldResponse, data: bytes | None) -> None:
        """Have the event loop send bytes, or close the connection (None). May be called from any thread."""
        self._queue.append((held, data))
        self._wake.send()

    def _empty_queue(self) -> None:
        while self._queue:
            held, data = self._queue.popleft()
            if data is None:
                self._drop(held)
            else:
                self._send(held, data)

    def _send(self, held: HeldResponse, data: bytes) -> None:
        """Send bytes without waiting. If the client's buffer is full, it has not read for long: close."""
        if held.file is None:
            return
        try:
            is_sent = os.write(held.file, data) == len(data)
        except OSError:
            is_sent = False
        if not is_sent:
            self._drop(held)

    def _drop(self, held: HeldResponse) -> None:
        """Close a connection and its stream."""
        if held.file is None:
            return
        held.watcher.stop()
        held.watcher.close()
        with suppress(OSError):  # the client has reset the connection
            os.close(held.file)
        held.file = held.watcher = None
        self._by_second[held.second].discard(held)
        self._number -= 1
        if self._number == 0:
            self._timer.stop()
        held.stream.close()

    def _beat(self) -> None:
        """Send a heartbeat to those whose turn it is this second; end those that have been open for long."""
        self._now = (self._now + 1) % BEAT_SECONDS
        for held in list(self._by_second[self._now]):
            held.beats -= 1
            if held.beats:
                self._send(held, HEARTBEAT)
            else:
                self._drop(held)


def begin(response: Any, body: bytes) -> None:
    """Send the head and the first part of a response that has no length: it lasts until the connection is closed."""
    response.headers = [(name, value) for name, value in response.headers if name.lower() != "content-length"]
    response.response_length, response.chunked = None, False
    response.force_close()
    response.write(body)
