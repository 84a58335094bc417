"""Writing to tables: what is stored, refused or stale, and who may write."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from scorekeeper.db.clock import now
from scorekeeper.db.transactions import AccessRevokedError, CircleErasedError, RightRevokedError
from scorekeeper.models import Revision, Seat, Summary, Table, db
from scorekeeper.models.rights import WATCH
from scorekeeper.scoring.problems import Problem, refuse
from scorekeeper.services.circles.lifecycle import erase_circle
from scorekeeper.services.outcome import Done, Stale
from scorekeeper.services.tables import replayed
from scorekeeper.services.tables.table import Refused, WriteRequest, WriteResult, read_table, write
from scorekeeper.tables import revisions
from scorekeeper.tables.revisions import Change, RevisionRow
from scorekeeper.tables.state import TableState

from ...statements import counted
from ..club import GAME, Club, balance, points, stored_summary, transfer

FIVE, THREE = transfer("1", "2", 5), transfer("1", "2", 3)
ANNOUNCING_GAME = "joffre"
BID = {"contract": {"player": "3", "points": 7}}


def send(club: Club, table: TableState, change: Change, **fields: Any) -> WriteResult:
    """Write a change to a table as it was read, whatever has happened to it since."""
    return write(table, replace(WriteRequest(change, table.version, "own"), **fields), club.browser)


def rows_of(table: Table) -> list[RevisionRow]:
    """Return a table's revisions in the database."""
    return replayed.read_revisions(table)


def send_stale(club: Club, table: TableState, change: Change, **fields: Any) -> list[int]:
    """Write a change that must be stale; return the numbers of the revisions it missed."""
    answer = send(club, table, change, **fields)
    assert isinstance(answer, Stale)
    return [revision.number for revision in answer.current]


# --- writing


def test_a_write_stores_one_revision_and_the_tables_summary(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.read(table)
    change = replace(THREE, kind=revisions.INSERT, before=1)
    recorded = send(club, state, change, key="the page's")
    assert isinstance(recorded, Done)
    revision = recorded.value.revision
    at = revision.at
    assert revision == RevisionRow(2, "insert", 2, 1, THREE.body, None, club.browser_id, at, "the page's")
    assert timedelta() <= now() - at < timedelta(minutes=1)
    assert rows_of(table) == recorded.value.table.revisions == [*state.revisions, revision]
    assert [deal.id for deal in recorded.value.table.deals] == [2, 1]
    assert balance(recorded.value.table) == -8
    summary = stored_summary(table)
    assert (summary.version, summary.data["grains"]["1"]) == (2, -8)
    assert club.read(table).replay is recorded.value.table.replay
    undo = send(club, recorded.value.table, Change(revisions.UNDO, 2, undoes=2), key="undo")
    assert isinstance(undo, Done)
    assert (undo.value.revision.undoes, undo.value.revision.body, balance(undo.value.table)) == (2, None, -5)


def test_revisions_are_numbered_in_each_table(club: Club) -> None:
    first, second = club.table(), club.table()
    for change in (FIVE, THREE, FIVE):
        for table in (first, second):
            club.write(club.read(table), change, key=f"{len(rows_of(table))}")
    assert [row.number for row in rows_of(first)] == [row.number for row in rows_of(second)] == [1, 2, 3]


def test_a_write_reads_no_revisions_again(app: Flask, club: Club) -> None:
    state = club.read(club.table(("Anne", "Bruno", 5)))
    browser = club.browser
    assert state.stored.day
    with counted(app) as statements:
        recorded = write(state, WriteRequest(THREE, 1, "key"), browser)
    assert isinstance(recorded, Done)
    assert [sql for sql in statements if sql.startswith("SELECT") and "FROM revision" in sql] == []


def test_a_table_is_closed_by_a_revision_and_reopened_by_another(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    assert table.closed_at is None
    closed = club.write(club.read(table), Change(revisions.CLOSE))
    assert table.closed_at == closed.revision.at
    counted_at = club.write(closed.table, Change(revisions.COUNT, body={"1": {"fiches": 3}}))
    assert table.closed_at == closed.revision.at
    reopened = club.write(counted_at.table, Change(revisions.REOPEN))
    assert table.closed_at is None
    assert not reopened.table.is_closed
    again = club.write(reopened.table, Change(revisions.CLOSE))
    assert table.closed_at == again.revision.at != closed.revision.at


# --- refused


def test_closing_a_closed_table_and_reopening_an_open_one_record_nothing(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    kinds = (revisions.CLOSE, revisions.CLOSE, revisions.REOPEN, revisions.REOPEN)
    results = [send(club, club.read(table), Change(kind), key=f"key {n}") for n, kind in enumerate(kinds)]
    assert [result.value.revision.number for result in results if isinstance(result, Done)] == [2, 2, 3, 3]
    assert [row.kind for row in rows_of(table)] == ["record", "close", "reopen"]


def test_a_deal_that_breaks_a_rule_is_not_recorded(club: Club) -> None:
    table = club.table()
    below = Problem("adjustment.points", "below-zero", {"party": "ns", "has": 0})
    assert send(club, club.read(table), points(-1)) == Refused(refuse(1, [below]), None, True)
    assert rows_of(table) == []


@pytest.mark.parametrize("change", [FIVE, Change(revisions.WITHDRAW, 1), Change(revisions.ANNOUNCE, body=BID)])
def test_a_closed_table_takes_no_changes_of_its_deals(club: Club, change: Change) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.write(club.read(table), Change(revisions.CLOSE)).table
    assert send(club, state, change) == Refused(refuse(None, [Problem("deals", "table-closed")]), None, True)
    assert [row.kind for row in rows_of(table)] == ["record", "close"]


def test_a_table_takes_three_thousand_deals(club: Club) -> None:
    state = club.read(club.table(("Anne", "Bruno", 5)))
    state.replay = replace(state.replay, deals=[*state.deals] * 3_000)
    too_many = Problem("deals", "too-many-deals", {"found": 3_001, "most": 3_000})
    for change in (FIVE, replace(FIVE, kind=revisions.INSERT, before=1)):
        assert send(club, state, change) == Refused(refuse(None, [too_many]), None, True)
    state.replay = replace(state.replay, deals=state.deals[:2_999])
    assert isinstance(send(club, state, FIVE), Done)


def test_announcements_are_checked_before_they_are_recorded(club: Club) -> None:
    state = club.read(club.table(game=ANNOUNCING_GAME))
    incomplete = Refused(refuse(None, [Problem("contract", "tap-one")]), None, True)
    assert send(club, state, Change(revisions.ANNOUNCE, body={})) == incomplete
    announced = club.write(state, Change(revisions.ANNOUNCE, body=BID)).table
    assert announced.announced == BID
    cancelled = club.write(announced, Change(revisions.ANNOUNCE)).table
    assert (cancelled.announced, cancelled.version) == (None, 2)
    elsewhere = club.read(club.table(game=GAME))
    unknown = Refused(refuse(None, [Problem("deals", "not-announceable")]), None, True)
    assert send(club, elsewhere, Change(revisions.ANNOUNCE, body=BID)) == unknown


# --- stale, or sent again


def test_a_stale_page_records_nothing_and_is_shown_what_it_missed(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3), ("Anne", "Bruno", 2))
    state = club.read(table)
    for shown, missed in [(2, [3]), (0, [1, 2, 3]), (4, [])]:
        assert send_stale(club, state, FIVE, last_revision=shown) == missed
    assert len(rows_of(table)) == 3


def test_an_entry_sent_again_is_recorded_once(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.read(table)
    first = send(club, state, THREE)
    assert isinstance(first, Done)
    club.record(table, ("Anne", "Bruno", 1))
    again = send(club, club.read(table), THREE, last_revision=1)
    assert isinstance(again, Done)
    assert (again.value.revision, again.value.table.version) == (first.value.revision, 3)
    assert [row.number for row in rows_of(table)] == [1, 2, 3]


@pytest.mark.parametrize(
    "other", [FIVE, replace(THREE, kind=revisions.INSERT, before=1), Change(revisions.CLOSE)], ids=lambda c: c.kind
)
def test_a_key_sent_again_with_other_contents_records_nothing(club: Club, other: Change) -> None:
    table = club.table(("Anne", "Bruno", 5))
    first = send(club, club.read(table), THREE)
    assert isinstance(first, Done)
    answer = send(club, first.value.table, other)
    assert isinstance(answer, Stale)
    assert list(answer.current) == [first.value.revision]
    assert len(rows_of(table)) == 2


def test_of_two_who_write_at_once_the_second_is_stale(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.read(table)
    club.write(state, THREE)
    assert send_stale(club, state, FIVE) == [2]
    assert balance(club.read(table)) == -8
    assert len(rows_of(table)) == 2


def test_of_two_who_write_first_at_once_the_second_is_stale(club: Club) -> None:
    table = club.table()
    state = club.read(table)
    club.write(state, THREE)
    assert send_stale(club, state, FIVE) == [1]


def test_an_entry_sent_twice_at_once_is_recorded_once(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.read(table)
    first, second = send(club, state, THREE), send(club, state, THREE)
    assert isinstance(first, Done)
    assert isinstance(second, Done)
    assert second.value.revision == first.value.revision
    assert len(rows_of(table)) == 2


def test_a_table_closed_meanwhile_takes_no_deal(app: Flask, club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.read(table)
    assert not state.is_closed
    with app.app_context():
        club.write(club.read(table), Change(revisions.CLOSE))
    assert send_stale(club, state, FIVE) == [2]
    closed = refuse(None, [Problem("deals", "table-closed")])
    assert send(club, club.read(table), FIVE) == Refused(closed, None, True)
    assert len(rows_of(table)) == 2


def test_a_name_erased_meanwhile_keeps_nothing_from_being_recorded(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.read(table)
    table.edition = "rewritten"
    db.session.commit()
    recorded = send(club, state, THREE)
    assert isinstance(recorded, Done)
    assert (recorded.value.revision.number, recorded.value.table.edition) == (2, "rewritten")
    assert rows_of(table)[1] == recorded.value.revision
    assert club.read(table).replay is recorded.value.table.replay


def test_a_backup_restored_meanwhile_makes_a_deal_stale_which_is_then_added_to_its_facts(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.read(table)
    revision = db.session.scalars(db.select(Revision)).one()
    revision.entry_key, revision.body = "restored", transfer("1", "2", 40).body
    db.session.commit()
    stale = send(club, state, THREE)
    assert isinstance(stale, Stale)
    assert [row.entry_key for row in stale.current] == ["restored"]
    recorded = send(club, club.read(table), THREE)
    assert isinstance(recorded, Done)
    assert balance(recorded.value.table) == -43
    assert stored_summary(table).data["grains"]["1"] == -43


def test_nothing_is_recorded_at_a_table_that_a_restored_backup_lacks(app: Flask, club: Club) -> None:
    state = club.read(club.table(("Anne", "Bruno", 5)))
    with app.app_context():
        for model in (Summary, Revision, Seat, Table):
            db.session.execute(db.delete(model))
        db.session.commit()
    with pytest.raises(CircleErasedError):
        send(club, state, THREE)


# --- without access


def test_a_browser_without_access_records_nothing(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    state = club.read(table)
    club.browser.revoked_at = now()
    db.session.commit()
    with pytest.raises(AccessRevokedError):
        send(club, state, THREE)
    assert len(rows_of(table)) == 1
    club.browser.revoked_at = None
    db.session.commit()
    assert club.read(table).replay is state.replay


def test_a_browser_that_may_watch_records_nothing(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    found = read_table(club.join(WATCH), table.token)
    assert found is not None
    with pytest.raises(RightRevokedError):
        write(found[0], WriteRequest(THREE, 1, "key"), found[1])
    assert len(rows_of(table)) == 1


def test_nothing_is_recorded_in_an_erased_circle(app: Flask, club: Club) -> None:
    state, browser = club.read(club.table(("Anne", "Bruno", 5))), club.browser
    with app.app_context():
        assert erase_circle(club.id)
    with pytest.raises(CircleErasedError):
        write(state, WriteRequest(THREE, 1, "key"), browser)
    assert db.session.scalar(db.select(db.func.count(Revision.id))) == 0
