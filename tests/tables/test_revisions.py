"""Revisions and the deals they describe: inserted, amended, withdrawn, undone; and announcements."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scorekeeper.tables.revisions import (
    AMEND,
    ANNOUNCE,
    CLOSE,
    COUNT,
    INSERT,
    RECORD,
    REOPEN,
    RESTORE,
    UNDO,
    WITHDRAW,
    Change,
    RevisionRow,
    apply_revisions,
    build_undo,
    find_announcement,
    find_last_undoable,
    leave_out_later_deals,
    list_corrections_since,
)

AT = datetime(2026, 11, 20, 21)
A, B, C = {"tricks": {"ns": 7}}, {"tricks": {"ns": 8}}, {"tricks": {"ew": 9}}


def to_rows(*changes: Change) -> list[RevisionRow]:
    """Return changes as revisions with increasing numbers."""
    return [change.to_row(number, 1, AT, f"key-{number}") for number, change in enumerate(changes, start=1)]


def record(body: dict[str, Any]) -> Change:
    return Change(RECORD, body=body)


def deals(*changes: Change) -> list[tuple[int, dict[str, Any] | None]]:
    """Return every deal's id and facts, in order."""
    result, _ = apply_revisions(to_rows(*changes))
    return [(deal.id, deal.body) for deal in result]


def undo_last(*changes: Change) -> Change:
    """Return the change that undoes the last of these."""
    revisions = to_rows(*changes)
    last = find_last_undoable(revisions)
    assert last is not None
    return build_undo(apply_revisions(revisions)[0], last)


def test_a_deal_is_inserted_before_the_deal_it_names() -> None:
    assert deals(record(A), record(B), Change(INSERT, before_id=2, body=C)) == [(1, A), (3, C), (2, B)]
    assert deals(record(A), Change(INSERT, before_id=1, body=B), Change(INSERT, before_id=2, body=C)) == [
        (3, C),
        (2, B),
        (1, A),
    ]


def test_amended_and_withdrawn_deals_keep_their_position() -> None:
    assert deals(record(A), record(B), Change(AMEND, 1, body=C)) == [(1, C), (2, B)]
    assert deals(record(A), record(B), Change(WITHDRAW, 1)) == [(1, None), (2, B)]
    assert deals(record(A), Change(WITHDRAW, 1), Change(RESTORE, 1, body=A)) == [(1, A)]


# --- undoing -------------------------------------------------------------------------------------------------


def test_undoing_an_amendment_or_a_withdrawal_brings_back_the_deals_earlier_facts() -> None:
    assert undo_last(record(A), Change(AMEND, 1, body=B)) == Change(UNDO, 1, body=A, undoes=2)
    assert undo_last(record(A), Change(AMEND, 1, body=B), Change(AMEND, 1, body=C)) == Change(UNDO, 1, body=B, undoes=3)
    assert undo_last(record(A), Change(WITHDRAW, 1)) == Change(UNDO, 1, body=A, undoes=2)


def test_changes_of_the_table_itself_cannot_be_undone() -> None:
    revisions = to_rows(record(A), Change(CLOSE), Change(COUNT, body={"held": {}}), Change(ANNOUNCE, body=B))
    last = find_last_undoable(revisions)
    assert last is revisions[0]
    assert find_last_undoable([]) is None


# --- announcements -----------------------------------------------------------------------------------------

BID = {"contract": {"player": "1", "points": 7}}


def announced(*changes: Change) -> dict[str, Any] | None:
    return find_announcement(to_rows(*changes))


def test_an_announcement_is_valid_until_a_deal_is_recorded() -> None:
    assert announced() is None
    assert announced(record(A)) is None
    assert announced(Change(ANNOUNCE, body=BID)) == BID
    assert announced(record(A), Change(ANNOUNCE, body=BID), Change(AMEND, 1, body=B), Change(CLOSE)) == BID
    assert announced(Change(ANNOUNCE, body=BID), record(A)) is None
    assert announced(Change(ANNOUNCE, body=BID), record(A), Change(AMEND, 2, body=B)) is None


def test_an_announcement_is_replaced_by_the_next_and_cancelled_by_an_empty_one() -> None:
    assert announced(Change(ANNOUNCE, body=BID), Change(ANNOUNCE, body=A)) == A
    assert announced(Change(ANNOUNCE, body=BID), Change(ANNOUNCE)) is None


def test_an_announcement_is_valid_again_after_the_deal_is_undone() -> None:
    changes = Change(ANNOUNCE, body=BID), record(A), Change(UNDO, 2, undoes=2)
    assert announced(*changes) == BID
    assert announced(*changes, record(B)) is None


PLAYED = (Change(RECORD, body=A), Change(RECORD, body=B))


def test_what_was_recorded_is_corrected_by_a_later_edit_that_stands() -> None:
    *rows, edit = to_rows(*PLAYED, Change(CLOSE), Change(REOPEN), Change(AMEND, 1, body=B))
    undone = [*rows, edit, Change(UNDO, 1, body=A, undoes=5).to_row(6, 1, AT, "key-6")]
    assert [list_corrections_since(each, 4) for each in (rows, [*rows, edit], undone)] == [[], [edit], []]


def test_only_deals_that_were_added_at_the_end_are_left_out() -> None:
    rows = to_rows(*PLAYED, Change(INSERT, before_id=2, body=A), Change(RECORD, body=B), Change(AMEND, 4, body=A))
    assert leave_out_later_deals(rows, 2) == rows[:3]
    assert leave_out_later_deals(rows, 4) == rows
