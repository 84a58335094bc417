"""What is written out: tables by the name they have outside, and payments as they were made."""

from __future__ import annotations

from datetime import date, datetime
from typing import NamedTuple

from ..table import Open


class Labelled(NamedTuple):
    """A table and its label, `2026-11-21-whist-3`: its day, its game and its number in the circle.

    No other table of the circle has it, and it never changes.
    """

    label: str
    table: Open


class PaymentMade(NamedTuple):
    """A payment that was recorded, or the withdrawal of one, which says whose number it `withdraws`.

    `number` counts a circle's payments and withdrawals, `at` is in UTC, `day` the evening it belongs to. `amount` is
    in grains of the `account`, above 0. `settles` is what was paid for: a table's label, an evening's date, or
    None for everything that was open. `withdrawn_by` is the number of what took it back.
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
    return f"{day.isoformat()}-{game}-{number}"
