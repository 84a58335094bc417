"""PostgreSQL's LISTEN and NOTIFY between the processes of a site.

A NOTIFY takes a lock of the whole server when its transaction commits. So it is never part of an entry's transaction:
a thread sends what has been committed, on a connection of its own. A message that is lost, since the server has gone
away, is made good by reading everything that is followed after listening again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from time import monotonic
from typing import Any

from .hub import Hub
from .messages import Message
from .reading import Reader
from .sending import LINGER_SECONDS, Sender
from .threads import Background

CHANNEL = "scorekeeper_live"
MAX_PAYLOAD = 7_900  # bytes of messages; PostgreSQL allows 7,999 for a notification
LISTEN_SECONDS = 0.2  # until the listening thread looks whether it is to stop

Connect = Callable[[], Any]  # returns a psycopg connection that commits each statement


class Notifier(Sender):
    """The publisher that sends messages to the site's other processes."""

    holds_streams = False

    def __init__(self, connect: Connect) -> None:
        super().__init__("Messages to other processes")
        self._connect = connect
        self.name = secrets.token_urlsafe(6)  # first line of its notifications, by which this process knows its own

    def _work(self) -> None:
        """Send messages as they come, until there have been none for a while."""
        with closing(self._connect()) as connection:
            connection.execute("SET synchronous_commit TO off")  # there is nothing to keep
            has_sent = False
            while messages := self._take():
                try:
                    for payload in payloads(messages):
                        connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, f"{self.name}\n{payload}"))
                except Exception:
                    self._put_back(messages)
                    if has_sent:
                        return  # the connection was closed while it was idle: try another one at once
                    raise
                has_sent = True
                self._thread.succeed()
                self._end_sending()


class NotificationListener:
    """A thread that publishes the messages of other processes in this one, while it has streams."""

    def __init__(self, connect: Connect, hub: Hub, reader: Reader, own: str) -> None:
        """`own`: the name of this process's notifier, whose messages the hub has had already."""
        self._connect, self._hub, self._reader, self._own = connect, hub, reader, own
        self._thread = Background("Messages of other processes", self._listen, lambda: bool(hub.streams()))

    def start(self) -> None:
        """Start listening, unless it has been started."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening."""
        self._thread.stop()

    def _listen(self) -> None:
        """Listen until there has been no stream for a while."""
        with closing(self._connect()) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            self._reader.read_numbers()
            is_complete = self._reader.read_access()
            self._thread.succeed()
            used_at = monotonic()
            while not self._thread.is_stopping and monotonic() < used_at + LINGER_SECONDS:
                for notification in connection.notifies(timeout=LISTEN_SECONDS):
                    sender, _, messages = notification.payload.partition("\n")
                    if sender != self._own:
                        self._hub.publish(parse(messages))
                is_complete = is_complete or self._reader.read_access()
                if len(self._hub):
                    used_at = monotonic()


def payloads(messages: Iterable[Message]) -> Iterator[str]:
    """Yield messages as texts that are short enough for a notification: a line for each message."""
    lines: list[str] = []
    size = 0
    for message in messages:
        line = f"{message.event} {message.topic} {message.number}"
        if lines and size + len(line) + 1 > MAX_PAYLOAD:
            yield "\n".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    if lines:
        yield "\n".join(lines)


def parse(payload: str) -> Iterator[Message]:
    """Yield the messages of a notification; pass over what is none, such as those of another version."""
    for line in payload.splitlines():
        parts = line.split(" ")
        if len(parts) == len(Message._fields) and parts[2].isdecimal() and parts[2].isascii():
            yield Message(parts[0], parts[1], int(parts[2]))
