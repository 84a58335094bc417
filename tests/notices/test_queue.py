"""The queue of jobs: fair to each circle, tried again, bounded, and at rest without any."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from threading import Event

import pytest
from flask import Flask

from scorekeeper.notices import queue
from scorekeeper.notices.queue import Job, Queue


@pytest.fixture
def jobs(app: Flask) -> Iterator[Queue]:
    jobs = Queue(app)
    yield jobs
    jobs.stop()


def test_a_job_that_fails_by_our_mistake_is_logged_and_does_not_stop_the_others(
    jobs: Queue, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []

    def run(circle: str) -> None:
        if circle == "b":
            raise ValueError("a mistake")
        done.append(circle)

    jobs.add(Job(circle, circle, partial(run, circle)) for circle in "abcd")
    jobs.flush()
    assert (sorted(done), len(jobs)) == (["a", "c", "d"], 0)
    assert 'raise ValueError("a mistake")' in caplog.text


def test_a_job_is_tried_again_so_often_and_then_given_up(jobs: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "DELAYS", (0, 0, 0))
    tries: list[str] = []

    def run(circle: str) -> int | None:
        tries.append(circle)
        return 0 if circle == "away" else None

    jobs.add(Job(circle, circle, partial(run, circle)) for circle in ("away", "well"))
    jobs.flush()
    assert tries.count("away") == 4
    assert tries.count("well") == 1


def test_services_that_never_answer_cost_other_circles_nothing(jobs: Queue) -> None:
    answered, done = Event(), list[str]()

    def wait() -> None:
        answered.wait(20)

    for number in range(60):
        circles = ("deaf", f"deaf too {number}")
        jobs.add(Job(circle, (circle, number), wait, "deaf.example") for circle in circles)
    for number in range(20):
        circle = f"well {number}"
        jobs.add([Job(circle, circle, partial(done.append, circle), "push.example")])
    began = time.monotonic()
    while len(done) < 20:
        assert time.monotonic() - began < 5, done
        time.sleep(0.01)
    answered.set()


def test_a_newer_job_about_the_same_takes_the_place_of_one_that_waits(jobs: Queue) -> None:
    begun, go_on, sent = Event(), Event(), list[str]()

    def run(text: str) -> None:
        begun.set()
        go_on.wait(20)
        sent.append(text)

    jobs.add([Job("a", "first", partial(run, "first"))])
    begun.wait(20)
    jobs.add(Job("a", "changed", partial(run, f"{number}")) for number in range(60))
    go_on.set()
    jobs.flush()
    assert sent == ["first", "59"]
