"""What the phone at a table of an event reads: many times an evening, on each of 250 tables."""

from __future__ import annotations

from sqlalchemy import func, select

from ...models import DrawnRound, Event, ResultConfirmation, RoundResult, RoundTable, db
from .reading import RoundTableRow


def mark(event: Event, table: int) -> str:
    """Return what changes whenever the page of a table does: with the event but for results, or with its own result."""
    current = (
        select(func.max(DrawnRound.number))
        .where(DrawnRound.circle_id == event.circle_id, DrawnRound.event_id == event.id)
        .scalar_subquery()
    )
    row = RoundTable
    of_table = (row.circle_id == event.circle_id, row.event_id == event.id, row.round == current, row.number == table)
    confirmations = (
        select(func.count(ResultConfirmation.side))
        .join(RoundResult, _IS_CONFIRMED)
        .where(RoundResult.circle_id == row.circle_id, RoundResult.event_id == row.event_id)
        .where(RoundResult.round == row.round, RoundResult.table_number == row.number)
        .correlate(row)
        .scalar_subquery()
    )
    found = db.session.execute(select(row.result, row.is_confirmed, row.table_id, confirmations).where(*of_table))
    columns = (event.plan_version, *next(iter(found), ()))
    return "-".join(str(int(value or 0)) for value in columns)


_IS_CONFIRMED = (ResultConfirmation.circle_id == RoundResult.circle_id) & (
    ResultConfirmation.result_id == RoundResult.id
)


def confirmed_sides(event: Event, row: RoundTableRow) -> frozenset[int]:
    """Return the sides that have confirmed a table's last result."""
    if row.scores is None:
        return frozenset()
    query = (
        select(ResultConfirmation.side)
        .join(RoundResult, _IS_CONFIRMED)
        .where(RoundResult.circle_id == event.circle_id, RoundResult.event_id == event.id)
        .where(RoundResult.round == row.round, RoundResult.table_number == row.number)
        .where(RoundResult.number == row.result)
    )
    return frozenset(db.session.scalars(query))
