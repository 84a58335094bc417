"""The rows of an event as they stand in a circle's file, and back. Phones and links are not in the file."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import selectinload

from ...exchange.circle_records import (
    EntrantRecord,
    EntrantSubstitutionRecord,
    EventRecord,
    RoundRecord,
    RoundResultRecord,
    RoundTableRecord,
    SideRecord,
)
from ...models import DrawnRound, Entrant, EntrantSubstitution, Event, ResultConfirmation, RoundResult, RoundTable, db
from ...scoring import schema
from ...scoring.values import JsonObject
from ..invalidation import invalidate_day
from .events import get_options
from .rows import Numbers, dump_row, make_row, make_values

# --- out ---------------------------------------------------------------------------------------------------


def dump_event(event: Event, numbers: Numbers) -> JsonObject:
    """Return an event with all its rows."""
    substitutions = sorted(event.substitutions, key=lambda row: (row.number, row.round))
    return dump_row(
        EventRecord,
        event,
        numbers,
        number=numbers["events"][event.id],
        entrants=[dump_row(EntrantRecord, row, numbers) for row in event.entrants],
        substitutions=[dump_row(EntrantSubstitutionRecord, row, numbers) for row in substitutions],
        drawn=_rounds(event, numbers),
    )


def _rounds(event: Event, numbers: Numbers) -> list[JsonObject]:
    results: dict[tuple[int, int], list[JsonObject]] = {}
    for row in _read_rows(RoundResult, event, "round", "table_number", "number"):
        confirmed = [dump_row(SideRecord, said, numbers) for said in row.confirmations]
        result = dump_row(RoundResultRecord, row, numbers, confirmed=confirmed)
        results.setdefault((row.round, row.table_number), []).append(result)
    tables: dict[int, list[JsonObject]] = {}
    for row in _read_rows(RoundTable, event, "round", "number"):
        table = dump_row(RoundTableRecord, row, numbers, results=results.get((row.round, row.number), []))
        tables.setdefault(row.round, []).append(table)
    return [dump_row(RoundRecord, row, numbers, tables=tables.get(row.number, [])) for row in event.drawn]


def _read_rows(model: Any, event: Event, *order: str) -> Iterable[Any]:
    query = select(model).where(model.circle_id == event.circle_id, model.event_id == event.id)
    if model is RoundResult:
        query = query.options(selectinload(RoundResult.confirmations))
    return db.session.scalars(query.order_by(*(getattr(model, name) for name in order)))


# --- in ----------------------------------------------------------------------------------------------------


def add_event(circle_id: int, record: EventRecord, ids: Numbers) -> int:
    """Add an event that was checked, with all its rows. Return its id."""
    house_rules, options = get_options(record)
    token = secrets.token_urlsafe(16)
    event = make_row(Event, record, ids, circle_id=circle_id, token=token, house_rules=house_rules, options=options)
    db.session.add(event)
    db.session.flush()
    of_event = {"circle_id": circle_id, "event_id": event.id}
    for model, records in (
        (Entrant, record.entrants),
        (EntrantSubstitution, record.substitutions),
        (DrawnRound, record.drawn),
    ):
        _insert(model, [make_values(model, each, ids, **of_event) for each in records])
    tables = [(drawn.number, table) for drawn in record.drawn for table in drawn.tables]
    _insert(RoundTable, [_table_values(table, ids, round=number, **of_event) for number, table in tables])
    for number, table in tables:
        of_table = {"round": number, "table_number": table.number, **of_event}
        for result in table.results:
            row = make_row(RoundResult, result, ids, **of_table)
            db.session.add(row)
            row.confirmations = [
                make_row(ResultConfirmation, said, ids, circle_id=circle_id) for said in result.confirmed
            ]
    db.session.flush()
    if event.finished_at is not None:
        invalidate_day(event.circle_id, event.day)
    return event.id


def _table_values(table: RoundTableRecord, ids: Numbers, **given: object) -> JsonObject:
    """Return the values of a table of a round, with the cache of its last result."""
    last = table.results[-1] if table.results else None
    scores = schema.dump(last.body) if last is not None and last.body is not None else None
    is_confirmed = (
        last is not None and scores is not None and (last.is_slip or len(last.confirmed) == len(scores["scores"]))
    )
    cache = {"result": len(table.results), "scores": scores, "is_confirmed": is_confirmed}
    return make_values(RoundTable, table, ids, **cache, **given)


def _insert(model: Any, rows: list[JsonObject]) -> None:
    if rows:
        db.session.execute(insert(model), rows)
