"""Telling phones and walls that what they show of an event has changed: by the editions that models.Event explains."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import func, select

from ..models import Event, RoundTable, db, new_token
from ..site.live import EVENT, EVENT_TABLE, PLAN, Message, publish_after_commit, touch_results


def read_table_etag(event: Event, table: int) -> str:
    """Return the ETag of a table's page, which shows the event without its results, and this table's result."""
    at_table = select(RoundTable.edition).where(RoundTable.event_id == event.id, RoundTable.number == table)
    return f"{event.plan_edition}-{db.session.scalar(at_table.order_by(RoundTable.round.desc()).limit(1))}"


def read_editions(tokens: Collection[str]) -> list[Message]:
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


def touch_event_table(event: Event, table: int) -> None:
    """Note a change of a table, for directors, the wall and its phones, in the caller's transaction."""
    touch_results(event)
    at_table = select(RoundTable).where(RoundTable.event_id == event.id, RoundTable.number == table)
    row = db.session.scalars(at_table.order_by(RoundTable.round.desc()).limit(1)).one()
    row.edition = new_token()
    publish_after_commit(Message(f"{EVENT_TABLE}-{table}", event.token, row.edition))
