"""Evenings: a circle's time zone, and the days of its tables and settlements, which follow from it.

`Table.day` is stored, so that tables can be found by it. Changing the zone rewrites it. In a circle without a zone of
its own, each day is what the server's clock said when the table was opened, so moving the server changes no day.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple, cast

from sqlalchemy import Date, bindparam, case, func, or_, select, update
from sqlalchemy import Table as SqlTable

from ... import time_zones
from ...db.transactions import get_id, write_to_circle
from ...models import Browser, Circle, Event, Part, Settlement, Table, db
from ...models.rights import HOST
from ...scoring.problems import Problem
from ...time_zones import find_evening
from . import summaries


def set_time_zone(circle: Circle, name: str, by: Browser) -> Problem | None:
    """Set the circle's time zone, and count its evenings anew. A blank name stands for the server's zone.

    Returns what is wrong with the name, if anything.
    """
    zone = time_zones.parse(name)
    if name and zone is None:
        return Problem("time_zone", "unknown-time-zone")

    circle_id = get_id(circle)

    def work(locked: Circle) -> None:
        locked.time_zone = zone
        assign_evenings(locked)

    write_to_circle(circle_id, work, browser=by, right=HOST)
    summaries.refresh_forgotten(circle_id)
    return None


def assign_evenings(circle: Circle) -> None:
    """Move tables and settlements to their evenings in the circle's zone; the caller holds its lock.

    The fingerprints of the tables are left out afterwards, since a sheet has its day.
    """
    moved = list(_misplaced_tables(circle))
    if moved:
        db.session.execute(_MOVED, [{"circle": circle.id, "table": table.id, "to": table.evening} for table in moved])
        db.session.expire_all()
    summaries.forget_texts(circle.id, [table.id for table in moved])
    redate_settlements(circle)


def redate_settlements(circle: Circle) -> None:
    """Move settlements of evenings after their tables; the caller holds the circle's lock."""
    days = [{"id": id_, "circle_id": circle.id, "day": day} for id_, day in misdated_settlements(circle)]
    if days:
        db.session.execute(update(Settlement), days)


class _Misplaced(NamedTuple):
    """A table, the day it is on, and its evening."""

    id: int
    day: date
    evening: date


def _misplaced_tables(circle: Circle) -> Iterator[_Misplaced]:
    """Yield the tables whose day is not their evening, though nobody entered it."""
    query = select(Table.id, Table.opened_at, Table.day).where(Table.circle_id == circle.id, Table.is_dated.is_(False))
    for id_, at, day in db.session.execute(query).all():
        evening = find_evening(at, circle.time_zone)
        if day != evening:
            yield _Misplaced(id_, day, evening)


_TABLE = cast(SqlTable, Table.__table__)
_EVENING = bindparam("to", type_=Date)
_MOVED = (
    update(_TABLE)
    .where(_TABLE.c.circle_id == bindparam("circle"), _TABLE.c.id == bindparam("table"))
    .values(day=_EVENING, played_on=case((_TABLE.c.played_on.is_not(None), _EVENING)))
)


def has_zone(circle: Circle) -> bool:
    """Return whether the circle has a time zone of its own that this server knows."""
    return circle.time_zone is not None and time_zones.is_known(circle.time_zone)


def is_misplaced(table: Table) -> bool:
    """Return whether a table is on another day than its evening in the circle's zone, though nobody entered it.

    Without a zone, no table is.
    """
    circle = table.circle
    return has_zone(circle) and not table.is_dated and table.day != find_evening(table.opened_at, circle.time_zone)


def misdated_settlements(circle: Circle) -> list[tuple[int, date]]:
    """Return the settlements of evenings without any table that they took over, and the day of the last such table.

    So a settlement keeps its evening while a table of it is left there, and follows when all have moved. That of an
    event has the event's day.
    """
    of_events = (
        select(Settlement.id, Event.day)
        .join(Settlement.event)
        .where(Settlement.circle_id == circle.id, or_(Settlement.day.is_(None), Settlement.day != Event.day))
        .order_by(Settlement.id)
    )
    last_day, is_there = func.max(Table.day), case((Table.day == Settlement.day, 1), else_=0)
    query = (
        select(Settlement.id, last_day)
        .join(Settlement.parts)
        .join(Part.table)
        .where(Settlement.circle_id == circle.id, Settlement.day.is_not(None), Settlement.event_id.is_(None))
        .group_by(Settlement.id, Settlement.day)
        .having(func.sum(is_there) == 0)
        .order_by(Settlement.id)
    )
    return [(id_, day) for found in (query, of_events) for id_, day in db.session.execute(found)]
