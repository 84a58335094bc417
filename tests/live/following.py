"""Followers of a table, in this process."""

from __future__ import annotations

import re
from threading import Condition
from typing import Any

from scorekeeper.live.hub import HOLD, Stream

from ..visitor import Visitor

PATIENCE = 20  # seconds, on a busy machine


class Follower:
    """A connection that keeps what is sent, from any thread."""

    def __init__(self, stream: Stream, begin: bytes = b"") -> None:
        self.sent, self.is_closed = begin, False
        self._changed = Condition()
        stream.connect(self)

    def send(self, data: bytes) -> None:
        with self._changed:
            self.sent += data
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()

    def numbers(self, event: str = "revision") -> list[int]:
        return [int(number) for number in re.findall(rf"event: {event}\ndata: (\d+)\n\n", self.sent.decode())]

    def wait_for(self, number: int, event: str = "revision") -> None:
        """Wait until a number has been sent."""
        with self._changed:
            assert self._changed.wait_for(lambda: number in self.numbers(event), PATIENCE), self.sent

    def wait_until_closed(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.is_closed, PATIENCE)


def follow(visitor: Visitor, table: str) -> Follower:
    """Follow the table with this path, as from a server that can hold streams."""
    held: list[Stream] = []
    environ: dict[str, Any] = {HOLD: held.append}
    answer = visitor.client.get(f"{table}stream", environ_overrides=environ)
    assert answer.status_code == 200
    return Follower(held[0], answer.data)
