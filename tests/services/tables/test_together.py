"""Several revisions by one tap: a correction with the removal of the deals that it makes impossible."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scorekeeper.db.transactions import RightRevokedError
from scorekeeper.models import Table
from scorekeeper.models.rights import WATCH
from scorekeeper.services.outcome import Done, Stale
from scorekeeper.services.tables import replayed
from scorekeeper.services.tables.table import Refused, WriteResult, read_table
from scorekeeper.services.tables.together import write_together
from scorekeeper.tables.corrections import build_withdrawals
from scorekeeper.tables.revisions import AMEND, RECORD, Change, build_undo, find_together
from scorekeeper.tables.state import TableState

from ..club import OTHER_GAME, Club, points, stored_summary

ENDING = Change(AMEND, 1, body=points(150).body)  # the game is won with the first deal


def quarante(club: Club, *amounts: int) -> TableState:
    state = club.read(club.table(game=OTHER_GAME))
    for amount in amounts:
        state = club.write(state, points(amount)).table
    return state


def send(club: Club, state: TableState, changes: Sequence[Change], seen: int | None = None) -> WriteResult:
    return write_together(state, changes, state.version if seen is None else seen, "own", club.browser)


def rows_of(table: Table) -> list[tuple[str, int | None, str]]:
    return [(row.kind, row.deal, row.entry_key) for row in replayed.read_revisions(table)]


def test_both_are_recorded_once_with_the_summary_or_not_at_all(club: Club) -> None:
    state = quarante(club, 10, 2, 3)
    changes = [*build_withdrawals(state, (2, 3)), ENDING]
    assert isinstance(send(club, state, changes[1:]), Refused)
    assert len(rows_of(state.stored)) == 3
    for _ in range(2):
        done = send(club, state, changes)
        assert isinstance(done, Done)
        assert done.value.revision.kind == AMEND
    assert rows_of(state.stored)[3:] == [("withdraw", 3, "own"), ("withdraw", 2, "own-2"), ("amend", 1, "own-3")]
    assert stored_summary(state.stored).version == 6
    assert club.read(state.stored).standing.winner == "ns"
    assert isinstance(send(club, state, changes[:2]), Stale)
    other = send(club, state, [*changes[:2], Change(AMEND, 1, body=points(70).body)])
    assert isinstance(other, Stale)
    assert [revision.number for revision in other.current] == [4, 5, 6]


def test_what_was_recorded_meanwhile_is_told(club: Club) -> None:
    state = quarante(club, 10, 2)
    changes = [*build_withdrawals(state, (2,)), ENDING]
    club.write(state, points(4))
    stale = send(club, state, changes)
    assert isinstance(stale, Stale)
    assert [(revision.number, revision.kind) for revision in stale.current] == [(3, RECORD)]


def test_one_tap_is_undone_by_one(club: Club) -> None:
    state = quarante(club, 10, 2, 3)
    done = send(club, state, [*build_withdrawals(state, (2, 3)), ENDING])
    assert isinstance(done, Done)
    table = done.value.table
    together = find_together(table.revisions, table.revisions[-1])
    assert [revision.number for revision in together] == [6, 5, 4]
    undone = write_together(table, [build_undo(table.deals, row) for row in together], 6, "undo", club.browser)
    assert isinstance(undone, Done)
    assert [row.scores for row in undone.value.table.standing.rows] == [row.scores for row in state.standing.rows]
    assert undone.value.table.last_undoable == state.revisions[-1]
    assert find_together(state.revisions, state.revisions[-1]) == [state.revisions[-1]]


def test_a_browser_that_may_watch_records_nothing(club: Club) -> None:
    state = quarante(club, 10, 2)
    found = read_table(club.join(WATCH), state.token)
    assert found is not None
    with pytest.raises(RightRevokedError):
        write_together(state, [*build_withdrawals(state, (2,)), ENDING], 2, "own", found[1])
    assert len(rows_of(state.stored)) == 2
