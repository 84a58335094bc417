"""A circle's time zone, and the days of its settlements, which follow its tables."""

from __future__ import annotations

from datetime import date

from sqlalchemy import case, func, or_, select, update

from ... import time_zones
from ...db.transactions import get_id, write_to_circle
from ...models import HOST, Browser, Circle, Event, Part, Settlement, Table, db
from ...scoring.problems import Problem


def set_time_zone(circle: Circle, name: str, by: Browser) -> Problem | None:
    """Set the circle's time zone; past tables keep their evening. A blank name stands for the server's zone.

    Returns what is wrong with the name, if anything.
    """
    zone = time_zones.parse(name)
    if name and zone is None:
        return Problem("time_zone", "unknown-time-zone")

    def work(locked: Circle) -> None:
        locked.time_zone = zone

    write_to_circle(get_id(circle), work, browser=by, right=HOST)
    return None


def redate_settlements(circle: Circle) -> None:
    """Move settlements of evenings after their tables; the caller holds the circle's lock."""
    days = [{"id": id_, "circle_id": circle.id, "day": day} for id_, day in _misdated_settlements(circle)]
    if days:
        db.session.execute(update(Settlement), days)


def _misdated_settlements(circle: Circle) -> list[tuple[int, date]]:
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
