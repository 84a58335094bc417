"""The queue of jobs: in order, tried again, bounded, and at rest without any."""

from __future__ import annotations

import logging
from threading import Event

import pytest

from scorekeeper.push import queue
from scorekeeper.push.queue import Queue


def test_jobs_are_done_in_order_and_one_that_fails_by_our_mistake_does_not_stop_the_others() -> None:
    done: list[int] = []

    def run(job: int) -> None:
        if job == 1:
            raise ValueError("a mistake")
        done.append(job)

    jobs: Queue[int] = Queue("Test", run)
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

    jobs: Queue[str] = Queue("Test", run)
    jobs.add(["away", "well"])
    jobs.flush()
    jobs.stop()
    assert tries.count("away") == 4
    assert tries.count("well") == 1


def test_what_a_service_asks_to_wait_is_waited_and_others_go_on() -> None:
    done: list[int] = []

    def run(job: int) -> int | None:
        done.append(job)
        return 500 if job == 0 else None

    jobs: Queue[int] = Queue("Test", run)
    jobs.add([0, 1])
    jobs.flush()
    assert (done, len(jobs)) == ([0, 1], 1)
    jobs.stop()


def test_beyond_its_bound_jobs_are_dropped_and_the_log_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(queue, "MAX_WAITING", 3)
    go, done = Event(), list[int]()

    def run(job: int) -> None:
        go.wait(10)
        done.append(job)

    jobs: Queue[int] = Queue("Test", run)
    with caplog.at_level(logging.WARNING):
        jobs.add([0])
        while len(jobs) != 1 or jobs._waiting:
            pass  # until the first is being done
        jobs.add(range(1, 9))
    go.set()
    jobs.flush()
    jobs.stop()
    assert done == [0, 1, 2, 3]
    assert len([record for record in caplog.records if "further ones are dropped" in record.message]) == 1
