"""What the phone at a table of an event reads: many times an evening, on each of 250 tables."""

from __future__ import annotations

import hashlib
import json

from sqlalchemy import Integer, bindparam, func, select

from ...live.messages import PLAN
from ...models import DrawnRound, Event, ResultConfirmation, RoundResult, RoundTable, Table, db
from .following import marks
from .reading import RoundTableRow

_IS_CONFIRMED = (ResultConfirmation.circle_id == RoundResult.circle_id) & (
    ResultConfirmation.result_id == RoundResult.id
)
_OF_EVENT = {"circle": bindparam("circle", type_=Integer), "event": bindparam("event", type_=Integer)}
_CURRENT = (
    select(func.max(DrawnRound.number))
    .where(DrawnRound.circle_id == _OF_EVENT["circle"], DrawnRound.event_id == _OF_EVENT["event"])
    .scalar_subquery()
)
_CONFIRMATIONS = (
    select(func.count(ResultConfirmation.side))
    .join(RoundResult, _IS_CONFIRMED)
    .where(RoundResult.circle_id == RoundTable.circle_id, RoundResult.event_id == RoundTable.event_id)
    .where(RoundResult.round == RoundTable.round, RoundResult.table_number == RoundTable.number)
    .correlate(RoundTable)
    .scalar_subquery()
)
_LAST_KEY = (
    select(RoundResult.entry_key)
    .where(RoundResult.circle_id == RoundTable.circle_id, RoundResult.event_id == RoundTable.event_id)
    .where(RoundResult.round == RoundTable.round, RoundResult.table_number == RoundTable.number)
    .where(RoundResult.number == RoundTable.result)
    .correlate(RoundTable)
    .scalar_subquery()
)
# Built once: 250 phones ask when a round is drawn.
_MARK = (
    select(_LAST_KEY, RoundTable.is_confirmed, Table.token, _CONFIRMATIONS)
    .outerjoin(RoundTable.table)
    .where(
        RoundTable.circle_id == _OF_EVENT["circle"],
        RoundTable.event_id == _OF_EVENT["event"],
        RoundTable.round == _CURRENT,
        RoundTable.number == bindparam("number", type_=Integer),
    )
)


def mark(event: Event, table: int) -> str:
    """Return what changes whenever the page of a table does: with the event but for results, or with its own result."""
    found = db.session.execute(_MARK, {"circle": event.circle_id, "event": event.id, "number": table})
    own = [str(value) for value in next(iter(found), ())]
    return f"{marks(event)[PLAN]}-{hashlib.sha256(json.dumps(own).encode()).hexdigest()[:16]}"


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
