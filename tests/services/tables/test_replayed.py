"""The cache of replayed tables: what is read again, what is scored again, and what is dropped."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask

from scorekeeper.models import Revision, Seat, Table, db
from scorekeeper.services.tables import replayed
from scorekeeper.services.tables.replayed import LastRevision
from scorekeeper.tables.revisions import CLOSE, Change
from scorekeeper.tables.state import TableState

from ...statements import counted
from ..club import AT, GAME, Club, transfer

NONE_YET = LastRevision(None, None, None)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> replayed._Cache:
    """A cache of its own for a test."""
    cache = replayed._Cache()
    monkeypatch.setattr(replayed, "_cache", cache)
    return cache


def last_of(state: TableState) -> LastRevision:
    newest = state.revisions[-1]
    return LastRevision(newest.number, newest.at, newest.entry_key)


def insert_revision(club: Club, table: Table, number: int, fiches: int = 1) -> LastRevision:
    """Record a transfer of the first seat as another process does, without the cache of this one."""
    at = table.opened_at + timedelta(minutes=number)
    row = transfer("1", "2", fiches).to_row(number, club.browser_id, at, f"other {number}")
    db.session.add(Revision(circle_id=club.id, table_id=table.id, **row._asdict()))
    db.session.commit()
    return LastRevision(number, at, f"other {number}")


def read_counted(app: Flask, table: Table, last: LastRevision) -> tuple[TableState, int]:
    """Read a table that is loaded; return how many statements ran as well."""
    assert table.seats
    with counted(app) as statements:
        return replayed.read(table, last), len(statements)


# --- revisions


def test_revisions_are_read_in_order_from_a_number_on(club: Club) -> None:
    table, other = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3)), club.table(("Bruno", "Anne", 7))
    club.record(table, ("Chloé", "Anne", 2))
    amounts = [(row.number, row.body["adjustment"]["fiches"]) for row in replayed.read_revisions(table) if row.body]
    assert amounts == [(1, 5), (2, 3), (3, 2)]
    assert [row.number for row in replayed.read_revisions(table, 2)] == [2, 3]
    assert replayed.read_revisions(table, 4) == []
    assert [row.browser_id for row in replayed.read_revisions(other)] == [club.browser_id]


def test_the_revisions_of_several_tables_are_read_at_once(app: Flask, club: Club) -> None:
    first, second = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3)), club.table(("Bruno", "Anne", 7))
    empty, left_out = club.table(), club.table(("Bruno", "Anne", 9))
    ids = [table.id for table in (first, second, empty)]
    with counted(app) as statements:
        found = replayed.read_revisions_of_all(club.id, ids)
    assert len(statements) == 1
    assert found == {ids[0]: replayed.read_revisions(first), ids[1]: replayed.read_revisions(second), ids[2]: []}
    assert [row.number for row in found[ids[0]]] == [1, 2]
    assert left_out.id not in found


# --- hits and misses


def test_a_cached_table_is_not_read_again(app: Flask, club: Club, cache: replayed._Cache) -> None:
    table = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3))
    last = last_of(club.read(table))
    cache.replays.clear()
    first, statements = read_counted(app, table, last)
    again, more_statements = read_counted(app, table, last)
    assert (statements, more_statements) == (1, 0)
    assert [row.number for row in first.revisions] == [1, 2]
    assert again.replay is first.replay
    assert again.stored is table


def test_a_table_without_revisions_is_cached(app: Flask, club: Club, cache: replayed._Cache) -> None:
    table = club.table()
    cache.replays.clear()
    first, statements = read_counted(app, table, NONE_YET)
    again, more_statements = read_counted(app, table, NONE_YET)
    assert (statements, more_statements) == (1, 0)
    assert again.replay is first.replay
    assert again.version == 0


@pytest.mark.usefixtures("cache")
def test_newer_revisions_extend_a_cached_table(app: Flask, club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3))
    before = club.read(table)
    insert_revision(club, table, 3)
    last = insert_revision(club, table, 4)
    after, statements = read_counted(app, table, last)
    assert statements == 1
    assert [row.number for row in after.revisions] == [1, 2, 3, 4]
    assert after.standing.balances["1"]["fiches"] == -10
    assert after.standing.rows[:2] == before.standing.rows
    assert after.standing.rows[1] is before.standing.rows[1]
    again, more_statements = read_counted(app, table, last)
    assert more_statements == 0
    assert again.replay is after.replay


@pytest.mark.usefixtures("cache")
def test_the_first_revision_of_a_cached_empty_table_is_read(club: Club) -> None:
    table = club.table()
    assert club.read(table).version == 0
    last = insert_revision(club, table, 1, 6)
    state = replayed.read(table, last)
    assert [row.number for row in state.revisions] == [1]
    assert state.standing.balances["2"]["fiches"] == 6


def replace_revisions(club: Club, table: Table, first: int, *fiches: int) -> LastRevision:
    """Replace a table's revisions from a number on by others, as the restore of a backup does."""
    db.session.execute(db.delete(Revision).where(Revision.table_id == table.id, Revision.number >= first))
    last = NONE_YET
    for number, amount in enumerate(fiches, start=first):
        last = insert_revision(club, table, number, amount)
    return last


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("first", "fiches", "balance"),
    [(3, (7,), -15), (3, (7, 1), -16), (1, (1, 2, 3), -6), (2, (9,), -14)],
    ids=["last", "last-and-more", "all", "fewer"],
)
def test_a_table_is_replayed_afresh_if_its_last_revision_was_replaced(
    club: Club, first: int, fiches: tuple[int, ...], balance: int
) -> None:
    table = club.table(("Anne", "Bruno", 5), ("Anne", "Bruno", 3), ("Anne", "Bruno", 2))
    assert club.read(table).standing.balances["1"]["fiches"] == -10
    last = replace_revisions(club, table, first, *fiches)
    state = replayed.read(table, last)
    assert state.standing.balances["1"]["fiches"] == balance
    assert state.version == first + len(fiches) - 1
    assert last_of(state) == last


@pytest.mark.usefixtures("cache")
def test_a_table_is_empty_again_after_the_restore_of_an_older_backup(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    club.read(table)
    assert replayed.read(table, replace_revisions(club, table, 1)).version == 0


@pytest.mark.usefixtures("cache")
def test_a_new_edition_of_a_table_is_replayed_afresh(club: Club) -> None:
    table = club.table(("Anne", "Bruno", 5))
    last = last_of(club.read(table))
    revision = db.session.scalars(db.select(Revision)).one()
    revision.body = transfer("1", "2", 8).body
    db.session.commit()
    assert replayed.read(table, last).standing.balances["1"]["fiches"] == -5
    table.edition = "rewritten"
    db.session.commit()
    assert replayed.read(table, last).standing.balances["1"]["fiches"] == -8
    assert replayed.read(table, last).standing.balances["1"]["fiches"] == -8


@pytest.mark.usefixtures("cache")
def test_what_was_written_is_cached(app: Flask, club: Club) -> None:
    table = club.table()
    recorded = club.write(club.read(table), transfer("1", "2", 5))
    assert table.token  # loaded again after the commit
    state, statements = read_counted(app, table, last_of(recorded.table))
    assert statements == 0
    assert state.replay is recorded.table.replay


# --- what is dropped


def state_with(token: str, revisions: int, edition: str = "") -> TableState:
    """Return the state of a table that is in no database, with revisions that are not replayed."""
    seats = [Seat(seat=str(seat), player_id=seat) for seat in range(1, 5)]
    table = Table(id=1, token=token, game=GAME, house_rules={}, dealer="1", edition=edition, seats=seats)
    state = TableState(table)
    revision = Change(CLOSE).to_row(1, 1, AT, "key")
    state.replay = replace(state.replay, revisions=[revision] * revisions)
    return state


def cached(cache: replayed._Cache) -> list[str]:
    """Return the tokens of the cached tables, and check how many revisions they have in all."""
    assert cache.revisions == sum(len(replay.revisions) for _, _, replay in cache.replays.values())
    return list(cache.replays)


def test_twenty_thousand_revisions_are_cached(cache: replayed._Cache) -> None:
    assert cache.revisions == 0
    replayed.store(state_with("a", 9_999))
    replayed.store(state_with("b", 10_001))
    assert cached(cache) == ["a", "b"]
    replayed.store(state_with("c", 1))
    assert cached(cache) == ["b", "c"]


def test_the_tables_least_recently_used_are_dropped(cache: replayed._Cache) -> None:
    states = {token: state_with(token, 5_000) for token in "abcd"}
    for state in states.values():
        replayed.store(state)
    assert cache.find(states["a"].stored) is states["a"].replay
    replayed.store(state_with("e", 5_001))
    assert cached(cache) == ["d", "a", "e"]


def test_a_table_that_is_cached_again_replaces_itself(cache: replayed._Cache) -> None:
    replayed.store(state_with("a", 12_000))
    replayed.store(state_with("b", 8_000))
    replayed.store(state_with("a", 11_999))
    assert cached(cache) == ["b", "a"]
    replayed.store(state_with("a", 12_001))
    assert cached(cache) == ["a"]


def test_a_table_of_any_length_is_cached_alone(cache: replayed._Cache) -> None:
    replayed.store(state_with("a", 20_001))
    assert cached(cache) == ["a"]
    replayed.store(state_with("b", 1))
    assert cached(cache) == ["b"]


def test_a_replay_of_another_edition_is_not_found(cache: replayed._Cache) -> None:
    state = state_with("a", 1, "first")
    replayed.store(state)
    assert cache.find(state.stored) is state.replay
    assert cache.find(state_with("a", 1, "second").stored) is None
    assert cache.find(state_with("b", 1).stored) is None
