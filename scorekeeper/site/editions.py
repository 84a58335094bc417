"""Editions: random tokens of what events and tables show, replaced in the transaction of each write that changes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import select, update

from ..models import Event, Table, db, new_token
from .live import EVENT, MARKS, PLAN, Message, announce


def touch(event: Event) -> None:
    """Note a change of the event and announce it to those who follow it, in the caller's transaction."""
    event.plan_edition = new_token()
    announce(Message(PLAN, event.token, event.plan_edition))
    touch_results(event)


def touch_results(event: Event) -> None:
    """Note a change of results only and announce it to those who follow results, in the caller's transaction."""
    event.edition = new_token()
    announce(Message(EVENT, event.token, event.edition))


def touch_tables(circle_id: int, table_ids: Iterable[int]) -> None:
    """Note a change around the tables' facts and announce it to those who follow them, in the caller's transaction.

    The caller holds the circle's lock. Tables that the session has loaded keep their old values until it commits.
    """
    are_these = (Table.circle_id == circle_id, Table.id.in_(table_ids))
    edition = new_token()
    changed = update(Table).where(*are_these).values(marks_edition=edition)
    db.session.execute(changed, execution_options={"synchronize_session": False})
    for token in db.session.scalars(select(Table.token).where(*are_these)):
        announce(Message(MARKS, token, edition))


def renew_editions(circle_id: int, table_ids: Sequence[int]) -> None:
    """Have tables whose texts or day have changed read anew by everybody, in the caller's transaction."""
    changed = update(Table).where(Table.circle_id == circle_id, Table.id.in_(table_ids)).values(edition=new_token())
    db.session.execute(changed, execution_options={"synchronize_session": False})
