"""A table's title, day, place and note, and after what people take turns; and deleting tables.

They are entered when the table is opened, and changed by anybody who may score.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import astuple, dataclass
from datetime import date

from sqlalchemy import delete, func, select

from ..db.outcome import Done, Stale, make_seen
from ..db.transactions import UNSYNCHRONIZED, writing_to_circle
from ..models import SCORE, Circle, Membership, Payment, Revision, Seat, Summary, Table, db
from ..scoring.values import clean_lines, clean_name
from ..site.live import touch_table
from . import reading
from .revisions import CLOSE, REOPEN


def may_be_removed(table: Table) -> bool:
    return not table.is_at_event and not has_records(table.circle_id, [table.id])


def remove_table(table: Table, by: Membership) -> bool:
    """Delete a table; False if something was recorded there meanwhile."""
    id_ = table.id
    with writing_to_circle(table.circle_id, membership=by, right=SCORE) as circle:
        is_empty = may_be_removed(reading.get_locked_table(circle, id_))
        if is_empty:
            delete_tables(circle.id, [id_])
        return is_empty


def has_records(circle_id: int, table_ids: Collection[int]) -> bool:
    """Return whether something was recorded at one of these tables, or paid for it; closing it does not count."""
    facts = select(Revision.table_id).where(Revision.circle_id == circle_id, Revision.kind.not_in((CLOSE, REOPEN)))
    paid = select(Payment.table_id).where(Payment.circle_id == circle_id)
    queries = (facts.where(Revision.table_id.in_(table_ids)), paid.where(Payment.table_id.in_(table_ids)))
    return any(db.session.scalar(query.limit(1)) for query in queries)


def delete_tables(circle_id: int, table_ids: Collection[int]) -> None:
    """Delete tables without records; the caller holds the circle's lock."""
    for column in (Revision.table_id, Summary.table_id, Seat.table_id, Table.id):
        statement = delete(column.class_).where(column.class_.circle_id == circle_id, column.in_(table_ids))
        db.session.execute(statement, execution_options=UNSYNCHRONIZED)


MAX_SUGGESTED = 50  # places


@dataclass(frozen=True)
class Details:
    title: str = ""
    day: date | None = None  # None if nobody entered one
    place: str = ""
    note: str = ""
    turns: str = ""  # blank if people take turns only at the next table

    @property
    def seen(self) -> str:
        return make_seen(astuple(self))


def read_details(table: Table) -> Details:
    texts = clean_name(table.title), clean_name(table.place), clean_lines(table.note)
    return Details(texts[0], table.day, *texts[1:], table.turns or "")


def change_details(table: Table, wanted: Details, seen: str, by: Membership) -> Done[None] | Stale[Details]:
    """Change a table's details if they are still as the page has shown them. Without a day, its day stays."""
    id_ = table.id
    with writing_to_circle(table.circle_id, membership=by, right=SCORE) as circle:
        locked = reading.get_locked_table(circle, id_)
        current = read_details(locked)
        if wanted == current:
            return Done(None)
        if seen != current.seen:
            return Stale(current)
        _apply(locked, wanted, current)
        touch_table(locked)
        return Done(None)


def _apply(table: Table, wanted: Details, current: Details) -> None:
    """Set what has changed; an unchanged text stays as it is stored."""
    for field in ("title", "place", "note"):
        if getattr(wanted, field) != getattr(current, field):
            setattr(table, field, getattr(wanted, field) or None)
    if wanted.day is not None and wanted.day != table.day:
        table.day = table.played_on = wanted.day
        table.is_dated = True
    if wanted.turns != current.turns:
        table.turns = wanted.turns or None


def list_places(circle: Circle) -> list[str]:
    """List the latest places of the circle's tables."""
    query = (
        select(Table.place)
        .where(Table.circle_id == circle.id, Table.place.is_not(None))
        .group_by(Table.place)
        .order_by(func.max(Table.day).desc(), Table.place)
        .limit(MAX_SUGGESTED)
    )
    return [place for place in db.session.scalars(query) if place]
