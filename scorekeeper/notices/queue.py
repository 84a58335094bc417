"""Jobs that wait in memory, worked off by a few threads: fair to each circle, and tried again if they did not succeed.

What waits names everything by random tokens: a row may be gone when its turn comes, and its id be another one's.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Condition, Thread
from time import monotonic
from typing import NamedTuple

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

THREADS = 4
MAX_AT_HOST = 2  # jobs at once: a push service that never answers leaves threads to the others
MAX_WAITING = 1_200  # jobs of a circle: a round of a thousand players
MAX_WAITING_IN_ALL = 6_000
DELAYS = (5, 30, 120, 600)  # seconds before each further try
FLUSH_SECONDS = 2  # that a process waits at its end until what is due is done

_log = logging.getLogger(__name__)


class Job(NamedTuple):
    circle: str
    key: object  # a newer job with this key takes its place
    run: Callable[[], int | None]  # returns after how many seconds to try again, at the earliest; None when it is done
    host: str = ""  # of the push service that it asks, if any


@dataclass
class _Waiting:
    job: Job
    due: float
    tries: int = 0


class Queue:
    """Of each circle one job is done at a time. After the last of `DELAYS` a job is given up."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._waiting: dict[object, _Waiting] = {}  # by the keys of the jobs
        self._busy: dict[str, Job] = {}  # what is being done, by circle
        self._is_stopping = False
        self._changed = Condition()
        self._threads: list[Thread] = []

    def add(self, jobs: Iterable[Job]) -> None:
        """Have jobs done soon. Those without room are dropped."""
        with self._changed:
            of_circle = Counter(each.job.circle for each in self._waiting.values())
            for job in jobs:
                if job.key not in self._waiting:
                    if of_circle[job.circle] >= MAX_WAITING or len(self) >= MAX_WAITING_IN_ALL:
                        _log.warning("Notices: too many are waiting; further ones are dropped")
                        break
                    of_circle[job.circle] += 1
                self._waiting[job.key] = _Waiting(job, monotonic())
            if not self._threads:
                self._threads = [Thread(target=self._work, name="Notices", daemon=True) for _ in range(THREADS)]
                for thread in self._threads:
                    thread.start()
            self._changed.notify_all()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._busy)

    def flush(self, seconds: int = FLUSH_SECONDS) -> None:
        """Wait a moment until everything that is due is done."""
        with self._changed:
            self._changed.wait_for(lambda: not self._busy and self._seconds_to_next() > 0, seconds)

    def stop(self) -> None:
        self.flush()
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _seconds_to_next(self) -> float:
        return min((each.due for each in self._waiting.values()), default=float("inf")) - monotonic()

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            wait: int | None = None
            try:
                with self._app.app_context():  # has a session of its own, which it removes
                    wait = taken.job.run()
            except SQLAlchemyError as error:  # the database is away; further lines would have a statement's values
                _log.warning("Notices: %s: %s", type(error).__name__, str(error).partition("\n")[0])
            except Exception:  # a mistake of ours: it is not tried again
                _log.exception("Notices: a job failed")
            with self._changed:
                del self._busy[taken.job.circle]
                if wait is not None and taken.tries < len(DELAYS):
                    taken.due = monotonic() + max(wait, DELAYS[taken.tries])
                    taken.tries += 1
                    self._waiting.setdefault(taken.job.key, taken)
                self._changed.notify_all()

    def _take(self) -> _Waiting | None:
        """Wait for the next job that may be done; None if the thread is to stop."""
        with self._changed:
            while not self._is_stopping:
                if (found := self._find_next()) is not None:
                    del self._waiting[found.job.key]
                    self._busy[found.job.circle] = found.job
                    return found
                seconds = self._seconds_to_next()
                self._changed.wait(seconds if 0 < seconds < float("inf") else None)
        return None

    def _find_next(self) -> _Waiting | None:
        hosts, moment = Counter(job.host for job in self._busy.values() if job.host), monotonic()
        for each in self._waiting.values():
            is_free = each.job.circle not in self._busy and hosts[each.job.host] < MAX_AT_HOST
            if each.due <= moment and is_free:
                return each
        return None
