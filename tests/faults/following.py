"""Followers of tables at real servers: hundreds of them in one thread."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from selectors import EVENT_READ, DefaultSelector

from .phones import Phone

PATIENCE = 60  # seconds, on a busy machine
_REVISION = re.compile(rb"event: revision\ndata: (\d+)\n\n")


class Follower:
    """A phone that follows a table, and what it has been sent."""

    def __init__(self, phone: Phone, table: str, version: str, query: str = "") -> None:
        self.sent = b""
        self.is_closed = False
        self.socket = socket.create_connection(("127.0.0.1", int(phone.url.rpartition(":")[2])), PATIENCE)
        request = f"GET {table}stream{query} HTTP/{version}\r\nHost: 127.0.0.1\r\nCookie: {phone.cookie()}\r\n\r\n"
        self.socket.sendall(request.encode())

    @property
    def status(self) -> int:
        """The status of the answer; 0 before it has arrived."""
        return int(self.sent.split(maxsplit=2)[1]) if b"\r\n\r\n" in self.sent else 0

    @property
    def is_open(self) -> bool:
        """Whether it follows, or may do so soon."""
        return not self.is_closed and self.status in (0, 200)

    @property
    def head(self) -> str:
        return self.sent.partition(b"\r\n\r\n")[0].decode()

    @property
    def numbers(self) -> list[int]:
        """The numbers of revisions that have been sent."""
        return [int(number) for number in _REVISION.findall(self.sent)]

    @property
    def last(self) -> int:
        return max(self.numbers, default=-1)

    def read(self) -> None:
        try:
            piece = self.socket.recv(1 << 16)
        except ConnectionResetError:
            piece = b""
        self.sent += piece
        self.is_closed = not piece


class Followers:
    """Followers that are read together."""

    def __init__(self) -> None:
        self.all: list[Follower] = []
        self._selector = DefaultSelector()

    def add(self, phone: Phone, table: str, version: str = "1.1", query: str = "") -> Follower:
        follower = Follower(phone, table, version, query)
        self.all.append(follower)
        self._selector.register(follower.socket, EVENT_READ, follower)
        return follower

    def read_until(self, is_so: Callable[[], bool]) -> None:
        """Read what is sent until something is so; fail if it never is."""
        ends = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < ends, [follower.sent[-60:] for follower in self.all]
            for key, _ in self._selector.select(0.05):
                key.data.read()
                if key.data.is_closed:
                    self._selector.unregister(key.fileobj)

    def wait_for(self, number: int) -> None:
        """Read until all that are not closed, nor refused, know a number."""
        self.read_until(lambda: all(follower.last >= number for follower in self.all if follower.is_open))

    def close(self, follower: Follower) -> None:
        """Have a follower disconnect."""
        self._selector.unregister(follower.socket)
        follower.socket.close()

    def close_all(self) -> None:
        self._selector.close()
        for follower in self.all:
            follower.socket.close()


@contextmanager
def following() -> Iterator[Followers]:
    followers = Followers()
    try:
        yield followers
    finally:
        followers.close_all()
