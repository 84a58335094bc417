"""Removing tables at which nothing was recorded."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, select

from ...db.transactions import write_to_circle
from ...models import Browser, Circle, Part, Revision, Seat, Settlement, Summary, Table, db
from ...models.rights import SCORE
from ...tables.revisions import CLOSE, REOPEN
from ..invalidation import invalidate_table
from . import replayed
from .table import KEY_AT_EVENTS


def may_be_removed(table: Table) -> bool:
    """Return whether nothing was ever recorded at a table, which is of no event."""
    is_of_event = (table.entry_key or "").startswith(KEY_AT_EVENTS)
    return not is_of_event and not has_records(table.circle_id, [table.id])


def remove(table: Table, by: Browser) -> bool:
    """Delete a table; False if something was recorded there meanwhile.

    Raises:
        CircleErasedError: the circle, or the table, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    id_ = table.id

    def work(circle: Circle) -> bool:
        is_empty = may_be_removed(replayed.get_locked(circle, id_))
        if is_empty:
            delete_tables(circle.id, [id_])
        return is_empty

    return write_to_circle(table.circle_id, work, browser=by, right=SCORE)


def has_records(circle_id: int, table_ids: Collection[int]) -> bool:
    """Return whether something was recorded at one of these tables, or paid for it; closing it does not count."""
    deals = select(Revision.table_id).where(Revision.circle_id == circle_id, Revision.table_id.in_(table_ids))
    settlements = select(Settlement.table_id).where(
        Settlement.circle_id == circle_id, Settlement.table_id.in_(table_ids)
    )
    parts = select(Part.table_id).where(Part.circle_id == circle_id, Part.table_id.in_(table_ids))
    queries = (deals.where(Revision.kind.not_in((CLOSE, REOPEN))), settlements, parts)
    return any(db.session.scalar(query.limit(1)) for query in queries)


def delete_tables(circle_id: int, table_ids: Collection[int]) -> None:
    """Delete tables without records; the caller holds the circle's lock."""
    for table in db.session.scalars(select(Table).where(Table.circle_id == circle_id, Table.id.in_(table_ids))):
        invalidate_table(table)
    for statement in (
        delete(Revision).where(Revision.circle_id == circle_id, Revision.table_id.in_(table_ids)),
        delete(Summary).where(Summary.circle_id == circle_id, Summary.table_id.in_(table_ids)),
        delete(Seat).where(Seat.circle_id == circle_id, Seat.table_id.in_(table_ids)),
        delete(Table).where(Table.circle_id == circle_id, Table.id.in_(table_ids)),
    ):
        db.session.execute(statement, execution_options={"synchronize_session": False})
