"""The payments made in a circle, as pages list them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import joinedload

from ...models import Circle, Confirmation, Part, Payment, Settlement, Table, db
from .scopes import Scope, is_contained
from .unpaid import has_unpaid_settlement, is_counted


def list_payments(circle: Circle, *, before: int | None = None, limit: int = 50) -> list[Payment]:
    """List the circle's payments and withdrawals, newest first; with `before`, those with a lower number."""
    payments = select(Payment).where(Payment.circle_id == circle.id)
    query = _with_details(payments).order_by(Payment.number.desc()).limit(limit)
    return list(db.session.scalars(query if before is None else query.where(Payment.number < before)))


def list_payments_for(settlement: Settlement) -> list[Payment]:
    """List the payments and withdrawals of a settlement, oldest first."""
    payments = select(Payment).where(Payment.circle_id == settlement.circle_id, Payment.settlement_id == settlement.id)
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
    of_table = select(Part.settlement_id).where(Part.circle_id == table.circle_id, Part.table_id == table.id)
    settlements = of_table.cte(recursive=True)  # with those that took over what was unpaid of them
    successors = select(Settlement.successor_id).where(
        Settlement.circle_id == table.circle_id, Settlement.id == settlements.c.settlement_id
    )
    settlements = settlements.union(successors)
    paid_for = Payment.settlement_id.in_(select(settlements.c.settlement_id))
    counted = (Payment.circle_id == table.circle_id, paid_for, is_counted())
    first, last = db.session.execute(select(func.min(Payment.at), func.max(Payment.at)).where(*counted)).one()
    return first if first is None or has_unpaid_settlement(table) else last
