"""Checks for `scorekeeper verify` of rules between a circle's rows that the database's constraints do not cover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import aliased

from ..models import Payment, Player, Seat, Table, db

ReferenceFault = tuple[str, dict[str, str]]  # its key, and the parameters of its message without the circle


def faults_of_references(circle_id: int) -> Iterator[ReferenceFault]:
    """Yield the faults in a circle's players, seats, payments and confirmations."""
    yield from _faults_of_people(circle_id)
    for table in db.session.scalars(_tables_with_a_person_in_two_seats(circle_id)):
        yield "two-seats", {"table": str(table)}
    for number in db.session.scalars(_wrong_withdrawals(circle_id)):
        yield "withdrawal", {"payment": str(number)}
    for number in db.session.scalars(_wrong_confirmations(circle_id)):
        yield "confirmation", {"payment": str(number)}


# --- people ------------------------------------------------------------------------------------------------


class _Row(NamedTuple):
    """A player, and the person they are merged into, if any."""

    id: int
    is_banker: bool
    is_erased: bool
    person: int | None
    person_of_person: int | None
    is_person_erased: bool


def _faults_of_people(circle_id: int) -> Iterator[ReferenceFault]:
    person = aliased(Player)
    columns = (
        *(Player.id, Player.is_banker, Player.erased_at.is_not(None)),
        *(Player.person_id, person.person_id, person.erased_at.is_not(None)),
    )
    is_person = (person.circle_id == Player.circle_id) & (person.id == Player.person_id)
    query = select(*columns).outerjoin(person, is_person).where(Player.circle_id == circle_id)
    players = [_Row._make(row) for row in db.session.execute(query.order_by(Player.id))]
    for player in players:
        if player.person is not None:
            yield from ((key, {"player": str(player.id)}) for key in _faults_of_merged(player))
    if sum(player.is_banker for player in players) > 1:
        yield "bankers", {}


def _faults_of_merged(player: _Row) -> Iterable[str]:
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
        .select_from(Table)
        .join(Table.seats)
        .join(Seat.player)
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
        .join(Payment.confirmation)
        .where(Payment.circle_id == circle_id)
        .where(or_(Payment.withdraws.is_not(None), Payment.needs_confirmation.is_(False)))
        .order_by(Payment.number)
    )
