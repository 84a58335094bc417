"""The payments made in a circle, and what a balance is the sum of, as pages list them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlalchemy.orm import joinedload

from ..models import Circle, Confirmation, Event, Part, Payment, Player, Settlement, Summary, Table, db
from ..people.players import read_persons
from ..tables.summary import open_subunits
from .scopes import Scope, is_contained, open_summaries, uncleared_settlements
from .unpaid import has_unpaid_settlement, is_counted

PAGE = 50  # payments on a page of them


def list_payments(circle: Circle, *, before: int | None = None, limit: int = PAGE) -> list[Payment]:
    """List the circle's payments and withdrawals, newest first; with `before`, those with a lower number."""
    payments = select(Payment).where(Payment.circle_id == circle.id)
    query = _with_details(payments).order_by(Payment.number.desc()).limit(limit)
    return list(db.session.scalars(query if before is None else query.where(Payment.number < before)))


def list_payments_for(settlement: Settlement) -> list[Payment]:
    """List the payments and withdrawals of a settlement, oldest first."""
    payments = select(Payment).where(Payment.settlement_id == settlement.id)
    return list(db.session.scalars(_with_details(payments).order_by(Payment.number)))


def list_counted_payments(settlement: Settlement) -> list[Payment]:
    """List the payments of a settlement that count, oldest first."""
    return _counted_payments(settlement.circle_id, Payment.settlement_id == settlement.id)


def list_payments_in(circle: Circle, scope: Scope) -> list[Payment]:
    """List the payments for a table or an evening and its parts that count, oldest first."""
    settlements = select(Settlement.id).where(is_contained(circle, scope))
    return _counted_payments(circle.id, Payment.settlement_id.in_(settlements))


def _counted_payments(circle_id: int, which: ColumnElement[bool]) -> list[Payment]:
    payments = select(Payment).where(Payment.circle_id == circle_id, which, is_counted())
    return list(db.session.scalars(_with_details(payments).order_by(Payment.number)))


def _with_details(payments: Select[Payment]) -> Select[Payment]:
    return payments.options(
        joinedload(Payment.giver),
        joinedload(Payment.taker),
        joinedload(Payment.browser),
        joinedload(Payment.settlement).joinedload(Settlement.table),
        joinedload(Payment.settlement).joinedload(Settlement.event),
        joinedload(Payment.confirmation).joinedload(Confirmation.browser),
    )


def read_last_number(circle: Circle) -> int:
    """Return the number of the circle's last payment or withdrawal; 0 before the first."""
    return db.session.scalar(select(func.max(Payment.number)).where(Payment.circle_id == circle.id)) or 0


def find_paid_at(table: Table) -> datetime | None:
    """Return since when a correction of a table changes what was paid for it, alone or with others.

    That is since the last payment that counts, or since the first one while something is unpaid; None if there is none.
    """
    of_table = select(Part.settlement_id).where(Part.table_id == table.id)
    settlements = of_table.cte(recursive=True)  # with those that took over what was unpaid of them
    successors = select(Settlement.successor_id).where(
        Settlement.circle_id == table.circle_id, Settlement.id == settlements.c.settlement_id
    )
    settlements = settlements.union(successors)
    paid_for = Payment.settlement_id.in_(select(settlements.c.settlement_id))
    counted = (Payment.circle_id == table.circle_id, paid_for, is_counted())
    first, last = db.session.execute(select(func.min(Payment.at), func.max(Payment.at)).where(*counted)).one()
    return first if first is None or has_unpaid_settlement(table) else last


# --- where a balance comes from: tables, events, earlier settlements and payments


class BalanceSource(NamedTuple):
    """A table, an event, a settlement or a payment, and the subunits it adds to a player's balance.

    `seat` is the player's seat at the table, `kind` the kind of the part from the event. `settlement` is an earlier one
    that left the amount unpaid, or the later one that took it over.
    """

    subunits: int
    table: Table | None = None
    seat: str | None = None
    settlement: Settlement | None = None
    payment: Payment | None = None
    event: Event | None = None
    kind: str | None = None


def list_sources(circle: Circle, scope: Scope, account: str, person: Player) -> list[BalanceSource]:
    """List what a person's open balance in an account is the sum of, newest first."""
    player_ids = _player_ids(circle, person)
    sources = []
    for summary in open_summaries(circle, scope, account):
        seat = _seat(summary, player_ids)
        if seat is not None:
            sources.append(BalanceSource(open_subunits(summary).get(seat, 0), summary.table, seat))
    for settlement in uncleared_settlements(circle, scope, account):
        left = sum(amount for player_id, amount in settlement.unpaid.items() if int(player_id) in player_ids)
        sources.append(BalanceSource(left, settlement=settlement))
    return [source for source in reversed(sources) if source.subunits]


def _player_ids(circle: Circle, person: Player) -> list[int]:
    """Return the ids of the person's players: their own, and those of the players merged into them."""
    persons = read_persons(circle)
    return [player_id for player_id, other in persons.items() if other.id == person.id]


def players_in(settlement: Settlement, persons: Mapping[int, Player]) -> list[Player]:
    """List the persons whose balances a settlement took over, by name; `persons` by player id."""
    parts = select(Part.player_id).where(Part.settlement_id == settlement.id)
    player_ids = db.session.scalars(parts.distinct())
    return sorted({persons[player_id] for player_id in player_ids}, key=lambda person: person.name)


def list_parts(settlement: Settlement, person: Player) -> list[BalanceSource]:
    """List what a person's balance in a settlement is the sum of.

    These are the parts it took over, newest first, with those that a later settlement took over from it; then the
    payments that count.
    """
    player_ids = _player_ids(db.session.get_one(Circle, settlement.circle_id), person)
    is_of_settlement = or_(Part.settlement_id == settlement.id, Part.earlier_id == settlement.id)
    parts = (
        select(Part)
        .where(Part.circle_id == settlement.circle_id, is_of_settlement, Part.player_id.in_(player_ids))
        .options(
            joinedload(Part.table).joinedload(Table.summary),
            *(joinedload(other) for other in (Part.event, Part.earlier, Part.settlement)),
        )
        .order_by(Part.id.desc())
    )
    sources = [_part(part, settlement, player_ids) for part in db.session.scalars(parts)]
    return sources + _payment_sources(list_counted_payments(settlement), player_ids)


def _part(part: Part, of: Settlement, player_ids: Collection[int]) -> BalanceSource:
    amount = int(part.amount)
    if part.earlier_id == of.id:
        return BalanceSource(-amount, settlement=part.settlement)
    seat = _seat(part.table.summary if part.table is not None else None, player_ids)
    return BalanceSource(amount, part.table, seat, part.earlier, event=part.event, kind=part.kind)


def _payment_sources(payments: list[Payment], player_ids: Collection[int]) -> list[BalanceSource]:
    sources = []
    for payment in payments:
        amount = int(payment.amount)
        gave, took = payment.giver_id in player_ids, payment.taker_id in player_ids
        if gave != took:
            sources.append(BalanceSource(amount if gave else -amount, payment=payment))
    return sources


def _seat(summary: Summary | None, player_ids: Collection[int]) -> str | None:
    """Return the seat of one of these players at the table of a summary."""
    seats = summary.data["seats"] if summary is not None else {}
    return next((seat for seat, player_id in seats.items() if player_id in player_ids), None)
