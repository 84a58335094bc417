"""Tables and payments as they are exported."""

from __future__ import annotations

from datetime import date, datetime
from typing import NamedTuple

from ..tables.state import TableState


class ExportedTable(NamedTuple):
    """A table and its label, such as `2026-11-21-whist-3`: its day, game and number in the circle.

    A label is unique in its circle and never changes.
    """

    label: str
    table: TableState


class ExportedPayment(NamedTuple):
    """A payment, or the withdrawal of one.

    Attributes:
        number: sequence number among the circle's payments and withdrawals.
        at: UTC.
        day: the evening it belongs to.
        amount: in subunits of the account, positive.
        settles: a table's label, an evening's date, or None for everything open.
        withdraws: number of the payment that this withdrawal cancels; None for a payment.
        withdrawn_by: number of the withdrawal that cancels this payment.
    """

    number: int
    at: datetime
    day: date
    giver: str
    taker: str
    account: str
    amount: int
    settles: str | None
    withdraws: int | None
    withdrawn_by: int | None


def label(day: date, game: str, number: int) -> str:
    """Return a table's label."""
    return f"{day.isoformat()}-{game}-{number}"
