"""Revisions and the deals they describe: inserted, amended, withdrawn, undone; and announcements."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from scorekeeper.tables import revisions as history
from scorekeeper.tables.revisions import (
    AMEND,
    ANNOUNCE,
    CLOSE,
    COUNT,
    INSERT,
    RECORD,
    RESTORE,
    UNDO,
    WITHDRAW,
    Change,
    RevisionRow,
)

AT = datetime(2026, 11, 20, 21)
A, B, C = {"tricks": {"ns": 7}}, {"tricks": {"ns": 8}}, {"tricks": {"ew": 9}}


def kept(*changes: Change) -> list[RevisionRow]:
    return [change.kept(number, 1, AT, f"key-{number}") for number, change in enumerate(changes, start=1)]


def record(body: dict[str, Any]) -> Change:
    return Change(RECORD, body=body)


def deals(*changes: Change) -> list[tuple[int, dict[str, Any] | None]]:
    """Return every deal's id and facts, in order."""
    order, _ = history.replay(kept(*changes))
    return [(deal.id, deal.body) for deal in order]


def undone(*changes: Change) -> Change:
    """What takes back the last of these."""
    revisions = kept(*changes)
    last = history.last_undoable(revisions)
    assert last is not None
    return history.undoing(history.replay(revisions)[0], last)


def test_a_change_becomes_a_revision_with_its_number_and_whose_it_is() -> None:
    told = Change(AMEND, 2, None, A).kept(5, 7, AT, "key")
    assert told == RevisionRow(5, AMEND, 2, None, A, None, 7, AT, "key")


def test_a_new_deal_is_called_by_the_number_of_its_revision() -> None:
    assert [change.kept(4, 1, AT, "x").deal for change in (record(A), Change(INSERT, before=1, body=A))] == [4, 4]
    assert Change(CLOSE).kept(4, 1, AT, "x").deal is None
    assert Change(ANNOUNCE, body=A).kept(4, 1, AT, "x").deal is None


def test_deals_stand_in_the_order_in_which_they_were_recorded() -> None:
    assert deals(record(A), record(B), record(C)) == [(1, A), (2, B), (3, C)]
    assert deals() == []


def test_a_deal_is_put_in_before_the_one_it_names() -> None:
    assert deals(record(A), record(B), Change(INSERT, before=2, body=C)) == [(1, A), (3, C), (2, B)]
    assert deals(record(A), Change(INSERT, before=1, body=B), Change(INSERT, before=2, body=C)) == [
        (3, C),
        (2, B),
        (1, A),
    ]


def test_an_amended_deal_keeps_its_place_and_a_withdrawn_one_too() -> None:
    assert deals(record(A), record(B), Change(AMEND, 1, body=C)) == [(1, C), (2, B)]
    assert deals(record(A), record(B), Change(WITHDRAW, 1)) == [(1, None), (2, B)]
    assert deals(record(A), Change(WITHDRAW, 1), Change(RESTORE, 1, body=A)) == [(1, A)]


def test_what_is_said_of_the_table_is_no_deal() -> None:
    assert deals(Change(COUNT, body={"held": {}}), record(A), Change(CLOSE), Change(ANNOUNCE, body=B)) == [(2, A)]


def test_a_deal_knows_all_that_was_said_of_it() -> None:
    (deal, other), _ = history.replay(kept(record(A), record(B), Change(AMEND, 1, body=C), Change(WITHDRAW, 1)))
    assert [revision.number for revision in deal.revisions] == [1, 3, 4]
    assert (deal.body, deal.last_body, deal.is_withdrawn) == (None, C, True)
    assert (other.body, other.last_body, other.is_withdrawn) == (B, B, False)


def test_a_deal_of_which_nothing_was_ever_said_has_no_facts() -> None:
    assert history.RecordedDeal(1, None).last_body is None


def test_a_further_replay_says_how_many_deals_are_as_they_were() -> None:
    revisions = kept(
        record(A), record(B), record(C), Change(AMEND, 2, body=C), Change(INSERT, before=1, body=A), Change(CLOSE)
    )
    order, same = history.replay(revisions[:2])
    assert same == 0
    for at, wanted in ((2, 2), (3, 1), (4, 0), (5, 4)):
        order, same = history.replay(revisions[at : at + 1], order)
        assert same == wanted
    assert [deal.id for deal in order] == [5, 1, 2, 3]


def test_a_further_replay_of_several_revisions_counts_from_the_first_deal_that_changed() -> None:
    revisions = kept(record(A), record(B), record(C), Change(AMEND, 3, body=A), Change(AMEND, 2, body=A))
    order, _ = history.replay(revisions[:3])
    assert history.replay(revisions[3:], order)[1] == 1
    assert history.replay(revisions[3:4], order)[1] == 2


# --- undoing -------------------------------------------------------------------------------------------------


def test_undoing_a_new_deal_withdraws_it() -> None:
    assert undone(record(A), record(B)) == Change(UNDO, 2, body=None, undoes=2)


def test_undoing_an_amendment_or_a_withdrawal_brings_back_what_the_deal_said_before() -> None:
    assert undone(record(A), Change(AMEND, 1, body=B)) == Change(UNDO, 1, body=A, undoes=2)
    assert undone(record(A), Change(AMEND, 1, body=B), Change(AMEND, 1, body=C)) == Change(UNDO, 1, body=B, undoes=3)
    assert undone(record(A), Change(WITHDRAW, 1)) == Change(UNDO, 1, body=A, undoes=2)


def test_what_was_undone_is_not_undone_again() -> None:
    first = record(A), record(B), Change(UNDO, 2, undoes=2)
    assert undone(*first) == Change(UNDO, 1, body=None, undoes=1)
    assert history.last_undoable(kept(*first, Change(UNDO, 1, undoes=1))) is None


def test_what_is_said_of_the_table_is_not_undone() -> None:
    revisions = kept(record(A), Change(CLOSE), Change(COUNT, body={"held": {}}), Change(ANNOUNCE, body=B))
    last = history.last_undoable(revisions)
    assert last is revisions[0]
    assert history.last_undoable([]) is None


def test_there_is_nothing_before_a_revision_of_the_table() -> None:
    order, _ = history.replay(kept(record(A)))
    assert history.undoing(order, kept(record(A), Change(CLOSE))[1]) == Change(UNDO, None, body=None, undoes=2)


# --- announcements -----------------------------------------------------------------------------------------

BID = {"contract": {"player": "1", "points": 7}}


def announced(*changes: Change) -> dict[str, Any] | None:
    return history.announced(kept(*changes))


def test_an_announcement_holds_until_a_deal_is_recorded() -> None:
    assert announced() is None
    assert announced(record(A)) is None
    assert announced(Change(ANNOUNCE, body=BID)) == BID
    assert announced(record(A), Change(ANNOUNCE, body=BID), Change(AMEND, 1, body=B), Change(CLOSE)) == BID
    assert announced(Change(ANNOUNCE, body=BID), record(A)) is None
    assert announced(Change(ANNOUNCE, body=BID), record(A), Change(AMEND, 2, body=B)) is None


def test_an_announcement_is_replaced_by_the_next_and_taken_back_by_an_empty_one() -> None:
    assert announced(Change(ANNOUNCE, body=BID), Change(ANNOUNCE, body=A)) == A
    assert announced(Change(ANNOUNCE, body=BID), Change(ANNOUNCE)) is None


def test_an_announcement_is_back_once_the_deal_after_it_is_undone() -> None:
    back = Change(ANNOUNCE, body=BID), record(A), Change(UNDO, 2, undoes=2)
    assert announced(*back) == BID
    assert announced(*back, record(B)) is None
