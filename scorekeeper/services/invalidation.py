"""Editions of events and marks of tables, which every write that concerns them changes in its own transaction."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

from sqlalchemy import select, update

from ..live import EVENT, MARKS, PLAN, Message, announce
from ..models import Event, Table, db, new_token


def touch(event: Event) -> None:
    """Note a change of the event and tell those who follow it, in the caller's transaction."""
    event.plan_edition = new_token()
    announce(Message(PLAN, event.token, make_number(event.plan_edition)))
    touch_results(event)


def touch_results(event: Event) -> None:
    """Note a change of results only, and tell those who follow results, in the caller's transaction."""
    event.edition = new_token()
    announce(Message(EVENT, event.token, make_number(event.edition)))


def make_number(edition: str) -> int:
    """Return the number by which a message names an edition."""
    return crc32(edition.encode())


def touch_tables(circle_id: int, table_ids: Iterable[int]) -> None:
    """Count a change of the tables' marks and tell those who follow the tables, in the caller's transaction.

    The caller holds the circle's lock. Tables that the session has loaded keep their old values until it commits.
    """
    are_these = (Table.circle_id == circle_id, Table.id.in_(table_ids))
    changed = {"mark_changes": Table.mark_changes + 1, "marks_edition": new_token()}
    db.session.execute(
        update(Table).where(*are_these).values(changed), execution_options={"synchronize_session": False}
    )
    for row in db.session.execute(select(Table.token, Table.mark_changes).where(*are_these)):
        announce(Message(MARKS, *row))
