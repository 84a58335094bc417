"""All circles of a server for its host: how large each is, and when it was last used."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import DateTime, Select, func, select

from ...db.clock import now
from ...models import Base, Browser, Circle, Table, db


class ListedCircle(NamedTuple):
    """A circle; its numbers of rows, tables and phones that have access; the time of the last write, in UTC."""

    id: int
    name: str
    title: str | None
    is_sample: bool
    rows: int
    tables: int
    phones: int
    used_at: datetime


def list_circles(unused_days: int = 0) -> list[ListedCircle]:
    """List the circles in which nothing was written for so many days, the one used last at the end.

    Who only reads leaves no trace.
    """
    circles = db.session.scalars(select(Circle)).all()
    rows = Counter({circle.id: 1 for circle in circles})
    used_at = {circle.id: circle.created_at for circle in circles}
    for table in Base.metadata.tables.values():
        if "circle_id" not in table.c:
            continue
        times = [func.max(column) for column in table.c if isinstance(column.type, DateTime)]
        query = select(table.c.circle_id, func.count(), *times).group_by(table.c.circle_id)
        for circle_id, count, *latest in db.session.execute(query):
            if circle_id in used_at:
                rows[circle_id] += count
                used_at[circle_id] = max([used_at[circle_id], *filter(None, latest)])
    tables = _counts(select(Table.circle_id, func.count()).group_by(Table.circle_id))
    phones = _counts(
        select(Browser.circle_id, func.count()).where(Browser.right.is_not(None)).group_by(Browser.circle_id)
    )
    listed = [
        ListedCircle(
            circle.id,
            circle.name,
            circle.title,
            circle.is_sample,
            rows[circle.id],
            tables[circle.id],
            phones[circle.id],
            used_at[circle.id],
        )
        for circle in circles
    ]
    before = now() - timedelta(days=unused_days)
    return sorted((circle for circle in listed if circle.used_at <= before), key=lambda circle: circle.used_at)


def _counts(query: Select[int, int]) -> Counter[int]:
    return Counter({row[0]: row[1] for row in db.session.execute(query)})
