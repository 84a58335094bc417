"""The live updates of one app: its hub of streams, and where it publishes messages besides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from .hub import Hub
from .messages import Message


class Publisher(Protocol):
    """Carries messages to where other streams are held: other processes of the app, or a proxy.

    Attributes:
        holds_streams: whether it leads to a proxy that holds the streams in the app's place.
    """

    holds_streams: bool

    def publish(self, messages: Sequence[Message]) -> None:
        """Publish messages of a committed transaction. Returns at once, and raises nothing if it fails."""


class Bridge(Protocol):
    """A thread, or several, between this process and others."""

    def stop(self) -> None:
        """Send what is left, and stop the threads. They start again when they are needed."""


class LiveUpdates:
    """An app's live updates.

    Attributes:
        hub: the streams that this process holds.
        publishers: where messages are published besides.
        bridges: what has to be stopped at the end.
    """

    def __init__(self, publishers: Iterable[Publisher] = ()) -> None:
        self.hub = Hub()
        self.publishers = tuple(publishers)
        self.bridges: tuple[Bridge, ...] = ()

    def publish(self, messages: Sequence[Message]) -> None:
        """Publish the messages of a committed transaction."""
        self.hub.publish(messages)
        for publisher in self.publishers:
            publisher.publish(messages)

    def close(self) -> None:
        """Close all streams and stop all threads."""
        self.hub.close_all()
        for bridge in self.bridges:
            bridge.stop()
