"""Tables and payments as they are exported."""

from __future__ import annotations

from datetime import date, datetime
from typing import NamedTuple

from ..tables.state import TableState


class ExportedTable(NamedTuple):
    """A table and its label, such as `2026-11-21-<slug>-3`: its day, game and number in the circle.

    A label is unique in its circle and never changes.
    """

    label: str
    table: TableState

    @property
    def number(self) -> int:
        """The table's number in the circle, from 1 in the order in which tables were opened."""
        return int(self.label.rpartition("-")[2])


class ExportedPayment(NamedTuple):
    """A payment, or the withdrawal of one.

    Attributes:
        number: sequence number among the circle's payments and withdrawals.
        at: in the circle's time zone.
        day: the evening it belongs to.
        amount: in subunits of the account, positive.
        table: number of the table that it settles, if it is one alone.
        evening: the evening that it settles; if this and `table` are None, everything that was open.
        event: the title of the event whose fees and prizes it settles; `evening` is then its day.
        game: what was played at the table, or the game whose money alone is settled; None for several.
        game_name: what the table's house rules call its game, if they describe it.
        withdraws: number of the payment that this withdrawal cancels; None for a payment.
        withdrawn_by: number of the withdrawal that cancels this payment.
        is_waiting: the payment does not count yet, because its receiver has not confirmed it.
    """

    number: int
    at: datetime
    day: date
    giver: str
    taker: str
    account: str
    amount: int
    table: int | None = None
    evening: date | None = None
    game: str | None = None
    withdraws: int | None = None
    withdrawn_by: int | None = None
    is_waiting: bool = False
    event: str | None = None
    game_name: str = ""


class ExportedFee(NamedTuple):
    """An amount that settlements took over from an event: fees to the cashier, or prizes from the cashier.

    Attributes:
        day: the event's.
        kind: a kind of `models.Part`.
        title: the event's.
        account: a currency.
        amounts: what each is owed by name, in subunits; they sum to 0.
    """

    day: date
    kind: str
    title: str
    account: str
    amounts: dict[str, int]


class ExportedPlayer(NamedTuple):
    """A person in one of the circle's accounts.

    Attributes:
        tables: how many they have played at, in all accounts.
        account: a currency or a game's slug; None for somebody who is in no account.
        game: the game whose money alone is in the account.
        won, paid, moved, open: in subunits. `won` is below 0 for a loss, `paid` for who received; `moved` was settled
            together with other games; `open`, the sum, is above 0 for what they are owed.
    """

    name: str
    tables: int
    account: str | None = None
    game: str | None = None
    won: int = 0
    paid: int = 0
    moved: int = 0
    open: int = 0


def label(day: date, game: str, number: int) -> str:
    """Return a table's label."""
    return f"{day.isoformat()}-{game}-{number}"
