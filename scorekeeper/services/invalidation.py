"""Invalidation of what follows from facts: totals of a month, and what is cached and shown of an event or a table.

Totals have a counter for each month (`models.PeriodTotals`), events have versions; every write raises those that it
concerns, in its own transaction.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import cache
from typing import cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import event as events
from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ..live import EVENT, MARKS, PLAN, Message, announce
from ..models import Event, PeriodTotals, Table, db
from ..models.base import new_token

YEAR, MONTH = len("2026"), len("2026-11")  # characters
EVERYTHING = ""  # in place of a year; also the period of the circle's own change counter

_PERIOD_TOTALS = cast(SqlTable, PeriodTotals.__table__)
_PENDING = "changed_periods"  # key of a session's `info`; counted when it commits


def touch(event: Event) -> None:
    """Count a change of the event and tell those who follow it, in the caller's transaction."""
    event.plan_version += 1
    event.plan_edition = new_token()
    announce(Message(PLAN, event.token, event.plan_version))
    touch_results(event)


def touch_results(event: Event) -> None:
    """Count a change of results only, and tell those who follow results, in the caller's transaction.

    Ratings include a finished event.
    """
    if event.finished_at is not None:
        invalidate_day(event.circle_id, event.day)
    event.version += 1
    event.edition = new_token()
    announce(Message(EVENT, event.token, event.version))


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


def invalidate_table(table: Table) -> None:
    """Invalidate the totals that include the table, in the caller's transaction."""
    invalidate_day(table.circle_id, table.day)


def invalidate_day(circle_id: int, day: date) -> None:
    """Invalidate the totals and ratings that include a day, in the caller's transaction."""
    _invalidate(circle_id, get_month(day))


def invalidate_circle(circle_id: int) -> None:
    """Invalidate all the circle's totals after a merge, in the caller's transaction."""
    _invalidate(circle_id, EVERYTHING)


def get_month(day: date) -> str:
    """Return the month of a day, such as "2026-11"."""
    return day.isoformat()[:MONTH]


def _invalidate(circle_id: int, period: str) -> None:
    db.session().info.setdefault(_PENDING, set()).add((circle_id, period))


events.listen(db.session, "after_rollback", lambda session: session.info.pop(_PENDING, None))


@events.listens_for(db.session, "before_commit")
def _count(session: Session) -> None:
    """Increment the counters in one statement, the transaction's last.

    Its rows are sorted, so that transactions lock the counters in the same order and wait for nothing else.
    """
    changed = session.info.pop(_PENDING, None)
    if changed:
        session.flush()
        rows = [{"circle_id": id_, "period": period, "changes": 1} for id_, period in sorted(changed)]
        session.execute(_increment(db.engine.dialect.name), rows)


@cache
def _increment(dialect: str) -> postgresql.Insert | sqlite.Insert:
    """Build the statement that increments counters; cached, since every write executes it."""
    incremented = {"changes": PeriodTotals.changes + 1}
    return insert_totals(dialect).on_conflict_do_update(index_elements=["circle_id", "period"], set_=incremented)


def insert_totals(dialect: str) -> postgresql.Insert | sqlite.Insert:
    """Begin a statement that inserts rows of `PeriodTotals`, or updates them."""
    return postgresql.insert(_PERIOD_TOTALS) if dialect == "postgresql" else sqlite.insert(_PERIOD_TOTALS)
