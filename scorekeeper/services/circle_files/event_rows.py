"""The rows of an event as they stand in a circle's file, and back. Phones and links are not in the file."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import selectinload

from ...exchange.circle_event_records import (
    EntrantRecord,
    EntrantSubstitutionRecord,
    EventRecord,
    RoundRecord,
    RoundResultRecord,
    RoundTableRecord,
    ScoresRecord,
    SideRecord,
    ValueRecord,
)
from ...exchange.circle_values import format_moment, parse_day, parse_moment, parse_optional_moment
from ...models import (
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    Event,
    ResultConfirmation,
    RoundResult,
    RoundTable,
    db,
)
from ...scoring import schema
from ...scoring.values import JsonObject
from ..caches import period_totals
from .events import options_of

Numbers = Mapping[int, int]  # in the file by id, or the other way round
Rows = list[dict[str, Any]]


# --- out ---------------------------------------------------------------------------------------------------


def dump_event(event: Event, number: int, players: Numbers, browsers: Numbers, tables: Numbers) -> JsonObject:
    """Return an event with all its rows; the mappings are the numbers in the file by id."""
    return schema.dump(_record(event, number, players, browsers, tables))  # type: ignore[no-any-return]  # an object


def _record(event: Event, number: int, players: Numbers, browsers: Numbers, tables: Numbers) -> EventRecord:
    return EventRecord(
        number=number,
        title=event.title,
        day=event.day.isoformat(),
        game=event.game,
        house_rules=event.house_rules,
        format=event.format,
        options=event.options,
        scoring=event.scoring,
        rounds=event.rounds,
        round_unit=event.round_unit,  # type: ignore[arg-type]  # a text in the database
        seed=event.seed,
        created_at=_moment(event.created_at),
        place=event.place,
        length=event.length,
        fee=event.fee,
        currency=event.currency,
        prizes=tuple(event.prizes),  # type: ignore[arg-type]  # as they are stored
        cashier=players.get(event.cashier_id or 0),
        has_stakes=event.has_stakes,
        value=ValueRecord(**event.value) if event.value is not None else None,
        has_check_in=event.has_check_in,
        sitting_out=event.sitting_out,  # type: ignore[arg-type]  # a text in the database
        finished_at=format_moment(event.finished_at),
        key=event.entry_key,
        entrants=tuple(_entrant(row, players) for row in event.entrants),
        substitutions=tuple(
            EntrantSubstitutionRecord(number=row.number, round=row.round, player=players[row.player_id])
            for row in sorted(event.substitutions, key=lambda row: (row.number, row.round))
        ),
        drawn=_rounds(event, browsers, tables),
    )


def _entrant(row: Entrant, players: Numbers) -> EntrantRecord:
    return EntrantRecord(
        number=row.number,
        player=players[row.player_id],
        joined_at=_moment(row.joined_at),
        group=row.group,  # type: ignore[arg-type]  # a text in the database
        first_round=row.first_round,
        last_round=row.last_round,
        is_stationary=row.is_stationary,
        is_free=row.is_free,
    )


def _rounds(event: Event, browsers: Numbers, tables: Numbers) -> tuple[RoundRecord, ...]:
    results: dict[tuple[int, int], list[RoundResultRecord]] = {}
    for row in _rows_of(RoundResult, event, "round", "table_number", "number"):
        results.setdefault((row.round, row.table_number), []).append(_result(row, browsers))
    by_round: dict[int, list[RoundTableRecord]] = {}
    for row in _rows_of(RoundTable, event, "round", "number"):
        table = RoundTableRecord(
            number=row.number,
            pairs=tuple(tuple(pair) for pair in row.pairs),
            table=tables.get(row.table_id or 0),
            results=tuple(results.get((row.round, row.number), ())),
        )
        by_round.setdefault(row.round, []).append(table)
    return tuple(_round(row, by_round.get(row.number, ())) for row in event.drawn)


def _rows_of(model: Any, event: Event, *order: str) -> Iterable[Any]:
    query = select(model).where(model.circle_id == event.circle_id, model.event_id == event.id)
    if model is RoundResult:
        query = query.options(selectinload(RoundResult.confirmations))
    return db.session.scalars(query.order_by(*(getattr(model, name) for name in order)))


def _round(row: DrawnRound, tables: Iterable[RoundTableRecord]) -> RoundRecord:
    return RoundRecord(
        number=row.number,
        drawn_at=_moment(row.drawn_at),
        key=row.entry_key,
        sits_out=tuple(row.sits_out),
        started_at=format_moment(row.started_at),
        paused_at=format_moment(row.paused_at),
        paused_seconds=row.paused_seconds,
        tables=tuple(tables),
    )


def _result(row: RoundResult, browsers: Numbers) -> RoundResultRecord:
    body = row.body
    return RoundResultRecord(
        number=row.number,
        by=browsers[row.browser_id],
        at=_moment(row.at),
        key=row.entry_key,
        body=ScoresRecord(
            scores=tuple(body["scores"]),
            slams=tuple(body.get("slams", ())),
            boards=tuple(tuple(scores) for scores in body.get("boards", ())),
        )
        if body is not None
        else None,
        is_slip=row.is_slip,
        confirmed=tuple(
            SideRecord(side=said.side, by=browsers[said.browser_id], at=_moment(said.at))  # type: ignore[arg-type]  # 0 or 1
            for said in row.confirmations
        ),
    )


def _moment(moment: datetime) -> str:
    return format_moment(moment) or ""


# --- in ----------------------------------------------------------------------------------------------------


def add_event(circle_id: int, record: EventRecord, players: Numbers, browsers: Numbers, tables: Numbers) -> int:
    """Add an event that was checked, with all its rows; the mappings are the ids by number. Return its id."""
    event = _event(circle_id, record, players)
    db.session.add(event)
    db.session.flush()
    ids = {"circle_id": circle_id, "event_id": event.id}
    _insert(Entrant, ids, [_entrant_row(each, players) for each in record.entrants])
    _insert(
        EntrantSubstitution,
        ids,
        [
            {"number": each.number, "round": each.round, "player_id": players[each.player]}
            for each in record.substitutions
        ],
    )
    _insert(DrawnRound, ids, [_round_row(drawn) for drawn in record.drawn])
    pairs = [(drawn.number, table) for drawn in record.drawn for table in drawn.tables]
    _insert(RoundTable, ids, [_table_row(number, table, tables) for number, table in pairs])
    _add_results(ids, pairs, browsers)
    if event.finished_at is not None:
        period_totals.invalidate_day(event.circle_id, event.day)
    return event.id


def _event(circle_id: int, record: EventRecord, players: Numbers) -> Event:
    house_rules, options = options_of(record)
    return Event(
        token=secrets.token_urlsafe(16),
        circle_id=circle_id,
        title=record.title,
        day=parse_day(record.day),
        place=record.place,
        game=record.game,
        house_rules=house_rules,
        format=record.format,
        options=options,
        scoring=record.scoring,
        rounds=record.rounds,
        round_unit=record.round_unit,
        length=record.length,
        fee=record.fee,
        currency=record.currency,
        prizes=[schema.dump(prize) for prize in record.prizes],
        cashier_id=players.get(record.cashier or 0),
        seed=record.seed,
        has_stakes=record.has_stakes,
        value=schema.dump(record.value) if record.value is not None else None,
        has_check_in=record.has_check_in,
        sitting_out=record.sitting_out,
        created_at=parse_moment(record.created_at),
        finished_at=parse_optional_moment(record.finished_at),
        entry_key=record.key,
    )


def _entrant_row(record: EntrantRecord, players: Numbers) -> dict[str, Any]:
    return {
        "number": record.number,
        "player_id": players[record.player],
        "group": record.group,
        "first_round": record.first_round,
        "last_round": record.last_round,
        "is_stationary": record.is_stationary,
        "is_free": record.is_free,
        "joined_at": parse_moment(record.joined_at),
    }


def _round_row(record: RoundRecord) -> dict[str, Any]:
    return {
        "number": record.number,
        "sits_out": list(record.sits_out),
        "drawn_at": parse_moment(record.drawn_at),
        "started_at": parse_optional_moment(record.started_at),
        "paused_at": parse_optional_moment(record.paused_at),
        "paused_seconds": record.paused_seconds,
        "entry_key": record.key,
    }


def _table_row(number: int, table: RoundTableRecord, tables: Numbers) -> dict[str, Any]:
    """Return the row of a table of a round, with the cache of its last result."""
    last = table.results[-1] if table.results else None
    scores = schema.dump(last.body) if last is not None and last.body is not None else None
    return {
        "round": number,
        "number": table.number,
        "pairs": [list(pair) for pair in table.pairs],
        "table_id": tables.get(table.table or 0),
        "result": len(table.results),
        "scores": scores,
        "is_confirmed": last is not None and scores is not None and (last.is_slip or len(last.confirmed) == 2),
    }


def _add_results(ids: dict[str, int], tables: list[tuple[int, RoundTableRecord]], browsers: Numbers) -> None:
    for number, table in tables:
        for record in table.results:
            row = RoundResult(
                **ids,
                round=number,
                table_number=table.number,
                number=record.number,
                body=schema.dump(record.body) if record.body is not None else None,
                is_slip=record.is_slip,
                browser_id=browsers[record.by],
                at=parse_moment(record.at),
                entry_key=record.key,
            )
            db.session.add(row)
            row.confirmations = [
                ResultConfirmation(
                    circle_id=ids["circle_id"], side=said.side, browser_id=browsers[said.by], at=parse_moment(said.at)
                )
                for said in record.confirmed
            ]
    db.session.flush()


def _insert(model: Any, ids: dict[str, int], rows: Rows) -> None:
    if rows:
        db.session.execute(insert(model), [ids | row for row in rows])
