"""A phone's stream of live updates, as its page's script reads it."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Queue
from threading import Thread

from .visitor import Visitor

SECOND = 1.0


class Follower:
    """A stream in a thread, until it ends."""

    def __init__(self, visitor: Visitor, path: str) -> None:
        self.response = visitor.client.get(path, buffered=False)
        assert self.response.status_code == 200
        self._heard = Queue[bytes]()
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()
        assert self.is_notified()  # the first comes at once

    def _read(self) -> None:
        for event in self.response.response:
            self._heard.put(event.encode() if isinstance(event, str) else event)
        self._heard.put(b"")

    def is_notified(self, seconds: float = SECOND) -> bool:
        """Whether the stream says within this time that something has changed."""
        with suppress(Empty):
            while (event := self._heard.get(timeout=seconds)) != b"":
                if event == b"data: changed\n\n":
                    return True
        return False

    def ends(self) -> bool:
        """Whether the stream ends within a second."""
        self._thread.join(SECOND)
        return not self._thread.is_alive()
