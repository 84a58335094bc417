"""Run every pair of writes on the same circle concurrently, but those that `may_meet` leaves out.

The first write of a pair is stopped when it has read everything and written nothing; the second is done; then the first
continues. There must be no error, `verify` must find no fault, and answers and stored data must be those of the two
writes in sequence, in one order or the other.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations_with_replacement
from random import Random

import pytest

from .conftest import TIMES
from .interleaving import AFTER_COMMIT, BEFORE_WRITING, Outcome, Point, count_statements, run, send_together
from .judging import Judge, Sent
from .sending import Requests, Write
from .writes import WRITES, may_meet

AT_THE_SAME_MOMENT = 30 * TIMES  # pairs that start at the same moment, without a fixed interleaving
MOST_POINTS = TIMES  # at which a request is interrupted; a sample event needs hundreds of statements

ERASE = next(write for write in WRITES if write.endpoint == "circles.erase")
ALL = [pytest.param(write, id=write.title) for write in WRITES]


@pytest.mark.parametrize("write", ALL)
def test_each_write_by_itself_is_done(requests: Requests, judge: Judge, write: Write) -> None:
    for variant in (1, 2):
        sent = Sent(write, requests.of(write, variant))
        requests.world.reset()
        before = judge.trace(sent)
        answer = sent.request.send(requests.world)
        assert answer.status_code in (200, 303), variant
        assert write.trace is None or judge.trace(sent) != before, variant


@pytest.mark.parametrize("write", ALL)
def test_two_concurrent_writes_equal_the_same_writes_in_sequence(judge: Judge, write: Write) -> None:
    faults = []
    for other in others_of(judge, write):
        faults += interleaved(judge, write, other, BEFORE_WRITING)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("write", ALL)
def test_a_circle_erased_after_any_statement_of_a_write_is_not_found(judge: Judge, some: slice, write: Write) -> None:
    statements = count_statements(judge.world, judge.requests.of(write, 1))
    faults = []
    points = range(1, statements + 1)[some]
    for point in (*points[:: 1 + len(points) // MOST_POINTS], AFTER_COMMIT):
        faults += interleaved(judge, write, ERASE, point)
    assert not faults, "\n".join(faults)


def test_writes_that_start_together_equal_the_same_writes_in_sequence(judge: Judge) -> None:
    pairs = list(combinations_with_replacement(WRITES, 2))
    rng = Random(1765)  # noqa: S311  # nothing secret
    faults = []
    for one, other in rng.choices(pairs, k=AT_THE_SAME_MOMENT):
        first, second = sent(judge, one, 1), sent(judge, other, 2)
        judge.world.reset()
        answers, logged = send_together(judge.world, first.request, second.request)
        outcome = Outcome(answers[0], answers[1], faults=logged)
        faults += [f"{one.title} / {other.title}: {fault}" for fault in judge.faults(outcome, first, second)]
    assert not faults, "\n".join(faults)


def others_of(judge: Judge, write: Write) -> list[Write]:
    """Return the writes to do while `write` waits.

    Each is tried with itself on both databases. They share the pairs of two writes to the same table: together they try
    each once, in one of its orders. With RACES, each database has every pair in both orders.
    """
    waiting, is_sqlite = WRITES.index(write), judge.world.store.is_sqlite
    return [
        other
        for number, other in enumerate(WRITES)
        if may_meet(write, other)
        and (
            TIMES > 1
            or number == waiting
            or (_is_tried(waiting, number, is_sqlite=is_sqlite) and _write_to_the_same(judge, write, other))
        )
    ]


def _is_tried(waiting: int, other: int, *, is_sqlite: bool) -> bool:
    """Return whether the tests of a database try this pair of numbers in this order."""
    share, order = (waiting + other) % 2, (waiting + other) // 2 % 2
    return share == int(is_sqlite) and (waiting < other) == bool(order)


def _write_to_the_same(judge: Judge, write: Write, other: Write) -> bool:
    return bool(judge.written_tables(write) & judge.written_tables(other))


def interleaved(judge: Judge, write: Write, other: Write, point: Point) -> list[str]:
    first, second = sent(judge, write, 1), sent(judge, other, 2)
    judge.world.reset()
    outcome = run(
        judge.world, partial(first.request.send, judge.world), partial(second.request.send, judge.world), point
    )
    return [f"{write.title} at {point} / {other.title}: {fault}" for fault in judge.faults(outcome, first, second)]


def sent(judge: Judge, write: Write, variant: int) -> Sent:
    return Sent(write, judge.requests.of(write, variant))
