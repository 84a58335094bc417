"""The marks of a table, which are no facts of its deals: flags, confirmations, arrivals, names and payments."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import func, select, update

from ..live.messages import FLAGS, Message, announce
from ..models import Flag, Table, db
from ..models.base import new_token

# How often a table's marks have changed.
MARK_CHANGES = Table.confirmation_changes + (
    select(func.count() + func.count(Flag.resolved_at))
    .where(Flag.circle_id == Table.circle_id, Flag.table_id == Table.id)
    .correlate(Table)
    .scalar_subquery()
)


def count_mark_changes(circle_id: int, table_ids: Iterable[int]) -> None:
    """Count a change of the tables' marks, other than of their flags, and announce it to those who follow the tables.

    The caller holds the circle's lock. Tables that the session has loaded keep their old values until it commits.
    """
    are_these = (Table.circle_id == circle_id, Table.id.in_(table_ids))
    changed = {"confirmation_changes": Table.confirmation_changes + 1, "marks_edition": new_token()}
    db.session.execute(
        update(Table).where(*are_these).values(changed), execution_options={"synchronize_session": False}
    )
    for row in db.session.execute(select(Table.token, MARK_CHANGES).where(*are_these)):
        announce(Message(FLAGS, *row))
