"""Writing to tables: what is stored, refused or stale, and who may write."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import Flask

from scorekeeper.circles.lifecycle import erase_circle
from scorekeeper.db.outcome import Done, Stale
from scorekeeper.db.transactions import RowDeletedError
from scorekeeper.models import Revision, Table, db
from scorekeeper.people.erasure import erase
from scorekeeper.tables import reading, revisions
from scorekeeper.tables.revisions import Change, RevisionRow, find_last_seen
from scorekeeper.tables.state import TableState
from scorekeeper.tables.writing import WriteResult, write

from ...support.club import Club
from ...tables.states import transfer

FIVE, THREE = transfer("1", "2", 5), transfer("1", "2", 3)
ADJUSTED = {"from": "1", "to": "2", "fiches": 1}


def send(club: Club, table: TableState, change: Change, shown: int | None = None) -> WriteResult:
    """Write a change to a table as it was read, whatever has happened to it since; `shown` is a version."""
    seen = table.seen if shown is None else find_last_seen(table.revisions[:shown]) if shown <= table.version else "4.x"
    return write(table, [change], seen, "own", club.membership)


def rows_of(table: Table) -> list[RevisionRow]:
    """Return a table's revisions in the database."""
    return reading.read_revisions(table)


def send_stale(club: Club, table: TableState, change: Change, shown: int | None = None) -> list[int]:
    """Write a change that must be stale; return the numbers of the revisions it missed."""
    answer = send(club, table, change, shown)
    assert isinstance(answer, Stale)
    return [revision.number for revision in answer.current]


# --- stale, or sent again


def test_a_stale_page_records_nothing_and_is_shown_what_it_missed(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3), ("Anne", "Bruno", 2))
    state = club.read(table)
    for shown, missed in [(2, [3]), (0, [1, 2, 3]), (4, [3])]:
        assert send_stale(club, state, FIVE, shown=shown) == missed
    assert len(rows_of(table)) == 3


@pytest.mark.parametrize(
    "other", [FIVE, replace(THREE, kind=revisions.INSERT, before_id=1), Change(revisions.CLOSE)], ids=lambda c: c.kind
)
def test_a_key_sent_again_with_other_contents_records_nothing(club: Club, other: Change) -> None:
    table = club.table(("Anne", "Bruno", 5))
    first = send(club, club.read(table), THREE)
    assert isinstance(first, Done)
    answer = send(club, first.value.table, other)
    assert isinstance(answer, Stale)
    assert list(answer.current) == [first.value.revision]
    assert len(rows_of(table)) == 2


def test_a_name_erased_meanwhile_is_gone_from_all_deals_and_keeps_nothing_from_being_recorded(club: Club) -> None:
    table = club.table()
    club.write(club.read(table), Change(revisions.RECORD, body={"adjustment": {**ADJUSTED, "reason": "Anne’s dog"}}))
    club.record(table, ("Anne", "Bruno", 5))
    state = club.read(table)
    assert erase(club.player("Anne"), by=club.membership) is None
    recorded = send(club, state, THREE)
    assert isinstance(recorded, Done)
    assert [row.body for row in rows_of(table)] == [deal.body for deal in club.read(table).deals]
    assert "Anne" not in f"{club.read(table).deals}"


# --- without access


def test_nothing_is_recorded_in_an_erased_circle(app: Flask, club: Club) -> None:
    state, membership = club.read(club.table(("Anne", "Bruno", 5))), club.membership
    db.session.rollback()  # erasing waits for readers
    with app.app_context():
        assert erase_circle(club.id)
    with pytest.raises(RowDeletedError):
        write(state, [THREE], state.seen, "key", membership)
    assert db.session.scalar(db.select(db.func.count(Revision.id))) == 0
