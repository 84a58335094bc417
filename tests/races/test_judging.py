"""The judge finds a fault even if it has verified almost the same rows before."""

from __future__ import annotations

from sqlalchemy import text

from .judging import Judge, Sent
from .world import World
from .writes import WRITES


def damage(world: World, statement: str) -> None:
    with world.session() as session:
        session.execute(text(statement))
        session.commit()


def test_a_fault_is_found_also_after_sound_rows_were_verified(judge: Judge) -> None:
    judge.world.reset()
    assert not judge.integrity_faults()
    damage(judge.world, "UPDATE summary SET version = 99 WHERE table_id = 1")
    assert any("'summary'" in fault for fault in judge.integrity_faults())
    judge.world.reset()
    assert not judge.integrity_faults()


def test_the_same_request_leaves_the_same_rows_each_time(judge: Judge) -> None:
    """Otherwise nothing would be known from before, and every state be verified again."""
    write = next(write for write in WRITES if write.endpoint == "deals.new")
    sent = Sent(write, judge.requests.of(write, 1))
    found = set()
    for _ in range(2):
        judge.world.reset()
        sent.request.send(judge.world)
        found.add(judge.world.content())
    assert len(found) == 1
