"""A request sent twice, with the same or other content under its key, is done once; without a key it is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from .interleaving import AFTER_COMMIT, BEFORE_WRITING, Outcome, Point, run
from .judging import Judge, Sent
from .sending import Write
from .writes import WRITES

ONCE = [pytest.param(write, id=write.title) for write in WRITES if not write.may_be_repeated]
KEYED = [pytest.param(write, id=write.title) for write in WRITES if write.changed]
# After a commit one follows the other, which is the same on every database.
POINTS = (BEFORE_WRITING, pytest.param(AFTER_COMMIT, marks=pytest.mark.sqlite))


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("write", ONCE)
def test_a_request_sent_twice_at_once_is_done_once(judge: Judge, write: Write, point: Point) -> None:
    sent = Sent(write, judge.requests.of(write, 1))
    once = judge.state_after(sent)
    outcome = sent_together(judge, sent, point)
    assert judge.state(sent) == once
    assert not judge.faults(outcome, sent, sent)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("write", KEYED)
def test_a_request_sent_changed_under_the_same_key_is_refused(judge: Judge, write: Write, point: Point) -> None:
    sent = Sent(write, judge.requests.of(write, 1))
    once = judge.state_after(sent)
    outcome = sent_together(judge, sent, point, **write.changed)
    assert not [*outcome.faults, *judge.integrity_faults()]
    assert judge.world.row_counts() == once[1]
    # If the first was stopped before it wrote, the changed request may be the one that is done.
    assert sorted(outcome.statuses()) == [303, 409]


@pytest.mark.parametrize("write", KEYED)
def test_the_acknowledged_request_is_the_recorded_one(judge: Judge, write: Write) -> None:
    """The first is stopped while the changed one is sent: the one that is answered 303 must be the recorded one."""
    sent = Sent(write, judge.requests.of(write, 1))
    outcome = sent_together(judge, sent, BEFORE_WRITING, **write.changed)
    first_again, second_again = sent.request.send(judge.world), sent.request.send(judge.world, **write.changed)
    assert (first_again.status_code, second_again.status_code) == outcome.statuses()


@pytest.mark.parametrize("write", KEYED)
def test_a_request_without_its_key_is_not_done(judge: Judge, write: Write) -> None:
    """Without its key, the same form sent twice would count twice."""
    request = judge.requests.of(write, 1)
    without = {name: value for name, value in request.data.items() if not name.endswith("key")}
    judge.world.reset()
    before = judge.world.content()
    assert replace(request, data=without).send(judge.world).status_code == 400
    assert judge.world.content() == before


def sent_together(judge: Judge, sent: Sent, point: Point, **changed: str) -> Outcome:
    """Send the request up to this point, then the same or a changed one, then the rest of the first."""
    judge.world.reset()
    return run(
        judge.world,
        partial(sent.request.send, judge.world),
        partial(sent.request.send, judge.world, **changed),
        point,
    )
