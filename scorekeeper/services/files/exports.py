"""Reading what exports contain: a circle's tables, in batches, and its payments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from sqlalchemy import func, select
from sqlalchemy.orm import aliased, contains_eager, joinedload

from ...exchange.exported import ExportedFee, ExportedPayment, ExportedPlayer, ExportedTable, label
from ...games import find_game, games
from ...models import SEATED, Circle, Event, Part, Payment, Player, Seat, Settlement, Table, db
from ...tables.state import TableState
from ...time_zones import find_evening, local_time
from ..circles.players import list_all_players, read_persons
from ..money.balances import read_all_accounts
from ..money.scopes import Scope, get_game
from ..people.people import list_people
from ..tables.reading import read_revisions_of_all

BATCH_SIZE = 200  # tables held in memory


def read_tables(circle: Circle, player_ids: Collection[int] | None = None) -> Iterator[ExportedTable]:
    """Yield the circle's tables in order of day; only those with a seat of these players, if they are given.

    Tables of games that are not installed are left out.
    """
    labels = label_tables(circle)
    of_circle = (Table.circle_id == circle.id, Table.game.in_(games()))
    query = select(Table.id).where(*of_circle).order_by(Table.day, Table.id)
    if player_ids is not None:
        query = query.where(Table.seats.any(Seat.player_id.in_(player_ids)))
    ids = list(db.session.scalars(query))
    for start in range(0, len(ids), BATCH_SIZE):
        batch = ids[start : start + BATCH_SIZE]
        revisions = read_revisions_of_all(circle.id, batch)
        tables = select(Table).where(Table.circle_id == circle.id, Table.id.in_(batch)).options(SEATED)
        for table in db.session.scalars(tables.order_by(Table.day, Table.id)):
            yield ExportedTable(labels[table.id], TableState(table, revisions.pop(table.id)))


def export_table(table: TableState) -> ExportedTable:
    """Label a single table as in an export of the whole circle."""
    row = table.stored
    number = select(func.count()).where(Table.circle_id == row.circle_id, Table.id <= row.id)
    return ExportedTable(label(row.day, row.game, db.session.scalars(number).one()), table)


def label_tables(circle: Circle) -> dict[int, str]:
    """Return the labels of the circle's tables by id."""
    query = select(Table.id, Table.day, Table.game).where(Table.circle_id == circle.id).order_by(Table.id)
    rows = db.session.execute(query).all()
    return {id_: label(day, game, number) for number, (id_, day, game) in enumerate(rows, start=1)}


def _numbers(circle: Circle) -> dict[int, int]:
    ids = db.session.scalars(select(Table.id).where(Table.circle_id == circle.id).order_by(Table.id))
    return {id_: number for number, id_ in enumerate(ids, start=1)}


def read_payments(circle: Circle) -> list[ExportedPayment]:
    """List the circle's payments and withdrawals in order."""
    return _payments(circle, _numbers(circle))


def payments_for_table(exported: ExportedTable) -> list[ExportedPayment]:
    """List the payments that settled this table alone, not those that settled an evening or everything."""
    table = exported.table.stored
    return _payments(table.circle, {table.id: exported.number}, table)


def _payments(circle: Circle, numbers: dict[int, int], table: Table | None = None) -> list[ExportedPayment]:
    withdrawal = aliased(Payment)
    query = (
        select(Payment, withdrawal.number)
        .join(Payment.settlement)
        .outerjoin(withdrawal, (withdrawal.circle_id == Payment.circle_id) & (withdrawal.withdraws == Payment.number))
        .where(Payment.circle_id == circle.id)
        .options(
            contains_eager(Payment.settlement).options(joinedload(Settlement.table), joinedload(Settlement.event)),
            *(joinedload(side) for side in (Payment.giver, Payment.taker, Payment.confirmation)),
        )
        .order_by(Payment.number)
    )
    if table is not None:
        query = query.where(Settlement.table_id == table.id)
    rows = db.session.execute(query)
    return [_exported_payment(payment, withdrawn_by, numbers, circle.time_zone) for payment, withdrawn_by in rows]


def _exported_payment(
    payment: Payment, withdrawn_by: int | None, numbers: dict[int, int], zone: str | None
) -> ExportedPayment:
    settlement = payment.settlement
    return ExportedPayment(
        number=payment.number,
        at=local_time(payment.at, zone),
        day=find_evening(payment.at, zone),
        giver=payment.giver.person.name,
        taker=payment.taker.person.name,
        account=settlement.account,
        amount=int(payment.amount),
        table=numbers[settlement.table_id] if settlement.table_id is not None else None,
        evening=settlement.day,
        game=get_game(settlement),
        withdraws=payment.withdraws,
        withdrawn_by=withdrawn_by,
        is_waiting=payment.needs_confirmation and payment.confirmation is None,
        event=settlement.event.title if settlement.event is not None else None,
        game_name=_find_game_name(settlement.table) if settlement.table is not None else "",
    )


def _find_game_name(table: Table) -> str:
    return find_game(table.game).find_name(table.house_rules)


def read_fees(circle: Circle) -> list[ExportedFee]:
    """List the fees and prizes that settlements took over from events, in order of day."""
    persons = read_persons(circle)
    query = (
        select(Event.day, Part.kind, Event.title, Settlement.account, Part.player_id, Part.amount, Settlement.id)
        .join(Part.event)
        .join(Part.settlement)
        .where(Part.circle_id == circle.id)
        .order_by(Event.day, Settlement.id, Part.kind, Part.id)
    )
    found: dict[tuple[int, str], ExportedFee] = {}
    for day, kind, title, account, player_id, amount, settlement in db.session.execute(query):
        fee = found.setdefault((settlement, kind or ""), ExportedFee(day, kind or "", title, account, {}))
        name = persons[player_id].name
        fee.amounts[name] = fee.amounts.get(name, 0) + int(amount)
    return list(found.values())


def read_players(circle: Circle) -> list[ExportedPlayer]:
    """List each person in each account they are in, with what they won, paid and are owed."""
    accounts = [(account, account.won) for account in read_all_accounts(circle, Scope()).values()]
    listed = []
    for person in list_people(circle):
        name = person.player.name
        own = [(account, won[name]) for account, won in accounts if name in won]
        listed += [
            ExportedPlayer(
                name,
                person.tables,
                account.key,
                account.game,
                won=won,
                paid=account.paid.get(name, 0),
                moved=account.moved.get(name, 0),
                open=account.subunits.get(name, 0),
            )
            for account, won in own
        ] or [ExportedPlayer(name, person.tables)]
    return listed


def list_names(circle: Circle) -> list[str]:
    """List the names of the circle's persons, oldest first, without those of merged players."""
    persons: list[Player] = [player for player in list_all_players(circle) if player.person_id is None]
    return [player.name for player in sorted(persons, key=lambda player: player.id)]


def names_for_table(exported: ExportedTable, payments: Iterable[ExportedPayment]) -> list[str]:
    """List the names at a table, and those in its payments, such as a banker who did not play."""
    in_payments = (name for payment in payments for name in (payment.giver, payment.taker))
    names = (exported.table.names[label] for label in exported.table.everybody)
    return list(dict.fromkeys((*names, *in_payments)))
