"""Write a circle as its file, with the tables in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

from sqlalchemy import Select, select, union

from ...exchange.circle_file import write_circle
from ...exchange.circle_records import (
    LISTS,
    OPTIONAL,
    BrowserRecord,
    CircleRecord,
    RevisionRecord,
    TableRecord,
)
from ...models import (
    SEATED,
    Browser,
    Circle,
    Confirmation,
    Event,
    Payment,
    Player,
    ResultConfirmation,
    Revision,
    RoundResult,
    Season,
    Settlement,
    Table,
    db,
)
from ...scoring.values import JsonObject
from ...tables.revisions import RevisionRow
from ...time_zones import in_force
from ..tables.replayed import read_revisions_of_all
from .circle_rows import Numbers, dump_row, dump_rows

BATCH_SIZE = 200  # tables, settlements or payments held in memory


_NUMBERED: dict[str, Any] = {"players": Player, "tables": Table, "events": Event, "settlements": Settlement}


def export(circle: Circle, file: IO[bytes]) -> None:
    """Write the circle's file. The same circle gives the same bytes, also after it was imported elsewhere."""
    numbers = _number(circle)
    lists: dict[str, Iterable[JsonObject]] = {
        "browsers": _browsers(circle, numbers),
        "tables": _tables(circle, numbers),
        "seasons": list(_section("seasons", Season, circle, numbers)),
    }
    for name, model in (*_NUMBERED.items(), ("payments", Payment)):
        lists.setdefault(name, _section(name, model, circle, numbers))
    left_out = {name for name in OPTIONAL if not (numbers[name] if name in numbers else lists[name])}
    write_circle(_circle(circle, numbers), {name: lists[name] for name in LISTS if name not in left_out}, file)


def _number(circle: Circle) -> Numbers:
    """Return the numbers in the file by the ids in the database, for each section."""
    numbers = {
        section: {id_: number for number, id_ in enumerate(_ids(model, circle), start=1)}
        for section, model in _NUMBERED.items()
    }
    browsers = db.session.execute(select(Browser.id, Browser.number).where(Browser.circle_id == circle.id))
    return numbers | {"browsers": {row.id: row.number for row in browsers}}


def _ids(model: Any, circle: Circle) -> list[int]:
    order = model.number if model is Payment else model.id
    return list(db.session.scalars(select(model.id).where(model.circle_id == circle.id).order_by(order)))


def _batches(model: Any, circle: Circle, *options: Any) -> Iterator[list[Any]]:
    """Yield a circle's rows in their order, a batch at a time; events one by one, which have many rows."""
    size = 1 if model is Event else BATCH_SIZE
    ids = _ids(model, circle)
    for start in range(0, len(ids), size):
        batch = ids[start : start + size]
        query = select(model).where(model.circle_id == circle.id, model.id.in_(batch)).options(*options)
        yield sorted(db.session.scalars(query), key=lambda row: batch.index(row.id))


def _section(name: str, model: Any, circle: Circle, numbers: Numbers) -> Iterator[JsonObject]:
    for rows in _batches(model, circle):
        yield from dump_rows(LISTS[name], rows, numbers, circle.id, name if name in numbers else None)


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


def _browsers(circle: Circle, numbers: Numbers) -> Iterator[JsonObject]:
    """Yield the browsers that are authors of something; so the one that imports a circle is in no export of it."""
    query = select(Browser).where(Browser.circle_id == circle.id, Browser.id.in_(_authors(circle)))
    for browser in db.session.scalars(query.order_by(Browser.number)):
        yield dump_row(BrowserRecord, browser, numbers)


_IS_OF_TABLE = Table.id == Revision.table_id
_IS_OF_PAYMENT = Payment.id == Confirmation.payment_id


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


# --- tables -----------------------------------------------------------------------------------------


def _tables(circle: Circle, numbers: Numbers) -> Iterator[JsonObject]:
    for tables in _batches(Table, circle, SEATED):
        ids = [table.id for table in tables]
        revisions = read_revisions_of_all(circle.id, ids)
        for table in tables:
            yield _table(table, numbers, revisions.pop(table.id))


def _table(table: Table, numbers: Numbers, revisions: list[RevisionRow]) -> JsonObject:
    players = numbers["players"]
    value = {"currency": table.value_currency, "unit": table.value_unit, "amount": table.value_amount}
    return dump_row(
        TableRecord,
        table,
        numbers,
        number=numbers["tables"][table.id],
        players=[players[seat.player_id] for seat in table.seats if not seat.is_substitute],
        value=value if all(value.values()) else None,
        title=table.title if (table.title or "").strip() else None,  # that of a sheet may be blank
        substitutes=[players[seat.player_id] for seat in table.seats if seat.is_substitute],
        revisions=[dump_row(RevisionRecord, row, numbers) for row in revisions],
    )
