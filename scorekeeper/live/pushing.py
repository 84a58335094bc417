"""A thread that has updates of tables rendered, and sends them to the streams that take them.

Such a stream gets the update itself instead of the table's new number, which saves its page a request. Entries go
before: an update waits a moment while there are any. While there is more to render than time for it, a table's updates
are skipped for its newest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from threading import Condition
from typing import Any

from .hub import Hub
from .messages import REVISION, Message
from .threads import Background

_log = logging.getLogger(__name__)

LINGER_SECONDS = 60  # without an update, until the thread ends
MAX_WAIT = 0.25  # seconds that an update waits for entries

# Returns an update for each recipient who may have one, given the table's token, and the number of the last revision
# that their pages show.
Render = Callable[[str, int, Sequence[Any]], Mapping[Any, str]]


def build_event(before: int, number: int, update: str) -> bytes:
    """Return an update as a server-sent event: what the page must show, what it shows then, and the update."""
    return f"event: update\ndata: {before} {number} {update}\n\n".encode()


class Pusher:
    """Sends updates in the background. Of those not sent yet, it keeps the newest of each table."""

    def __init__(self, hub: Hub, render: Render) -> None:
        self._hub, self._render = hub, render
        self._waiting: dict[str, int] = {}  # by token: the revision before the first that has not been sent
        self._writes = 0  # requests that write, of those being answered
        self._changed = Condition()
        self._thread = Background("Updates of tables", self._work, lambda: bool(self._waiting))

    def push(self, token: str, before: int) -> None:
        """Send the table's newest update soon; `before` is the last revision that its streams were sent."""
        with self._changed:
            self._waiting.setdefault(token, before)
            self._changed.notify_all()
        self._thread.start()

    def begin_write(self) -> None:
        """Note that a request that writes is being answered."""
        with self._changed:
            self._writes += 1

    def end_write(self) -> None:
        """Note that such a request has been answered."""
        with self._changed:
            self._writes -= 1
            self._changed.notify_all()

    def stop(self) -> None:
        """End the thread. Pages ask for what was not sent when they open their streams again."""
        self._thread.ask_to_stop()
        with self._changed:
            self._changed.notify_all()
        self._thread.stop()

    def _work(self) -> None:
        """Send updates as they come, until there have been none for a while."""
        while (waiting := self._take()) is not None:
            self._send(*waiting)

    def _take(self) -> tuple[str, int] | None:
        """Wait for a table with an update, and take it; None if there is none for a while, or the thread is to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._thread.is_stopping, LINGER_SECONDS)
            self._changed.wait_for(lambda: not self._writes or self._thread.is_stopping, MAX_WAIT)
            if self._thread.is_stopping:
                self._waiting.clear()
            token = next(iter(self._waiting), None)
            return None if token is None else (token, self._waiting.pop(token))

    def _send(self, token: str, before: int) -> None:
        """Send an update to each stream that takes one, or the number if it gets none: its page asks then."""
        number, streams = self._hub.takers(token)
        updates: Mapping[Any, str] = {}
        try:
            updates = self._render(token, before, [stream.recipient for stream in streams])
        except Exception:
            _log.exception("An update cannot be rendered")  # the pages ask for it then, and get an error
        events = {recipient: build_event(before, number, update) for recipient, update in updates.items()}
        asked = Message(REVISION, token, number).as_event()
        self._hub.send_to(streams, lambda stream: events.get(stream.recipient, asked))
