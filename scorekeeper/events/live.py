"""Live updates of events: a transaction notes what it changes, and phones that follow it are told after the commit."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select

from ..models import Base, Circle, Entrant, EntrantSubstitution, Event, RoundTable, db, new_token
from ..site.live import Message, publish_after_commit

EVENT = "event"  # all of an event
PLAN = "plan"  # the event without its results, which a thousand phones follow
EVENT_TABLE = "event-table"  # the result and the pad of one of its tables: "event-table-7"


def touch_event(event: Event) -> None:
    """Note a change of the event in the caller's transaction; after it, the phones that follow it are notified."""
    event.plan_edition = new_token()
    publish_after_commit(Message(PLAN, event.token, event.plan_edition))
    _touch_results(event)


def _touch_results(event: Event) -> None:
    event.edition = new_token()
    publish_after_commit(Message(EVENT, event.token, event.edition))


def touch_event_table(event: Event, table: int) -> None:
    """Note a change of a table, for directors, the wall and its phones, in the caller's transaction."""
    _touch_results(event)
    at_table = select(RoundTable).where(RoundTable.event_id == event.id, RoundTable.number == table)
    row = db.session.scalars(at_table.order_by(RoundTable.round.desc()).limit(1)).one()
    row.edition = new_token()
    publish_after_commit(Message(f"{EVENT_TABLE}-{table}", event.token, row.edition))


def touch_people(circle: Circle, player_ids: Sequence[int]) -> None:
    """Note a change of the names of these players, for each event that shows one of them."""
    entered, substituted = (
        Event.id.in_(select(model.event_id).where(model.player_id.in_(player_ids)))
        for model in (Entrant, EntrantSubstitution)
    )
    for event in db.session.scalars(select(Event).where(Event.circle_id == circle.id, entered | substituted)):
        touch_event(event)


def touch_row(row: Base) -> None:
    if isinstance(row, Event):
        touch_event(row)


def read_messages(tokens: Collection[str]) -> list[Message]:
    """Return the editions of the events with these tokens, and of their tables in the last round."""
    found: list[Message] = []
    for event in db.session.scalars(select(Event).where(Event.token.in_(tokens))):
        found += [Message(EVENT, event.token, event.edition), Message(PLAN, event.token, event.plan_edition)]
    if not found:
        return []
    last_round = select(func.max(RoundTable.round)).where(RoundTable.event_id == Event.id).correlate(Event)
    tables = (
        select(RoundTable.number, Event.token, RoundTable.edition)
        .join(Event, Event.id == RoundTable.event_id)
        .where(Event.token.in_(tokens), RoundTable.round == last_round.scalar_subquery())
    )
    return found + [Message(f"{EVENT_TABLE}-{number}", *state) for number, *state in db.session.execute(tables)]
