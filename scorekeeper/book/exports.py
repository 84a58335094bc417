"""What goes out: a circle's tables, some hundred at a time, and its payments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import func, select
from sqlalchemy.orm import aliased, joinedload

from ..exchange.labelled import Labelled, PaymentMade, label
from ..store import SEATED, Circle, Payment, Player, Revision, Settlement, Table, db
from ..table import Open, evening_of
from .people import everybody

AT_ONCE = 200  # tables that are read, and held in memory, together


def tables_of(circle: Circle) -> Iterator[Labelled]:
    """Every table of the circle in order of its day."""
    labels = _labels(circle)
    query = select(Table.id).where(Table.circle_id == circle.id).order_by(Table.day, Table.id)
    ids = list(db.session.scalars(query))
    for at in range(0, len(ids), AT_ONCE):
        some = ids[at : at + AT_ONCE]
        told: dict[int, list[Revision]] = {id_: [] for id_ in some}
        revisions = select(Revision).where(Revision.table_id.in_(some)).order_by(Revision.table_id, Revision.number)
        for revision in db.session.scalars(revisions):
            told[revision.table_id].append(revision)
        tables = select(Table).where(Table.id.in_(some)).options(SEATED)
        for table in db.session.scalars(tables.order_by(Table.day, Table.id)):
            yield Labelled(labels[table.id], Open(table, told.pop(table.id)))


def labelled(table: Open) -> Labelled:
    """A single table, by the same label as among all."""
    kept = table.table
    before = select(func.count()).where(Table.circle_id == kept.circle_id, Table.id <= kept.id)
    return Labelled(label(kept.day, kept.game, db.session.scalars(before).one()), table)


def _labels(circle: Circle) -> dict[int, str]:
    query = select(Table.id, Table.day, Table.game).where(Table.circle_id == circle.id).order_by(Table.id)
    found = db.session.execute(query).all()
    return {id_: label(day, game, number) for number, (id_, day, game) in enumerate(found, start=1)}


def payments_of(circle: Circle) -> list[PaymentMade]:
    """Every payment and withdrawal of the circle, in order."""
    return _paid(circle, _labels(circle))


def payments_at(told: Labelled) -> list[PaymentMade]:
    """Those that settled this table by itself. What settled an evening, or everything, is no single table's."""
    table = told.table.table
    return _paid(table.circle, {table.id: told.label}, table)


def _paid(circle: Circle, labels: dict[int, str], table: Table | None = None) -> list[PaymentMade]:
    withdrawal = aliased(Payment)
    query = (
        select(Payment, withdrawal.number)
        .join(Payment.settlement)
        .outerjoin(withdrawal, (withdrawal.circle_id == Payment.circle_id) & (withdrawal.withdraws == Payment.number))
        .where(Payment.circle_id == circle.id)
        .options(joinedload(Payment.settlement), joinedload(Payment.giver), joinedload(Payment.taker))
        .order_by(Payment.number)
    )
    if table is not None:
        query = query.where(Settlement.table_id == table.id)
    return [_told(payment, withdrawn_by, labels) for payment, withdrawn_by in db.session.execute(query)]


def _told(payment: Payment, withdrawn_by: int | None, labels: dict[int, str]) -> PaymentMade:
    settled = payment.settlement
    evening = settled.day.isoformat() if settled.day is not None else None
    return PaymentMade(
        number=payment.number,
        at=payment.at,
        day=evening_of(payment.at),
        giver=payment.giver.person.name,
        taker=payment.taker.person.name,
        account=settled.account,
        amount=int(payment.amount),
        settles=labels[settled.table_id] if settled.table_id is not None else evening,
        withdraws=payment.withdraws,
        withdrawn_by=withdrawn_by,
    )


def names_of(circle: Circle) -> list[str]:
    """What everybody is called, the first who came first; who turned out to be another has no name of his own."""
    persons: list[Player] = [player for player in everybody(circle) if player.person_id is None]
    return [player.name for player in sorted(persons, key=lambda player: player.id)]


def names_at(told: Labelled, payments: Iterable[PaymentMade]) -> list[str]:
    """The same of one table, and of whoever paid or was paid for it: a banker need not have played."""
    paying = (name for payment in payments for name in (payment.giver, payment.taker))
    return list(dict.fromkeys((*told.table.names.values(), *paying)))
