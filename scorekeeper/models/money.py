"""Models of payments: who gave whom how much, what for, and whether it arrived."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from sqlalchemy import Dialect, ForeignKey, String, Text, TypeDecorator, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .base import OfCircle, new_token
from .circles import Membership, Player
from .tables import Table

if TYPE_CHECKING:
    from . import Event

PAYMENT, EXPENSE, INCOME = "payment", "expense", "income"
METHODS = CASH, TRANSFER, OTHER = "cash", "transfer", "other"


class Subunits(TypeDecorator[int]):
    """An integer that may exceed the 64 bits of a database's integers: it is stored as text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: int | None, _dialect: Dialect) -> str | None:
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, _dialect: Dialect) -> int | None:
        return None if value is None else int(value)


class Payment(OfCircle):
    """A payment that was made; only taking it back, and putting it back, change the row.

    A giver or taker of null is the cash box; of an EXPENSE the box is the giver, and of an INCOME the taker, and nobody
    in the circle is the other. It was made for a table, an event, an evening, or everything if all three are null.
    """

    __tablename__ = "payment"
    __table_args__ = (
        UniqueConstraint("circle_id", "number"),
        UniqueConstraint("circle_id", "token"),
        UniqueConstraint("circle_id", "entry_key"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int]  # counts a circle's payments from 1
    token: Mapped[str] = mapped_column(String(16), default=new_token)
    kind: Mapped[str] = mapped_column(String(8), default=PAYMENT)
    account: Mapped[str] = mapped_column(String(64))  # a currency or the key of a game's counters
    giver_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"), index=True)
    taker_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"), index=True)
    amount: Mapped[int] = mapped_column(Subunits)  # above 0
    paid_on: Mapped[date]
    method: Mapped[str | None] = mapped_column(String(8))
    note: Mapped[str | None] = mapped_column(Text)
    table_id: Mapped[int | None] = mapped_column(ForeignKey("card_table.id"), index=True)
    event_id: Mapped[int | None] = mapped_column(ForeignKey("event.id"), index=True)
    evening: Mapped[date | None]
    needs_confirmation: Mapped[bool] = mapped_column(default=False)  # it counts once it has a `Confirmation`
    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"))
    at: Mapped[datetime]  # when it was recorded
    withdrawn_at: Mapped[datetime | None]  # when it was taken back: it was not made after all
    withdrawn_by_id: Mapped[int | None] = mapped_column(ForeignKey("membership.id"))
    entry_key: Mapped[str | None] = mapped_column(Text)

    giver: Mapped[Player | None] = relationship(foreign_keys=giver_id)
    taker: Mapped[Player | None] = relationship(foreign_keys=taker_id)
    table: Mapped[Table | None] = relationship()
    event: Mapped[Event | None] = relationship()
    membership: Mapped[Membership] = relationship(foreign_keys=membership_id)
    withdrawn_by: Mapped[Membership | None] = relationship(foreign_keys=withdrawn_by_id)
    confirmation: Mapped[Confirmation | None] = relationship()

    @property
    def is_waiting(self) -> bool:
        return self.needs_confirmation and self.confirmation is None and self.withdrawn_at is None

    @property
    def state(self) -> str:
        """Which of these it is: "withdrawn", "waiting", "confirmed", or "recorded", which counts unconfirmed."""
        if self.withdrawn_at is not None:
            return "withdrawn"
        if self.is_waiting:
            return "waiting"
        return "recorded" if self.confirmation is None else "confirmed"

    @property
    def counts(self) -> bool:
        return self.withdrawn_at is None and not self.is_waiting


class Confirmation(OfCircle):
    """The receiver's word that a payment arrived, and the phone that gave it."""

    __tablename__ = "confirmation"

    payment_id: Mapped[int] = mapped_column(ForeignKey("payment.id"), primary_key=True)
    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"))
    at: Mapped[datetime]

    membership: Mapped[Membership] = relationship()
