"""The socket of a response that is being sent."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any, Protocol

from gevent.socket import socket as Socket  # noqa: N812  # a class, which the standard library writes small
from gevent.socket import wait_write

from ..live.hub import Stream

MAX_SEND_SECONDS = 60  # without any progress in sending a response


class Waiting(Protocol):
    """The worker."""

    def waiting_for(self, client: Socket, wait: Callable[[], None]) -> None:
        """Wait for a client."""


class Outgoing:
    """A socket that gives up on clients that do not read the response for `MAX_SEND_SECONDS`.

    Attributes:
        stream: the stream for which the response is to be held open, if the app wants it.
    """

    def __init__(self, sock: Socket, worker: Waiting) -> None:
        self._sock, self._worker = sock, worker
        self.stream: Stream | None = None

    def close_stream(self) -> None:
        """Close the stream, since there is no response for it."""
        if self.stream is not None:
            self.stream.close()
            self.stream = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def sendall(self, data: bytes) -> None:
        """Send all data. Raises ConnectionResetError on timeout, which gunicorn does not log as an error."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._sock.send(rest, 0, 0.0) :]
            except BlockingIOError:
                self._worker.waiting_for(self._sock, self._wait)

    def _wait(self) -> None:
        slow = ConnectionResetError(errno.ECONNRESET, "the client does not take its answer")
        wait_write(self._sock.fileno(), timeout=MAX_SEND_SECONDS, timeout_exc=slow)
