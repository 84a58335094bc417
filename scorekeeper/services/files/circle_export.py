"""Write a circle as its file, with the tables in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

from sqlalchemy import Select, select, union
from sqlalchemy.orm import joinedload, selectinload, subqueryload

from ...exchange.circle_file import write_circle
from ...exchange.circle_records import (
    BrowserRecord,
    CircleRecord,
    EntrantRecord,
    EntrantSubstitutionRecord,
    EventRecord,
    HandicapRecord,
    PartRecord,
    PaymentRecord,
    PlayerRecord,
    PresenceRecord,
    RevisionRecord,
    RoundRecord,
    RoundResultRecord,
    RoundTableRecord,
    SeasonRecord,
    SettlementRecord,
    SideRecord,
    Signed,
    TableRecord,
)
from ...models import (
    SEATED,
    Browser,
    Circle,
    Confirmation,
    Event,
    Handicap,
    Payment,
    Player,
    Presence,
    ResultConfirmation,
    Revision,
    RoundResult,
    RoundTable,
    Season,
    Settlement,
    Table,
    db,
)
from ...scoring.values import JsonObject
from ...tables.revisions import RevisionRow
from ...time_zones import find_evening, in_force
from ..tables.replayed import read_revisions_of_all
from .circle_rows import Numbers, dump_row

BATCH_SIZE = 200  # tables, settlements or payments held in memory


def export(circle: Circle, file: IO[bytes]) -> None:
    """Write the circle's file. The same circle gives the same bytes, also after it was imported elsewhere."""
    numbers = _number(circle)
    lists: dict[str, Iterable[JsonObject]] = {
        "players": _players(circle, numbers),
        "browsers": _browsers(circle, numbers),
        "tables": _tables(circle, numbers),
        "settlements": _settlements(circle, numbers),
        "payments": _payments(circle, numbers),
    }
    if numbers["events"]:
        lists["events"] = _events(circle, numbers)
    if found := dump_seasons(circle, numbers):
        lists["seasons"] = found
    write_circle(_circle(circle, numbers), lists, file)


def _number(circle: Circle) -> Numbers:
    """Return the numbers in the file by the ids in the database, for each section."""
    numbers = {
        section: {id_: number for number, id_ in enumerate(_ids(model, circle), start=1)}
        for section, model in (("players", Player), ("tables", Table), ("events", Event), ("settlements", Settlement))
    }
    browsers = db.session.execute(select(Browser.id, Browser.number).where(Browser.circle_id == circle.id))
    return numbers | {"browsers": {row.id: row.number for row in browsers}}


def _ids(model: type[Player | Table | Event | Settlement], circle: Circle) -> list[int]:
    return list(db.session.scalars(select(model.id).where(model.circle_id == circle.id).order_by(model.id)))


def _batches(model: type[Any], circle: Circle, ids: list[int], *options: Any) -> Iterator[Any]:
    """Yield a circle's rows by their ids, a batch at a time."""
    in_circle = select(model).where(model.circle_id == circle.id)
    for start in range(0, len(ids), BATCH_SIZE):
        query = in_circle.where(model.id.in_(ids[start : start + BATCH_SIZE])).options(*options)
        yield db.session.scalars(query.order_by(model.id)).all()


def _circle(circle: Circle, numbers: Numbers) -> JsonObject:
    banker = db.session.scalar(select(Player.id).where(Player.circle_id == circle.id, Player.is_banker))
    return dump_row(
        CircleRecord,
        circle,
        numbers,
        time_zone=in_force(circle.time_zone),
        transferred=circle.transferred.split(),
        banker=numbers["players"][banker] if banker is not None else None,
    )


def _players(circle: Circle, numbers: Numbers) -> Iterator[JsonObject]:
    here = db.session.scalars(select(Presence).where(Presence.circle_id == circle.id))
    present = {row.player_id: dump_row(PresenceRecord, row, numbers) for row in here}
    for player in db.session.scalars(select(Player).where(Player.circle_id == circle.id).order_by(Player.id)):
        number = numbers["players"][player.id]
        yield dump_row(PlayerRecord, player, numbers, number=number, present=present.get(player.id))


def _browsers(circle: Circle, numbers: Numbers) -> Iterator[JsonObject]:
    """Yield the browsers that are authors of something; so the one that imports a circle is in no export of it."""
    query = select(Browser).where(Browser.circle_id == circle.id, Browser.id.in_(_authors(circle)))
    for browser in db.session.scalars(query.order_by(Browser.number)):
        yield dump_row(BrowserRecord, browser, numbers)


_IS_OF_TABLE = (Table.circle_id == Revision.circle_id) & (Table.id == Revision.table_id)
_IS_OF_PAYMENT = (Payment.circle_id == Confirmation.circle_id) & (Payment.id == Confirmation.payment_id)


def _authors(circle: Circle) -> Select[int]:
    """Select the ids of the browsers that have recorded, paid or confirmed something."""
    found = union(
        select(Revision.browser_id).join(Table, _IS_OF_TABLE).where(Table.circle_id == circle.id),
        select(Payment.browser_id).where(Payment.circle_id == circle.id),
        select(Confirmation.browser_id).join(Payment, _IS_OF_PAYMENT).where(Payment.circle_id == circle.id),
        select(RoundResult.browser_id).where(RoundResult.circle_id == circle.id),
        select(ResultConfirmation.browser_id).where(ResultConfirmation.circle_id == circle.id),
    ).subquery()
    return select(found.c[0])


# --- tables and events -----------------------------------------------------------------------------------------


def _tables(circle: Circle, numbers: Numbers) -> Iterator[JsonObject]:
    zone = in_force(circle.time_zone)
    for tables in _batches(Table, circle, list(numbers["tables"]), SEATED):
        ids = [table.id for table in tables]
        revisions = read_revisions_of_all(circle.id, ids)
        for table in tables:
            yield _table(table, numbers, revisions.pop(table.id), zone)


def _table(table: Table, numbers: Numbers, revisions: list[RevisionRow], zone: str | None) -> JsonObject:
    """Return a table; in the zone of a server to which the circle was moved, its day may not follow from its time."""
    players = numbers["players"]
    value = {"currency": table.value_currency, "unit": table.value_unit, "amount": table.value_amount}
    return dump_row(
        TableRecord,
        table,
        numbers,
        number=numbers["tables"][table.id],
        players=[players[seat.player_id] for seat in table.seats if not seat.is_substitute],
        is_dated=table.is_dated or (zone is not None and table.day != find_evening(table.opened_at, zone)),
        value=value if all(value.values()) else None,
        title=table.title if (table.title or "").strip() else None,  # that of a sheet may be blank
        substitutes=[players[seat.player_id] for seat in table.seats if seat.is_substitute],
        revisions=[dump_row(RevisionRecord, row, numbers) for row in revisions],
    )


def _events(circle: Circle, numbers: Numbers) -> Iterator[JsonObject]:
    for id_ in numbers["events"]:
        yield dump_event(db.session.get_one(Event, (id_, circle.id)), numbers)


# --- money ---------------------------------------------------------------------------------------------------


def _settlements(circle: Circle, numbers: Numbers) -> Iterator[JsonObject]:
    for settlements in _batches(Settlement, circle, list(numbers["settlements"]), subqueryload(Settlement.parts)):
        for settlement in settlements:
            number = numbers["settlements"][settlement.id]
            parts = [dump_row(PartRecord, part, numbers) for part in settlement.parts]
            yield dump_row(SettlementRecord, settlement, numbers, number=number, parts=parts)


def _payments(circle: Circle, numbers: Numbers) -> Iterator[JsonObject]:
    ids = select(Payment.id).where(Payment.circle_id == circle.id).order_by(Payment.number)
    for payments in _batches(Payment, circle, list(db.session.scalars(ids)), joinedload(Payment.confirmation)):
        for payment in sorted(payments, key=lambda payment: payment.number):
            given = payment.confirmation
            confirmed = dump_row(Signed, given, numbers) if given is not None else None
            yield dump_row(PaymentRecord, payment, numbers, confirmed=confirmed)


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


def dump_seasons(circle: Circle, numbers: Numbers) -> list[JsonObject]:
    """Return the circle's seasons as they stand in its file, in the order in which they were made."""
    query = select(Handicap).where(Handicap.circle_id == circle.id)
    given: dict[int, list[Handicap]] = {}
    for row in sorted(db.session.scalars(query), key=lambda row: numbers["players"][row.player_id]):
        given.setdefault(row.season_id, []).append(row)
    of_circle = select(Season).where(Season.circle_id == circle.id).order_by(Season.id)
    return [
        dump_row(
            SeasonRecord,
            season,
            numbers,
            handicaps=[dump_row(HandicapRecord, row, numbers) for row in given.get(season.id, ())],
        )
        for season in db.session.scalars(of_circle)
    ]
