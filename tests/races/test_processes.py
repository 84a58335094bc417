"""Writes by several processes on one database, and by processes that are killed at any statement."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from .conftest import TIMES
from .interleaving import AFTER_COMMIT, Outcome, count_statements
from .judging import Judge, Sent
from .processes import Process, processes
from .sending import Requests, Write
from .writes import WRITES

ONCE = [pytest.param(write, id=write.title) for write in WRITES if not write.may_be_repeated]
AT_THE_SAME_MOMENT = 50 * TIMES  # pairs


@pytest.fixture(scope="module")
def two_processes(requests: Requests) -> Iterator[list[Process]]:
    with processes(requests.world, 2) as started:
        yield started


@pytest.fixture(scope="module")
def process(requests: Requests) -> Iterator[Process]:
    """A process that has answered nothing itself, only its forks have: it has no table in its cache.

    With one, a request needs fewer statements than were counted.
    """
    with processes(requests.world, 1) as (started,):
        yield started


def test_writes_of_two_processes_equal_the_same_writes_in_sequence(judge: Judge, two_processes: list[Process]) -> None:
    rng = Random(1765)  # noqa: S311  # nothing secret
    faults = []
    for one, other in rng.choices(list(product(WRITES, repeat=2)), k=AT_THE_SAME_MOMENT):
        sent = Sent(one, judge.requests.of(one, 1)), Sent(other, judge.requests.of(other, 2))
        judge.world.reset()
        for process, (_, request) in zip(two_processes, sent, strict=True):
            process.start(request)
        outcome = Outcome(two_processes[0].finish(), two_processes[1].finish())
        for process in two_processes:
            process.disconnect()
        faults += [f"{one.title} / {other.title}: {fault}" for fault in judge.faults(outcome, *sent)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("write", ONCE)
def test_a_write_killed_at_any_statement_and_sent_again_is_done_once(
    judge: Judge, process: Process, some: slice, write: Write
) -> None:
    sent = Sent(write, judge.requests.of(write, 1))
    once = judge.state_after(sent)
    points = (*range(1, count_statements(judge.world, sent.request) + 1)[some], AFTER_COMMIT)
    for point in points:
        judge.world.reset()
        reached = process.is_killed(sent.request, point)
        assert reached or point == AFTER_COMMIT, point
        assert not judge.integrity_faults(), point
        sent.request.send(judge.world)
        assert judge.state(sent) == once, point
        assert not judge.integrity_faults(), point
