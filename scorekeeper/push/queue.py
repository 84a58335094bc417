"""A bounded queue of jobs, worked off by one thread, which tries again later what did not succeed."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count
from threading import Condition, Thread
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import bindparam, event, exists, select

from ..models import NoticeSubscription, db

# What each is about is declared in services/notices.py.
TURN, TABLE, PAYMENT, EVENING = "turn", "table", "payment", "evening"

_ANNOUNCED = "announced_occasions"  # key of a session's `info`
_HAS_SUBSCRIPTIONS = select(exists().where(NoticeSubscription.circle_id == bindparam("circle")))


class Occasion(NamedTuple):
    """Something of a circle that some of its people may want to hear of.

    Attributes:
        kind: of notice, as above.
        subject: what it is about, by a token or a number; as the kind has it.
        browser_id: of the phone that did it, which gets no notice.
    """

    kind: str
    circle_id: int
    subject: tuple[str | int, ...]
    browser_id: int | None = None


def notify(occasion: Occasion) -> None:
    """Have notices sent once the current transaction is committed, if any phone of the circle wants some."""
    if db.session.scalar(_HAS_SUBSCRIPTIONS, {"circle": occasion.circle_id}):
        db.session().info.setdefault(_ANNOUNCED, []).append(occasion)


def take_announced(session: Any) -> list[Occasion]:
    announced: list[Occasion] = session.info.pop(_ANNOUNCED, [])
    return announced


event.listen(db.session, "after_rollback", take_announced)


MAX_WAITING = 5_000  # jobs: a round of a thousand players, five times
DELAYS = (5, 30, 120, 600)  # seconds before each further try
FLUSH_SECONDS = 2  # that a process waits at its end until what is due is done

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Queue(Generic[T]):
    """Jobs for one thread, which is started with the first and does not keep the process from ending.

    `run` does a job. It returns after how many seconds to try it again, at the earliest; None when it is done. After
    the last of `DELAYS` a job is given up.
    """

    def __init__(self, run: Callable[[T], int | None]) -> None:
        self._run = run
        self._waiting: list[tuple[float, int, int, T]] = []  # when it is due, its number, the tries so far, the job
        self._numbers = count()
        self._is_working = False
        self._is_stopping = False
        self._changed = Condition()
        self._thread: Thread | None = None

    def add(self, jobs: Iterable[T]) -> None:
        """Have jobs done soon. Those for which there is no room are dropped, which the log says."""
        with self._changed:
            jobs = [*jobs]
            room = MAX_WAITING - len(self._waiting)
            for job in jobs[:room]:
                heappush(self._waiting, (monotonic(), next(self._numbers), 0, job))
            if len(jobs) > room:
                _log.warning("Notices: %s are waiting; further ones are dropped", MAX_WAITING)
            self._changed.notify_all()
            if self._thread is None:
                self._thread = Thread(target=self._work, name="Notices", daemon=True)
                self._thread.start()
                atexit.register(self.flush)

    def __len__(self) -> int:
        return len(self._waiting) + self._is_working

    def flush(self, seconds: int = FLUSH_SECONDS) -> None:
        """Wait a moment until everything that is due is done."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_working and self._seconds_to_next() > 0, seconds)

    def stop(self) -> None:
        """Do what is due, and end the thread."""
        atexit.unregister(self.flush)
        self.flush()
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _seconds_to_next(self) -> float:
        return self._waiting[0][0] - monotonic() if self._waiting else float("inf")

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            tries, job = taken
            wait: int | None = None
            try:
                wait = self._run(job)
            except Exception as error:  # by a mistake of ours, or the database is away: it is not tried again
                _log.warning("Notices: %s: %s", type(error).__name__, str(error).partition("\n")[0])
            with self._changed:
                self._is_working = False
                if wait is not None and tries < len(DELAYS):
                    due = monotonic() + max(wait, DELAYS[tries])
                    heappush(self._waiting, (due, next(self._numbers), tries + 1, job))
                self._changed.notify_all()

    def _take(self) -> tuple[int, T] | None:
        """Wait for the next job that is due; None if the thread is to stop."""
        with self._changed:
            while not self._is_stopping:
                seconds = self._seconds_to_next()
                if seconds <= 0:
                    _, _, tries, job = heappop(self._waiting)
                    self._is_working = True
                    return tries, job
                self._changed.wait(seconds if self._waiting else None)
        return None
