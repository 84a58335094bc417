"""The queue of jobs: fair to each circle, tried again, bounded, and at rest without any."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from threading import Event

import pytest

from scorekeeper.notices import queue
from scorekeeper.notices.queue import Delivery, Job, Queue

Start = Callable[[Callable[[Job], int | None]], Queue]


@pytest.fixture
def start() -> Iterator[Start]:
    queues: list[Queue] = []

    def make(run: Callable[[Job], int | None]) -> Queue:
        queues.append(Queue(run))
        return queues[-1]

    yield make
    for each in queues:
        each.stop()


def job(circle: str, tag: str = "", host: str = "push.example", text: bytes = b"") -> Delivery:
    return Delivery("turn", circle, f"phone of {circle}", host, tag, text, time.monotonic() + 60)


def test_a_job_that_fails_by_our_mistake_does_not_stop_the_others(start: Start) -> None:
    done: list[str] = []

    def run(each: Job) -> None:
        if each.circle == "b":
            raise ValueError("a mistake")
        done.append(each.circle)

    jobs = start(run)
    jobs.add(map(job, "abcd"))
    jobs.flush()
    assert (sorted(done), len(jobs)) == (["a", "c", "d"], 0)


def test_a_job_is_tried_again_so_often_and_then_given_up(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "DELAYS", (0, 0, 0))
    tries: list[str] = []

    def run(each: Job) -> int | None:
        tries.append(each.circle)
        return 0 if each.circle == "away" else None

    jobs = start(run)
    jobs.add([job("away"), job("well")])
    jobs.flush()
    assert tries.count("away") == 4
    assert tries.count("well") == 1


def test_services_that_never_answer_cost_other_circles_nothing(start: Start) -> None:
    answered, done = Event(), list[str]()

    def run(each: Job) -> None:
        if each.host == "deaf.example":
            answered.wait(20)
        done.append(each.circle)

    jobs = start(run)
    for number in range(60):
        jobs.add([job("deaf", f"{number}", "deaf.example"), job(f"deaf too {number}", host="deaf.example")])
    jobs.add(job(f"well {number}") for number in range(20))
    began = time.monotonic()
    while len(done) < 20:
        assert time.monotonic() - began < 5, done
        time.sleep(0.01)
    assert all(circle.startswith("well") for circle in done)
    answered.set()


def test_a_newer_job_about_the_same_takes_the_place_of_one_that_waits(start: Start) -> None:
    begun, go_on, sent = Event(), Event(), list[bytes]()

    def run(each: Job) -> None:
        begun.set()
        go_on.wait(20)
        assert isinstance(each, Delivery)
        sent.append(each.text)

    jobs = start(run)
    jobs.add([job("a", "first")])
    begun.wait(20)
    jobs.add(job("a", "changed", text=b"%d" % number) for number in range(60))
    go_on.set()
    jobs.flush()
    assert sent == [b"", b"59"]
