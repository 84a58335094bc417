"""Calls for the director count once: sent twice, at the same time, or from an outdated page."""

from __future__ import annotations

import pytest

from scorekeeper.db.outcome import Done, Stale
from scorekeeper.events import calls, rounds
from scorekeeper.events.phones import Outcome
from scorekeeper.events.reading import Place, RoundTableRow
from scorekeeper.models import Membership

from ..hall import Drive

AT_TABLE = Place(1, 1)


@pytest.fixture
def drive(drive: Drive) -> Drive:
    assert drive.draw(1) == Done(None)
    return drive


def call(drive: Drive, by: Membership, place: Place = AT_TABLE) -> Outcome:
    return calls.call(drive.event, place, drive.state.tables[place].seen_call, by)


def row_of(drive: Drive) -> RoundTableRow:
    return drive.state.tables[AT_TABLE]


def waiting(drive: Drive) -> list[tuple[int, int]]:
    return [(row.round, row.number) for row in drive.state.waiting]


def test_a_call_sent_twice_is_one_and_sent_again_after_its_end_calls_nobody(drive: Drive) -> None:
    phone, before = drive.guest(table=1), row_of(drive).seen_call
    assert call(drive, phone) == Done(None)
    first, seen = row_of(drive).called_at, row_of(drive).seen_call
    assert calls.call(drive.event, AT_TABLE, before, phone) == Done(None)
    assert (row_of(drive).calls, row_of(drive).called_at) == (1, first)
    calls.end_call(drive.event, AT_TABLE, seen, drive.by)
    assert calls.call(drive.event, AT_TABLE, before, phone) == Stale(None)
    assert waiting(drive) == []
    assert call(drive, phone) == Done(None)
    assert waiting(drive) == [AT_TABLE]


def test_a_call_outlives_its_round_but_none_is_made_for_a_round_that_is_over(drive: Drive) -> None:
    phone = drive.guest(table=1)
    call(drive, phone)
    drive.record_all()
    assert drive.draw(2) == Done(None)
    assert waiting(drive) == [AT_TABLE]
    assert call(drive, drive.by, Place(1, 2)) == Stale(None)
    seen = drive.state.tables[2, 1].seen_call
    assert call(drive, phone, Place(2, 1)) == Done(None)
    assert waiting(drive) == [AT_TABLE, (2, 1)]  # who has waited longest first
    rounds.undo(drive.event, 2, drive.by)
    assert waiting(drive) == [AT_TABLE]
    assert calls.call(drive.event, Place(2, 1), seen, phone) == Stale(None)
    rounds.finish(drive.event, drive.by)
    calls.end_call(drive.event, AT_TABLE, row_of(drive).seen_call, drive.by)
    assert waiting(drive) == []
    assert call(drive, drive.by) == Stale(None)
