"""What the phone at a table of an event reads: many times an evening, on each of 250 tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from sqlalchemy import Integer, bindparam, case, func, select

from ...limits import MAX_PLAYERS
from ...live.messages import PLAN, TABLE, Message
from ...models import DrawnRound, Event, ResultConfirmation, RoundResult, RoundTable, Table, db
from .following import marks
from .reading import RoundTableRow
from .rows import split_game_key

_PER_PLAN = 1_000_000  # more than a table's state counts to
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
_MISSING_STEPS = case((RoundTable.called_at.is_(None), 0), (RoundTable.coming_id.is_(None), 2), else_=1)
_CALL_STEPS = 3 * RoundTable.calls - _MISSING_STEPS  # a call is made, taken, ended
_STATE = (RoundTable.result, _CONFIRMATIONS, Table.entry_key, _CALL_STEPS)
_UNUSED = (0, None, None, 0)  # the state of a table at which nobody plays
# Built once: 250 phones ask when a round is drawn.
_MARK = (
    select(_LAST_KEY, RoundTable.is_confirmed, RoundTable.called_at, Table.token, *_STATE)
    .outerjoin(RoundTable.table)
    .where(
        RoundTable.circle_id == _OF_EVENT["circle"],
        RoundTable.event_id == _OF_EVENT["event"],
        RoundTable.round == _CURRENT,
        RoundTable.number == bindparam("number", type_=Integer),
    )
)


def mark(event: Event, table: int) -> str:
    """Return what changes whenever the page of a table does: with the event but for results, or by itself."""
    found = db.session.execute(_MARK, {"circle": event.circle_id, "event": event.id, "number": table})
    own = [*next(iter(found), _UNUSED)]
    digest = hashlib.sha256(json.dumps([str(value) for value in own]).encode()).hexdigest()[:16]
    return f"{marks(event)[PLAN]}-{digest}.{_number(event.plan_version, *own[-len(_STATE) :])}"


def _number(plan_version: int, result: int, confirmations: int | None, pad: str | None, call_steps: int) -> int:
    """Return a number that grows with each change of a table: a plan, a pad, a result, its confirmations, a call."""
    game = split_game_key(pad)[1] if pad is not None else 0
    return plan_version * _PER_PLAN + 6 * result + 2 * (confirmations or 0) + game + call_steps


def message(event: Event, table: int) -> Message:
    """Return the message that a table of the current round has changed, to announce after the change was written."""
    db.session.flush()
    return Message(f"{TABLE}-{table}", event.token, int(mark(event, table).rpartition(".")[2]))


_CURRENT_TABLES = (
    select(Event.token, RoundTable.number, Event.plan_version, *_STATE)
    .join(RoundTable, (RoundTable.circle_id == Event.circle_id) & (RoundTable.event_id == Event.id))
    .outerjoin(RoundTable.table)
    .where(
        RoundTable.round
        == select(func.max(DrawnRound.number))
        .where(DrawnRound.circle_id == Event.circle_id, DrawnRound.event_id == Event.id)
        .correlate(Event)
        .scalar_subquery()
    )
)


def list_messages(plans: Mapping[str, int]) -> list[Message]:
    """Return where each table of these events is; `plans` has the plan's version by the event's token."""
    numbers = {
        (token, table): _number(*state)
        for token, table, *state in db.session.execute(_CURRENT_TABLES.where(Event.token.in_(plans)))
    }
    return [
        Message(f"{TABLE}-{table}", token, numbers.get((token, table), plan * _PER_PLAN))
        for token, plan in plans.items()
        for table in range(1, MAX_PLAYERS // 4 + 1)
    ]


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
