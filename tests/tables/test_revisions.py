"""Revisions and the deals they describe: inserted, amended, withdrawn, undone; and announcements."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest

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
    RecordedDeal,
    RevisionRow,
    apply_revisions,
    build_keys,
    build_mark,
    build_undo,
    find_announcement,
    find_last_mark,
    find_last_undoable,
    find_marked,
    find_together,
    first_rows,
    has_correction_since,
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


def test_a_change_becomes_a_revision_with_a_number_and_an_author() -> None:
    row = Change(AMEND, 2, None, A).to_row(5, 7, AT, "key")
    assert row == RevisionRow(5, AMEND, 2, None, A, None, 7, AT, "key")


def test_a_new_deal_has_the_number_of_its_revision_as_its_id() -> None:
    assert [change.to_row(4, 1, AT, "x").deal for change in (record(A), Change(INSERT, before=1, body=A))] == [4, 4]
    assert Change(CLOSE).to_row(4, 1, AT, "x").deal is None
    assert Change(ANNOUNCE, body=A).to_row(4, 1, AT, "x").deal is None


def test_deals_are_in_the_order_in_which_they_were_recorded() -> None:
    assert deals(record(A), record(B), record(C)) == [(1, A), (2, B), (3, C)]
    assert deals() == []


def test_a_deal_is_inserted_before_the_deal_it_names() -> None:
    assert deals(record(A), record(B), Change(INSERT, before=2, body=C)) == [(1, A), (3, C), (2, B)]
    assert deals(record(A), Change(INSERT, before=1, body=B), Change(INSERT, before=2, body=C)) == [
        (3, C),
        (2, B),
        (1, A),
    ]


def test_amended_and_withdrawn_deals_keep_their_position() -> None:
    assert deals(record(A), record(B), Change(AMEND, 1, body=C)) == [(1, C), (2, B)]
    assert deals(record(A), record(B), Change(WITHDRAW, 1)) == [(1, None), (2, B)]
    assert deals(record(A), Change(WITHDRAW, 1), Change(RESTORE, 1, body=A)) == [(1, A)]


def test_a_revision_of_the_table_adds_no_deal() -> None:
    assert deals(Change(COUNT, body={"held": {}}), record(A), Change(CLOSE), Change(ANNOUNCE, body=B)) == [(2, A)]


def test_a_deal_has_all_its_revisions() -> None:
    (deal, other), _ = apply_revisions(to_rows(record(A), record(B), Change(AMEND, 1, body=C), Change(WITHDRAW, 1)))
    assert [revision.number for revision in deal.revisions] == [1, 3, 4]
    assert (deal.body, deal.last_body, deal.is_withdrawn) == (None, C, True)
    assert (other.body, other.last_body, other.is_withdrawn) == (B, B, False)


def test_a_deal_without_revisions_has_no_facts() -> None:
    assert RecordedDeal(1, None).last_body is None


def test_applying_revisions_counts_the_deals_that_are_unchanged() -> None:
    revisions = to_rows(
        record(A), record(B), record(C), Change(AMEND, 2, body=C), Change(INSERT, before=1, body=A), Change(CLOSE)
    )
    recorded, unchanged = apply_revisions(revisions[:2])
    assert unchanged == 0
    for index, expected in ((2, 2), (3, 1), (4, 0), (5, 4)):
        recorded, unchanged = apply_revisions(revisions[index : index + 1], recorded)
        assert unchanged == expected
    assert [deal.id for deal in recorded] == [5, 1, 2, 3]


def test_only_deals_before_the_first_changed_one_count_as_unchanged() -> None:
    revisions = to_rows(record(A), record(B), record(C), Change(AMEND, 3, body=A), Change(AMEND, 2, body=A))
    recorded, _ = apply_revisions(revisions[:3])
    assert apply_revisions(revisions[3:], recorded)[1] == 1
    assert apply_revisions(revisions[3:4], recorded)[1] == 2


# --- undoing -------------------------------------------------------------------------------------------------


def test_undoing_a_new_deal_withdraws_it() -> None:
    assert undo_last(record(A), record(B)) == Change(UNDO, 2, body=None, undoes=2)


def test_undoing_an_amendment_or_a_withdrawal_brings_back_the_deals_earlier_facts() -> None:
    assert undo_last(record(A), Change(AMEND, 1, body=B)) == Change(UNDO, 1, body=A, undoes=2)
    assert undo_last(record(A), Change(AMEND, 1, body=B), Change(AMEND, 1, body=C)) == Change(UNDO, 1, body=B, undoes=3)
    assert undo_last(record(A), Change(WITHDRAW, 1)) == Change(UNDO, 1, body=A, undoes=2)


def test_an_undone_revision_is_not_undone_again() -> None:
    first = record(A), record(B), Change(UNDO, 2, undoes=2)
    assert undo_last(*first) == Change(UNDO, 1, body=None, undoes=1)
    assert find_last_undoable(to_rows(*first, Change(UNDO, 1, undoes=1))) is None


def test_changes_of_the_table_itself_cannot_be_undone() -> None:
    revisions = to_rows(record(A), Change(CLOSE), Change(COUNT, body={"held": {}}), Change(ANNOUNCE, body=B))
    last = find_last_undoable(revisions)
    assert last is revisions[0]
    assert find_last_undoable([]) is None


def test_undoing_a_revision_of_the_table_restores_no_facts() -> None:
    recorded, _ = apply_revisions(to_rows(record(A)))
    assert build_undo(recorded, to_rows(record(A), Change(CLOSE))[1]) == Change(UNDO, None, body=None, undoes=2)


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


def test_the_kinds_are_stored_under_names_that_never_change() -> None:
    """Databases and exports contain them."""
    kinds = (RECORD, INSERT, AMEND, WITHDRAW, RESTORE, UNDO, CLOSE, REOPEN, COUNT, ANNOUNCE)
    assert kinds == (
        *("record", "insert", "amend", "withdraw", "restore", "undo"),
        *("close", "reopen", "count", "announce"),
    )


def test_a_mark_is_the_number_with_a_hash_of_what_was_recorded() -> None:
    assert build_mark(0, None, None) == find_last_mark([]) == "0"
    rows = to_rows(record(A), record(B))
    assert find_last_mark(rows) == rows[1].mark == build_mark(2, AT, "key-2")
    assert re.fullmatch(r"2\.[0-9a-f]{16}", rows[1].mark)
    assert rows[1].mark not in (build_mark(2, AT, "key-3"), build_mark(2, None, "key-2"))
    assert [find_marked(rows, mark) for mark in (rows[0].mark, rows[1].mark, "0", "2", None)] == [1, 2, 0, -1, -1]


def test_a_revision_records_a_change_of_the_same_kind_deal_place_and_facts() -> None:
    recorded, inserted, amended = to_rows(record(A), Change(INSERT, before=1, body=B), Change(AMEND, 1, body=C))
    assert record(A).is_recorded_by(recorded)
    assert not record(B).is_recorded_by(recorded)
    assert Change(INSERT, before=1, body=B).is_recorded_by(inserted)
    assert not Change(INSERT, before=2, body=B).is_recorded_by(inserted)
    assert Change(AMEND, 1, body=C).is_recorded_by(amended)
    assert not Change(AMEND, 2, body=C).is_recorded_by(amended)


def test_the_keys_of_one_tap_follow_from_the_first_and_find_its_revisions_again() -> None:
    assert build_keys("k", 3) == ["k", "k-2", "k-3"]
    assert [len(key) for key in build_keys("k" * 99, 2)] == [99, 92]
    changes = [record(A), Change(WITHDRAW, 1), record(B), record(C)]
    rows = [
        change.to_row(number, 1, AT, key)
        for number, (change, key) in enumerate(zip(changes, ["a", *build_keys("own", 3)], strict=True), start=1)
    ]
    assert [row.number for row in find_together(rows, rows[-1])] == [4, 3, 2]
    for alone in (rows[0], rows[1]):
        assert find_together(rows, alone) == [alone]
    for key in ("own-9", "other-3", "own-x", "own-1"):
        strange = [*rows[:-1], rows[-1]._replace(entry_key=key)]
        assert find_together(strange, strange[-1]) == [strange[-1]]


def test_the_first_revisions_of_a_table_have_keys_that_no_page_makes() -> None:
    rows = first_rows([record(A), record(B)], 7, AT, "key")
    assert [(row.number, row.deal, row.browser_id, row.at, row.entry_key) for row in rows] == [
        (1, 1, 7, AT, "import-key-1"),
        (2, 2, 7, AT, "import-key-2"),
    ]


PLAYED = (Change(RECORD, body=A), Change(RECORD, body=B))


@pytest.mark.parametrize(
    ("since", "is_correction"),
    [
        ([], False),
        ([record(C)], False),
        ([Change(ANNOUNCE, body=A), Change(COUNT, body={})], False),
        ([Change(AMEND, 2, body=C)], True),
        ([Change(WITHDRAW, 1)], True),
        ([Change(INSERT, before=2, body=C)], True),
        ([record(C), Change(INSERT, before=3, body=A)], False),
        ([Change(CLOSE)], False),
        ([Change(REOPEN)], True),
        ([record(C), Change(AMEND, 3, body=A)], False),
        ([Change(UNDO, 2, undoes=2)], True),
        ([record(C), Change(UNDO, 3, undoes=3)], False),
        ([Change(AMEND, 2, body=C), Change(UNDO, 2, undoes=3)], False),
        ([Change(AMEND, 2, body=C), Change(UNDO, 2, undoes=3), Change(UNDO, 2, undoes=4)], True),
        ([Change(AMEND, 2, body=C), record(A)], True),
    ],
)
def test_a_correction_changes_what_had_been_recorded_by_then_and_is_not_undone(
    since: list[Change], is_correction: bool
) -> None:
    rows = [row._replace(at=AT + timedelta(minutes=int(row.number > len(PLAYED)))) for row in to_rows(*PLAYED, *since)]
    assert has_correction_since(rows, AT, bool) is is_correction
    assert not has_correction_since(rows, AT + timedelta(minutes=1), bool)


@pytest.mark.parametrize("takes_back", [True, False])
def test_reopening_is_a_correction_only_where_it_takes_payments_back(takes_back: bool) -> None:
    *rows, last = to_rows(*PLAYED, Change(CLOSE), Change(REOPEN))
    reopened = [*rows, last._replace(at=AT + timedelta(minutes=1))]
    assert has_correction_since(reopened, AT, lambda row: takes_back and row == reopened[-1]) is takes_back
