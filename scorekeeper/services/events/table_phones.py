"""What the phone at a table of an event reads: many times an evening, on each of 250 tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import Integer, bindparam, case, func, or_, select

from ...db.transactions import IS_PHONE
from ...limits import MAX_PLAYERS
from ...live import EVENT, PLAN, TABLE, Message
from ...models import (
    Browser,
    Circle,
    Device,
    DrawnRound,
    Event,
    EventPhone,
    ResultConfirmation,
    RoundResult,
    RoundTable,
    Table,
    db,
)
from ..access import hash_secret
from .reading import RoundTableRow
from .writing import split_game_key

_PER_PLAN = 1_000_000  # more than a table's state counts to
_IS_CONFIRMED = ResultConfirmation.result_id == RoundResult.id
_OF_EVENT = {"circle": bindparam("circle", type_=Integer), "event": bindparam("event", type_=Integer)}
_CURRENT = (
    select(func.max(DrawnRound.number))
    .where(DrawnRound.circle_id == _OF_EVENT["circle"], DrawnRound.event_id == _OF_EVENT["event"])
    .scalar_subquery()
)
_CONFIRMATIONS = (
    select(func.count(ResultConfirmation.side))
    .join(RoundResult, _IS_CONFIRMED)
    .where(RoundResult.event_id == RoundTable.event_id)
    .where(RoundResult.round == RoundTable.round, RoundResult.table_number == RoundTable.number)
    .correlate(RoundTable)
    .scalar_subquery()
)
_LAST_KEY = (
    select(RoundResult.entry_key)
    .where(RoundResult.event_id == RoundTable.event_id)
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
    .join(RoundTable, RoundTable.event_id == Event.id)
    .outerjoin(RoundTable.table)
    .where(
        RoundTable.round
        == select(func.max(DrawnRound.number)).where(DrawnRound.event_id == Event.id).correlate(Event).scalar_subquery()
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
        .where(RoundResult.event_id == event.id)
        .where(RoundResult.round == row.round, RoundResult.table_number == row.number)
        .where(RoundResult.number == row.result)
    )
    return frozenset(db.session.scalars(query))


class EventChanges(NamedTuple):
    """How often an event has changed, and who asks.

    Attributes:
        edition, plan_edition: the event's.
        circle: the name of its circle.
        follower: as `Access` has it.
    """

    version: int
    plan_version: int
    edition: str
    plan_edition: str
    circle: str
    follower: str

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of the messages about the event."""
        return {EVENT: self.version, PLAN: self.plan_version}


def marks(event: Event | EventChanges) -> dict[str, str]:
    """Return what tells an event from all its other states, by the kind of message about it; its number comes first."""
    return {EVENT: f"{event.version}-{event.edition}", PLAN: f"{event.plan_version}-{event.plan_edition}"}


_COUNTS = (Event.version, Event.plan_version, Event.edition, Event.plan_edition, Circle.name)

# Built once: SQLAlchemy takes longer to build it than to run it.
_OF_DEVICE = (
    select(*_COUNTS, Device.secret_hash)
    .join(Event.circle)
    .join(Circle.browsers)
    .join(Browser.device)
    .outerjoin(
        EventPhone,
        IS_PHONE & (EventPhone.browser_id == Browser.id),
    )
    .where(
        Event.token == bindparam("token"),
        Device.secret_hash == bindparam("secret_hash"),
        Browser.revoked_at.is_(None),
        or_(Browser.right.is_not(None), EventPhone.browser_id.is_not(None)),
    )
)
_OF_LINK = (
    select(*_COUNTS, Event.generation)
    .join(Event.circle)
    .where(Event.token == bindparam("token"), Event.generation == bindparam("generation"))
)


def count_changes(device_secret: str, token: str) -> EventChanges | None:
    """Return how often the event has changed, in one query; None if the device has no access to it."""
    row = db.session.execute(_OF_DEVICE, {"token": token, "secret_hash": hash_secret(device_secret)}).one_or_none()
    return EventChanges._make(row) if row is not None else None


def count_changes_by_link(token: str, generation: str) -> EventChanges | None:
    """Return how often an event has changed, to anyone with a valid link to it; else None."""
    row = db.session.execute(_OF_LINK, {"token": token, "generation": generation}).one_or_none()
    return EventChanges._make(row) if row is not None else None


def read_numbers(tokens: Collection[str]) -> list[Message]:
    """Return how often the events with these tokens have changed."""
    query = select(Event.token, Event.version, Event.plan_version).where(Event.token.in_(tokens))
    return [
        message
        for token, version, plan_version in db.session.execute(query)
        for message in (Message(EVENT, token, version), Message(PLAN, token, plan_version))
    ]
