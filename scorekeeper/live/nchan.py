"""nginx with the module nchan, which holds the streams of a large site: docs/hosting.md.

A stream of a table follows three channels: one for each kind of message about it, which keeps the newest one for
streams that are opened later, and one of its circle and one of access to the
table, which end all their streams when they are deleted. A stream of an
event follows one kind of message, and its circle. Several servers publish independently, so an older number may come
last: to a page it is one that differs from its own, so it asks what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from threading import Timer

from .messages import ACCESS, Message
from .sending import Sender

TIMEOUT = 2  # seconds, for nginx to answer
# A browser whose access has ended may have been allowed to follow a moment before, and be about to. So the streams of
# its circle are ended once more after so many seconds.
AGAIN_SECONDS = 1.0

# 202: nobody follows. 404: a configuration of nginx from before there was this kind of message; pages poll.
_PUBLISHED = {201, 202, 404}
_DELETED = {200, 404}  # 404: nobody follows


def redirect_to(table: str, circle: str) -> str:
    """Return the address inside nginx where a browser that has access to a table follows it."""
    return f"/nchan/{circle}/{table}"


def redirect_to_event(kind: str, event: str, circle: str) -> str:
    """Return the address inside nginx where a browser that has access to an event follows one kind of message."""
    return f"/nchan/{circle}/{kind}/{event}"


class Endpoint:
    """Where one nginx takes messages: its host, port and path, without a slash at its end."""

    def __init__(self, host: str, port: int, path: str = "") -> None:
        self.host, self.port, self.path = host, port, path

    def connect(self) -> HTTPConnection:
        """Return a connection, which is opened by the first request."""
        return HTTPConnection(self.host, self.port, timeout=TIMEOUT)

    def is_reachable(self) -> bool:
        """Return whether something accepts connections there."""
        connection = self.connect()
        with closing(connection):
            try:
                connection.connect()
            except OSError:
                return False
        return True

    def send(self, connection: HTTPConnection, message: Message) -> None:
        """Publish a message; that access may have ended deletes a channel. Raises an error if it fails."""
        is_end = message.event == ACCESS
        connection.request(
            "DELETE" if is_end else "POST",
            f"{self.path}/{message.event}/{message.topic}",
            body=None if is_end else str(message.number),
            headers={} if is_end else {"X-EventSource-Event": message.event},
        )
        response = connection.getresponse()
        response.read()
        if response.status not in (_DELETED if is_end else _PUBLISHED):
            raise HTTPException(f"{self.host}:{self.port} answers {response.status} to {message.event}")


class NchanPublisher(Sender):
    """Sends each message to the first nginx that takes it. All share one Redis, so all of them know it then."""

    holds_streams = True

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        super().__init__("Messages to nginx")
        self._endpoints = list(endpoints)  # the one that has worked last is the first

    def publish(self, messages: Sequence[Message]) -> None:
        """Send messages soon, and those that access may have ended a second time."""
        super().publish(messages)
        ends = [message for message in messages if message.event == ACCESS]
        if ends:
            again = Timer(AGAIN_SECONDS, super().publish, [ends])
            again.daemon = True
            again.start()

    def _work(self) -> None:
        """Send messages as they come, until there have been none for a while."""
        for _ in self._endpoints[1:]:
            try:
                self._send_to(self._endpoints[0])
            except (OSError, HTTPException):
                self._endpoints.append(self._endpoints.pop(0))
            else:
                return
        self._send_to(self._endpoints[0])

    def _send_to(self, endpoint: Endpoint) -> None:
        with closing(endpoint.connect()) as connection:
            has_sent = False
            while messages := self._take():
                try:
                    while messages:
                        endpoint.send(connection, messages[0])
                        messages.pop(0)
                        has_sent = True
                except Exception:
                    self._put_back(messages)
                    if has_sent:
                        return  # nginx closes a connection after a while: try another one at once
                    raise
                self._thread.succeed()
                self._end_sending()
