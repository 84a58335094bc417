"""Checks for `scorekeeper verify` of rules between a circle's rows that the database's constraints do not cover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, String, and_, cast, exists, func, literal, or_, select
from sqlalchemy.orm import aliased

from ..models import (
    Browser,
    BrowserLink,
    Confirmation,
    Flag,
    Link,
    Part,
    Payment,
    Player,
    Revision,
    Seat,
    Settlement,
    Table,
    db,
)

ReferenceFault = tuple[str, dict[str, str]]  # its key, and the parameters of its message without the circle


def faults_of_references(circle_id: int) -> Iterator[ReferenceFault]:
    """Yield the faults in a circle's players, seats, payments and settlements."""
    yield from _faults_of_people(circle_id)
    for table in db.session.scalars(_tables_with_a_person_in_two_seats(circle_id)):
        yield "two-seats", {"table": str(table)}
    for number in db.session.scalars(_wrong_withdrawals(circle_id)):
        yield "withdrawal", {"payment": str(number)}
    for number in db.session.scalars(_wrong_confirmations(circle_id)):
        yield "confirmation", {"payment": str(number)}
    for number in db.session.scalars(_wrong_flags(circle_id)):
        yield "flag", {"flag": str(number)}
    for query in _rows_of_other_circles(circle_id):
        for what in dict.fromkeys(db.session.scalars(query)):
            yield "elsewhere", {"what": what}


# --- people ------------------------------------------------------------------------------------------------


class _Row(NamedTuple):
    """A player, and the person they are merged into, if any."""

    id: int
    is_banker: bool
    is_erased: bool
    person: int | None
    person_circle: int | None
    person_of_person: int | None
    is_person_erased: bool


def _faults_of_people(circle_id: int) -> Iterator[ReferenceFault]:
    person = aliased(Player)
    columns = (
        *(Player.id, Player.is_banker, Player.erased_at.is_not(None)),
        *(Player.person_id, person.circle_id, person.person_id, person.erased_at.is_not(None)),
    )
    query = select(*columns).outerjoin(person, person.id == Player.person_id).where(Player.circle_id == circle_id)
    players = [_Row._make(row) for row in db.session.execute(query.order_by(Player.id))]
    for player in players:
        if player.person is not None:
            yield from ((key, {"player": str(player.id)}) for key in _faults_of_merged(player, circle_id))
    if sum(player.is_banker for player in players) > 1:
        yield "bankers", {}


def _faults_of_merged(player: _Row, circle_id: int) -> Iterable[str]:
    if player.person_circle != circle_id:
        yield "merged-elsewhere"
        return
    if player.person_of_person is not None:  # or a cycle
        yield "merged-twice"
    if player.is_banker:
        yield "banker-merged"
    if player.is_erased != player.is_person_erased:
        yield "erased-in-part"


def _tables_with_a_person_in_two_seats(circle_id: int) -> Select[int]:
    person = func.coalesce(Player.person_id, Player.id)
    return (
        select(Seat.table_id)
        .join(Table, Table.id == Seat.table_id)
        .join(Player, Player.id == Seat.player_id)
        .where(Table.circle_id == circle_id)
        .group_by(Seat.table_id)
        .having(func.count() > func.count(func.distinct(person)))
        .order_by(Seat.table_id)
    )


# --- payments ----------------------------------------------------------------------------------------------


def _wrong_withdrawals(circle_id: int) -> Select[int]:
    """Select the numbers of withdrawals without a payment of the same settlement, players and amount."""
    paid = aliased(Payment)
    same = [
        getattr(paid, name) == getattr(Payment, name)
        for name in ("circle_id", "settlement_id", "giver_id", "taker_id", "amount")
    ]
    of_it = (paid.number == Payment.withdraws) & paid.withdraws.is_(None)
    for condition in same:
        of_it &= condition
    return (
        select(Payment.number)
        .outerjoin(paid, of_it)
        .where(Payment.circle_id == circle_id, Payment.withdraws.is_not(None), paid.id.is_(None))
        .order_by(Payment.number)
    )


def _wrong_confirmations(circle_id: int) -> Select[int]:
    """Select the numbers of withdrawals, and of payments that need no confirmation, that have one."""
    return (
        select(Payment.number)
        .join(Confirmation, Confirmation.payment_id == Payment.id)
        .where(Payment.circle_id == circle_id)
        .where(or_(Payment.withdraws.is_not(None), Payment.needs_confirmation.is_(False)))
        .order_by(Payment.number)
    )


# --- flags -------------------------------------------------------------------------------------------------


def _wrong_flags(circle_id: int) -> Select[int]:
    """Select the numbers of flags that are not on one deal of a table, or on one payment of the circle."""
    on_deal = exists().where(Revision.table_id == Flag.table_id, Revision.deal == Flag.deal)
    on_payment = exists().where(
        Payment.circle_id == circle_id, Payment.number == Flag.payment, Payment.withdraws.is_(None)
    )
    return (
        select(Flag.number)
        .where(Flag.circle_id == circle_id)
        .where(or_(and_(Flag.payment.is_(None), ~on_deal), and_(Flag.payment.is_not(None), ~on_payment)))
        .order_by(Flag.number)
    )


# --- rows of another circle --------------------------------------------------------------------------------


def _rows_of_other_circles(circle_id: int) -> Iterator[Select[str]]:
    """Yield a query for each kind of reference; it finds the circle's rows that refer to another circle."""
    table, settlement, successor = aliased(Table), aliased(Settlement), aliased(Settlement)
    giver, taker = aliased(Player), aliased(Player)

    def broken_references(kind: str, id_: Any, *conditions: ColumnElement[bool]) -> Select[str]:
        return select(literal(f"{kind} ", String) + cast(id_, String)).where(or_(*conditions)).order_by(id_)

    yield (
        broken_references("table", Table.id, Player.circle_id != circle_id)
        .select_from(Seat)
        .join(Table, Table.id == Seat.table_id)
        .join(Player, Player.id == Seat.player_id)
        .where(Table.circle_id == circle_id)
    )
    yield (
        broken_references("revision", Revision.id, Browser.circle_id != circle_id)
        .select_from(Revision)
        .join(Table, Table.id == Revision.table_id)
        .join(Browser, Browser.id == Revision.browser_id)
        .where(Table.circle_id == circle_id)
    )
    yield (
        broken_references("browser", Browser.id, Link.circle_id != circle_id)
        .join(BrowserLink, BrowserLink.browser_id == Browser.id)
        .join(Link, Link.id == BrowserLink.link_id)
        .where(Browser.circle_id == circle_id)
    )
    yield (
        broken_references("settlement", Settlement.id, table.circle_id != circle_id, successor.circle_id != circle_id)
        .outerjoin(table, table.id == Settlement.table_id)
        .outerjoin(successor, successor.id == Settlement.successor_id)
        .where(Settlement.circle_id == circle_id)
    )
    conditions = [model.circle_id != circle_id for model in (Player, table, settlement)]
    yield (
        broken_references("settlement", Part.settlement_id, *conditions)
        .select_from(Part)
        .join(Settlement, Settlement.id == Part.settlement_id)
        .join(Player, Player.id == Part.player_id)
        .outerjoin(table, table.id == Part.table_id)
        .outerjoin(settlement, settlement.id == Part.earlier_id)
        .where(Settlement.circle_id == circle_id)
    )
    conditions = [model.circle_id != circle_id for model in (giver, taker, Settlement, Browser)]
    yield (
        broken_references("payment", Payment.id, *conditions)
        .join(giver, giver.id == Payment.giver_id)
        .join(taker, taker.id == Payment.taker_id)
        .join(Settlement, Settlement.id == Payment.settlement_id)
        .join(Browser, Browser.id == Payment.browser_id)
        .where(Payment.circle_id == circle_id)
    )
    yield (
        broken_references("payment", Payment.id, Browser.circle_id != circle_id)
        .join(Confirmation, Confirmation.payment_id == Payment.id)
        .join(Browser, Browser.id == Confirmation.browser_id)
        .where(Payment.circle_id == circle_id)
    )
    resolver = aliased(Browser)
    conditions = [model.circle_id != circle_id for model in (table, Browser, resolver)]
    yield (
        broken_references("flag", Flag.id, *conditions)
        .join(Browser, Browser.id == Flag.browser_id)
        .outerjoin(table, table.id == Flag.table_id)
        .outerjoin(resolver, resolver.id == Flag.resolved_by_id)
        .where(Flag.circle_id == circle_id)
    )
