"""Calls for the director count once: sent twice, at the same time, or from an outdated page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from scorekeeper.db.transactions import AccessRevokedError, RightRevokedError
from scorekeeper.models import Browser, db
from scorekeeper.services.access.devices import browsers_of_device
from scorekeeper.services.events import calls, phones, rounds
from scorekeeper.services.events.reading import RoundTableRow
from scorekeeper.services.outcome import Done, Stale

from ..club import Club
from .test_events import Drive, at_once

AT_TABLE = (1, 1)


@pytest.fixture
def drive(club: Club) -> Drive:
    drive = Drive(club)
    assert isinstance(drive.draw(1), Done)
    return drive


def call(drive: Drive, by: Browser, seen: int = 0) -> calls.Outcome:
    return calls.call(drive.event, AT_TABLE, seen, by)


def row_of(drive: Drive) -> RoundTableRow:
    return drive.state.tables[AT_TABLE]


def waiting(drive: Drive) -> list[tuple[int, int]]:
    return [(row.round, row.number) for row in calls.list_open(drive.state)]


def test_a_call_sent_twice_is_one_and_sent_again_after_its_end_calls_nobody(drive: Drive) -> None:
    phone = drive.guest(table=1)
    assert call(drive, phone) == Done(None)
    first = row_of(drive).called_at
    assert call(drive, phone) == Done(None)
    assert (row_of(drive).calls, row_of(drive).called_at) == (1, first)
    calls.end(drive.event, AT_TABLE, 1, drive.by)
    assert call(drive, phone) == Stale(None)
    assert waiting(drive) == []
    assert call(drive, phone, seen=1) == Done(None)
    assert waiting(drive) == [AT_TABLE]


def test_who_ends_or_takes_an_earlier_call_does_nothing_to_the_next(drive: Drive) -> None:
    phone = drive.guest(table=1)
    call(drive, phone)
    calls.end(drive.event, AT_TABLE, 1, phone)
    call(drive, phone, seen=1)
    calls.end(drive.event, AT_TABLE, 1, drive.by)
    assert calls.take(drive.event, AT_TABLE, 1, drive.by) == Stale(None)
    assert (row_of(drive).called_at is not None, row_of(drive).coming_id) == (True, None)


def test_one_director_is_on_the_way_and_stays_so_until_the_call_ends(drive: Drive) -> None:
    other = browsers_of_device(drive.club.join("score"))[0]
    call(drive, drive.guest(table=1))
    assert [calls.take(drive.event, AT_TABLE, 1, by) for by in (drive.by, drive.by, other)] == [
        Done(None),
        Done(None),
        Stale(None),
    ]
    assert row_of(drive).coming_id == drive.by.id
    calls.end(drive.event, AT_TABLE, 1, other)
    assert (row_of(drive).called_at, row_of(drive).coming_id) == (None, None)


def test_a_call_outlives_its_round_but_none_is_made_for_a_round_that_is_over(drive: Drive) -> None:
    phone = drive.guest(table=1)
    call(drive, phone)
    drive.record_all()
    assert isinstance(drive.draw(2), Done)
    assert waiting(drive) == [AT_TABLE]
    assert calls.call(drive.event, (1, 2), 0, drive.by) == Stale(None)
    assert calls.call(drive.event, (2, 1), 0, phone) == Done(None)
    assert waiting(drive) == [AT_TABLE, (2, 1)]  # who has waited longest first
    rounds.undo(drive.event, 2, drive.by)
    assert waiting(drive) == [AT_TABLE]
    assert calls.call(drive.event, (2, 1), 0, phone) == Stale(None)
    rounds.finish(drive.event, drive.by)
    calls.end(drive.event, AT_TABLE, 1, drive.by)
    assert waiting(drive) == []
    assert call(drive, drive.by, seen=1) == Stale(None)


@pytest.mark.parametrize(
    "write",
    [
        lambda drive, by: calls.call(drive.event, (1, 2), 0, by),
        lambda drive, by: calls.end(drive.event, (1, 2), 1, by),
        lambda drive, by: calls.take(drive.event, AT_TABLE, 1, by),
    ],
)
def test_a_phone_calls_from_its_own_table_and_takes_nothing(
    drive: Drive, write: Callable[[Drive, Browser], object]
) -> None:
    phone = drive.guest(table=1)
    call(drive, phone)
    with pytest.raises((AccessRevokedError, RightRevokedError)):
        write(drive, phone)
    phones.renew_links(drive.event, drive.by, drive.event.generation)
    with pytest.raises(AccessRevokedError):
        calls.end(drive.event, AT_TABLE, 1, phone)
    assert waiting(drive) == [AT_TABLE]


def test_two_phones_of_a_table_that_call_at_once_make_one_call(app: Flask, drive: Drive) -> None:
    ids = [drive.guest(table=1).id for _ in range(2)]
    circle = drive.club.id

    def work(browser_id: int) -> Callable[[], object]:
        return lambda: call(drive, db.session.get_one(Browser, (browser_id, circle)))

    assert at_once(app, *map(work, ids)) == [Done(None), Done(None)]
    assert row_of(drive).calls == 1
