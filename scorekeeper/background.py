"""Threads in the background that start when they are needed, and begin again after any error."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread

RETRY_SECONDS = 1  # after an error: the database may be away for a while

_log = logging.getLogger(__name__)


class Background:
    """A thread that calls `work` again and again as long as there is something to do.

    It does not keep the process from ending. Its first error is logged, and the next one after it has succeeded again.
    """

    def __init__(self, name: str, work: Callable[[], None], is_needed: Callable[[], bool]) -> None:
        self._name, self._work, self._is_needed = name, work, is_needed
        self._lock = Lock()
        self._stopping = Event()
        self._thread: Thread | None = None
        self._is_failing = False

    def start(self) -> None:
        """Start the thread, unless it runs. Call this after a change that makes it needed."""
        with self._lock:
            if self._thread is None:
                self._stopping.clear()
                self._thread = Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    @property
    def is_stopping(self) -> bool:
        """Whether the thread is to stop."""
        return self._stopping.is_set()

    def ask_to_stop(self) -> None:
        """Have the thread stop as soon as it notices."""
        self._stopping.set()

    def stop(self) -> None:
        """Stop the thread, and wait for its end. It may be started again."""
        self.ask_to_stop()
        thread = self._thread
        if thread is not None:
            thread.join()

    def wait(self, seconds: float) -> bool:
        """Wait; return True if the thread is to stop, at once."""
        return self._stopping.wait(seconds)

    def succeed(self) -> None:
        """Note that the work succeeds; called by `work`."""
        if self._is_failing:
            _log.warning("%s: it works again", self._name)
        self._is_failing = False

    def _run(self) -> None:
        while not self._ends():
            try:
                self._work()
            except Exception as error:
                if not self._is_failing:
                    first_line = str(error).partition("\n")[0]
                    _log.warning("%s: %s: %s; it tries again", self._name, type(error).__name__, first_line)
                self._is_failing = True
                self.wait(RETRY_SECONDS)

    def _ends(self) -> bool:
        with self._lock:  # so that a start at the same time either finds the thread working or starts another one
            if not self._stopping.is_set() and self._is_needed():
                return False
            self._thread = None
            return True
