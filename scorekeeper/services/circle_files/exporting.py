"""Read a circle as the records of its file, with the tables in batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import IO, Any

from sqlalchemy import Select, select, union
from sqlalchemy.orm import joinedload, subqueryload

from ...exchange.circle_event_records import ValueRecord
from ...exchange.circle_file import write_circle
from ...exchange.circle_records import (
    BrowserRecord,
    CircleRecord,
    DealConfirmationRecord,
    FlagRecord,
    PartRecord,
    PaymentRecord,
    PlayerRecord,
    RevisionRecord,
    SettlementRecord,
    Signed,
    TableRecord,
)
from ...exchange.circle_values import format_moment
from ...models import (
    SEATED,
    Browser,
    Circle,
    Confirmation,
    DealConfirmation,
    Event,
    Flag,
    Payment,
    Player,
    ResultConfirmation,
    Revision,
    RoundResult,
    Settlement,
    Table,
    db,
)
from ...scoring import schema
from ...scoring.values import JsonObject
from ...tables.revisions import RevisionRow
from ...tables.state import value_of
from ...time_zones import evening_of, in_force
from ..caches.table_state import read_revisions_of_all
from .deal_confirmations import read_confirmations
from .event_rows import dump_event
from .presence import read_presences

BATCH_SIZE = 200  # tables, settlements or payments held in memory


def export(circle: Circle, file: IO[bytes]) -> None:
    """Write the circle's file. The same circle gives the same bytes, also after it was imported elsewhere."""
    numbers = _Numbers.of(circle)
    lists = {
        "players": map(schema.dump, _players(circle, numbers)),
        "browsers": map(schema.dump, _browsers(circle, numbers)),
        "tables": _tables(circle, numbers),
        "settlements": map(schema.dump, _settlements(circle, numbers)),
        "payments": map(schema.dump, _payments(circle, numbers)),
        "flags": map(schema.dump, _flags(circle, numbers)),
    }
    if numbers.events:
        ids = numbers.players, numbers.browsers, numbers.tables
        lists["events"] = (dump_event(event, number, *ids) for event, number in _events(circle, numbers))
    write_circle(_circle(circle, numbers), lists, file)


@dataclass(frozen=True)
class _Numbers:
    """The numbers in the file, by the ids in the database."""

    players: dict[int, int]
    browsers: dict[int, int]
    tables: dict[int, int]
    events: dict[int, int]
    settlements: dict[int, int]
    banker: int | None

    @classmethod
    def of(cls, circle: Circle) -> _Numbers:
        players, tables, events, settlements = (
            {id_: number for number, id_ in enumerate(_ids(model, circle), start=1)}
            for model in (Player, Table, Event, Settlement)
        )
        browsers = select(Browser.id, Browser.number).where(Browser.circle_id == circle.id)
        banker = db.session.scalar(select(Player.id).where(Player.circle_id == circle.id, Player.is_banker))
        return cls(
            players,
            {row.id: row.number for row in db.session.execute(browsers)},
            tables,
            events,
            settlements,
            players[banker] if banker is not None else None,
        )


def _ids(model: type[Player | Table | Event | Settlement], circle: Circle) -> list[int]:
    return list(db.session.scalars(select(model.id).where(model.circle_id == circle.id).order_by(model.id)))


def _batches(model: type[Any], circle: Circle, ids: list[int], *options: Any) -> Iterator[Any]:
    """Yield a circle's rows by their ids, a batch at a time."""
    in_circle = select(model).where(model.circle_id == circle.id)
    for start in range(0, len(ids), BATCH_SIZE):
        query = in_circle.where(model.id.in_(ids[start : start + BATCH_SIZE])).options(*options)
        yield db.session.scalars(query.order_by(model.id)).all()


def _circle(circle: Circle, numbers: _Numbers) -> CircleRecord:
    return CircleRecord(
        created_at=_moment(circle.created_at),
        title=circle.title,
        time_zone=in_force(circle.time_zone),
        settles_games_together=circle.settles_games_together,
        confirms_payments=circle.confirms_payments,
        shows_ratings=circle.shows_ratings,
        transferred=tuple(circle.transferred.split()),
        banker=numbers.banker,
    )


def _players(circle: Circle, numbers: _Numbers) -> Iterator[PlayerRecord]:
    present = read_presences(circle.id)
    for player in db.session.scalars(select(Player).where(Player.circle_id == circle.id).order_by(Player.id)):
        yield PlayerRecord(
            number=numbers.players[player.id],
            name=player.name,
            merged_into=numbers.players.get(player.person_id or 0),
            retired_at=format_moment(player.retired_at),
            erased_at=format_moment(player.erased_at),
            iban=player.iban,
            payment_link=player.payment_link,
            present=present.get(player.id),
        )


def _browsers(circle: Circle, numbers: _Numbers) -> Iterator[BrowserRecord]:
    """Yield the browsers that are authors of something; so the one that imports a circle is in no export of it."""
    query = select(Browser).where(Browser.circle_id == circle.id, Browser.id.in_(_authors(circle)))
    for browser in db.session.scalars(query.order_by(Browser.number)):
        yield BrowserRecord(
            number=browser.number,
            created_at=_moment(browser.created_at),
            name=browser.name,
            player=numbers.players.get(browser.player_id or 0),
            revoked_at=format_moment(browser.revoked_at),
        )


_IS_OF_TABLE = (Table.circle_id == Revision.circle_id) & (Table.id == Revision.table_id)
_IS_OF_PAYMENT = (Payment.circle_id == Confirmation.circle_id) & (Payment.id == Confirmation.payment_id)


def _authors(circle: Circle) -> Select[int]:
    """Select the ids of the browsers that have recorded, paid, confirmed, flagged or resolved something."""
    flags = Flag.circle_id == circle.id
    found = union(
        select(Revision.browser_id).join(Table, _IS_OF_TABLE).where(Table.circle_id == circle.id),
        select(Payment.browser_id).where(Payment.circle_id == circle.id),
        select(Confirmation.browser_id).join(Payment, _IS_OF_PAYMENT).where(Payment.circle_id == circle.id),
        select(DealConfirmation.browser_id).where(DealConfirmation.circle_id == circle.id),
        select(RoundResult.browser_id).where(RoundResult.circle_id == circle.id),
        select(ResultConfirmation.browser_id).where(ResultConfirmation.circle_id == circle.id),
        select(Flag.browser_id).where(flags),
        select(Flag.resolved_by_id).where(flags, Flag.resolved_by_id.is_not(None)),
    ).subquery()
    return select(found.c[0])


# --- tables --------------------------------------------------------------------------------------------------


def _tables(circle: Circle, numbers: _Numbers) -> Iterator[JsonObject]:
    zone = in_force(circle.time_zone)
    for tables in _batches(Table, circle, list(numbers.tables), SEATED):
        ids = [table.id for table in tables]
        revisions = read_revisions_of_all(circle.id, ids)
        confirmed = read_confirmations(circle.id, ids, numbers.players, numbers.browsers)
        for table in tables:
            rows = (
                _revision(row, numbers, confirmed.get((table.id, row.number), ())) for row in revisions.pop(table.id)
            )
            yield schema.dump(_table(table, numbers, tuple(rows), zone))


def _table(table: Table, numbers: _Numbers, revisions: tuple[RevisionRecord, ...], zone: str | None) -> TableRecord:
    """Return a table; in the zone of a server to which the circle was moved, its day may not follow from its time."""
    return TableRecord(
        number=numbers.tables[table.id],
        game=table.game,
        rules_version=table.rules_version,
        players=tuple(numbers.players[seat.player_id] for seat in table.seats if not seat.is_substitute),
        dealer=table.dealer,
        house_rules=table.house_rules,
        day=table.day.isoformat(),
        opened_at=_moment(table.opened_at),
        is_dated=table.is_dated or (zone is not None and table.day != evening_of(table.opened_at, zone)),
        value=_value(table),
        has_stakes=table.has_stakes,
        title=table.title if (table.title or "").strip() else None,  # that of a sheet may be blank
        played_on=_day(table.played_on),
        place=table.place,
        note=table.note,
        confirms_deals=table.confirms_deals,
        turns=table.turns,  # type: ignore[arg-type]  # a text in the database
        closed_at=format_moment(table.closed_at),
        key=table.entry_key,
        substitutes=tuple(numbers.players[seat.player_id] for seat in table.seats if seat.is_substitute),
        revisions=revisions,
    )


def _value(table: Table) -> ValueRecord | None:
    value = value_of(table)
    if value is None:
        return None
    return ValueRecord(currency=value.currency, unit=value.unit, amount=table.value_amount or "")


def _revision(row: RevisionRow, numbers: _Numbers, confirmed: tuple[DealConfirmationRecord, ...]) -> RevisionRecord:
    return RevisionRecord(
        number=row.number,
        kind=row.kind,  # type: ignore[arg-type]  # a text in the database
        by=numbers.browsers[row.browser_id],
        at=_moment(row.at),
        key=row.entry_key,
        deal=row.deal,
        before=row.before,
        body=row.body,
        undoes=row.undoes,
        confirmed=confirmed,
    )


# --- events --------------------------------------------------------------------------------------------------


def _events(circle: Circle, numbers: _Numbers) -> Iterator[tuple[Event, int]]:
    for id_, number in numbers.events.items():
        yield db.session.get_one(Event, (id_, circle.id)), number


# --- money ---------------------------------------------------------------------------------------------------


def _settlements(circle: Circle, numbers: _Numbers) -> Iterator[SettlementRecord]:
    for settlements in _batches(Settlement, circle, list(numbers.settlements), subqueryload(Settlement.parts)):
        for settlement in settlements:
            parts = (
                PartRecord(
                    player=numbers.players[part.player_id],
                    amount=part.amount,
                    table=numbers.tables.get(part.table_id or 0),
                    event=numbers.events.get(part.event_id or 0),
                    kind=part.kind,
                    settlement=numbers.settlements.get(part.earlier_id or 0),
                )
                for part in settlement.parts
            )
            yield SettlementRecord(
                number=numbers.settlements[settlement.id],
                account=settlement.account,
                created_at=_moment(settlement.created_at),
                table=numbers.tables.get(settlement.table_id or 0),
                event=numbers.events.get(settlement.event_id or 0),
                day=_day(settlement.day),
                game=settlement.game,
                successor=numbers.settlements.get(settlement.successor_id or 0),
                parts=tuple(parts),
            )


def _payments(circle: Circle, numbers: _Numbers) -> Iterator[PaymentRecord]:
    ids = select(Payment.id).where(Payment.circle_id == circle.id).order_by(Payment.number)
    for payments in _batches(Payment, circle, list(db.session.scalars(ids)), joinedload(Payment.confirmation)):
        for payment in sorted(payments, key=lambda payment: payment.number):
            confirmation = payment.confirmation
            yield PaymentRecord(
                number=payment.number,
                settlement=numbers.settlements[payment.settlement_id],
                from_=numbers.players[payment.giver_id],
                to=numbers.players[payment.taker_id],
                amount=payment.amount,
                by=numbers.browsers[payment.browser_id],
                at=_moment(payment.at),
                withdraws=payment.withdraws,
                needs_confirmation=payment.needs_confirmation,
                key=payment.entry_key,
                confirmed=_signed(confirmation.browser_id, confirmation.at, numbers) if confirmation else None,
            )


def _flags(circle: Circle, numbers: _Numbers) -> Iterator[FlagRecord]:
    for flag in db.session.scalars(select(Flag).where(Flag.circle_id == circle.id).order_by(Flag.number)):
        yield FlagRecord(
            number=flag.number,
            comment=flag.comment,
            by=numbers.browsers[flag.browser_id],
            at=_moment(flag.at),
            key=flag.entry_key,
            table=numbers.tables.get(flag.table_id or 0),
            deal=flag.deal,
            payment=flag.payment,
            resolved=_signed(flag.resolved_by_id, flag.resolved_at, numbers),
        )


def _signed(browser_id: int | None, at: Any, numbers: _Numbers) -> Signed | None:
    return (
        Signed(by=numbers.browsers[browser_id], at=_moment(at)) if browser_id is not None and at is not None else None
    )


def _moment(moment: Any) -> str:
    return format_moment(moment) or ""


def _day(day: date | None) -> str | None:
    return day.isoformat() if day is not None else None
