"""A thread that sends messages to where other streams are held."""

from __future__ import annotations

import atexit
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from threading import Condition

from .messages import Message
from .threads import Background

FLUSH_SECONDS = 2  # that a process waits at its end until its messages are sent
LINGER_SECONDS = 60  # without anything to send, until a connection is closed


class Sender(ABC):
    """Sends messages in the background. Of those not sent yet, it keeps the newest number of each event and topic."""

    def __init__(self, name: str) -> None:
        """`name`: what the thread is called in the log."""
        self._waiting: dict[tuple[str, str], int] = {}
        self._is_sending = False
        self._is_registered = False  # whether the process waits for it at its end
        self._changed = Condition()
        self._thread = Background(name, self._work, self._has_work)

    @abstractmethod
    def _work(self) -> None:
        """Send messages as they come, until there have been none for a while.

        Messages come from `_take`; then call either `_end_sending`, or `_put_back` for those that could not be sent.
        """

    def publish(self, messages: Sequence[Message]) -> None:
        """Send messages soon."""
        with self._changed:
            self._add(messages)
            self._changed.notify_all()
            if not self._is_registered:
                self._is_registered = True
                atexit.register(self.flush)
        self._thread.start()

    def flush(self) -> None:
        """Wait a moment until everything is sent."""
        with self._changed:
            self._changed.wait_for(lambda: not self._has_work(), FLUSH_SECONDS)

    def stop(self) -> None:
        """Send what is left, and end the thread."""
        atexit.unregister(self.flush)
        self._is_registered = False
        self.flush()
        self._thread.ask_to_stop()
        with self._changed:
            self._changed.notify_all()
        self._thread.stop()

    def _add(self, messages: Iterable[Message]) -> None:
        for event, topic, number in messages:
            self._waiting[event, topic] = max(number, self._waiting.get((event, topic), 0))

    def _has_work(self) -> bool:
        return bool(self._waiting) or self._is_sending

    def _take(self) -> list[Message]:
        """Wait for messages, and take them; none if there are none for a while, or the thread is to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._thread.is_stopping, LINGER_SECONDS)
            messages = [Message(event, topic, number) for (event, topic), number in self._waiting.items()]
            self._waiting.clear()
            self._is_sending = bool(messages)
            return messages

    def _put_back(self, messages: Iterable[Message]) -> None:
        with self._changed:
            self._add(messages)
            self._is_sending = False

    def _end_sending(self) -> None:
        with self._changed:
            self._is_sending = False
            self._changed.notify_all()
