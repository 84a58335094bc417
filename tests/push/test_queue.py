"""The queue of jobs: in order, tried again, bounded, and at rest without any."""

from __future__ import annotations

import pytest

from scorekeeper.push import queue
from scorekeeper.push.queue import Queue


def test_jobs_are_done_in_order_and_one_that_fails_by_our_mistake_does_not_stop_the_others() -> None:
    done: list[int] = []

    def run(job: int) -> None:
        if job == 1:
            raise ValueError("a mistake")
        done.append(job)

    jobs: Queue[int] = Queue(run)
    jobs.add(range(4))
    jobs.flush()
    jobs.stop()
    assert (done, len(jobs)) == ([0, 2, 3], 0)


def test_a_job_is_tried_again_so_often_and_then_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "DELAYS", (0, 0, 0))
    tries: list[str] = []

    def run(job: str) -> int | None:
        tries.append(job)
        return 0 if job == "away" else None

    jobs: Queue[str] = Queue(run)
    jobs.add(["away", "well"])
    jobs.flush()
    jobs.stop()
    assert tries.count("away") == 4
    assert tries.count("well") == 1
