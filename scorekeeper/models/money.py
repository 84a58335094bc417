"""Models of settlements: what was settled together, what it took over, and what was paid."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ..scoring.values import build_etag
from .base import OfCircle, new_token
from .circles import Browser, Player
from .tables import Table

if TYPE_CHECKING:
    from . import Event

FEE, PRIZE = "fee", "prize"


class Settlement(OfCircle):
    """Balances of one account that are paid together: those of a table, an evening or everything that was open.

    `account` is a currency or a game's slug. `table_id` or `day` is set for a table or an evening, neither for
    everything; `game` is set if only that game's tables of an evening or of everything were settled together.
    `event_id` is set, and `day` too, for the fees and prizes of an event. `successor_id`: the later settlement that
    took over what was unpaid here. Caches: `unpaid`, the unpaid balances by person, in subunits; `is_paid`: nobody's is
    a coin or more; `is_cleared`: all are 0.
    """

    __tablename__ = "settlement"
    __table_args__ = (UniqueConstraint("circle_id", "token"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(16), default=new_token)
    account: Mapped[str] = mapped_column(String(32))
    table_id: Mapped[int | None] = mapped_column(ForeignKey("card_table.id"))
    event_id: Mapped[int | None] = mapped_column(ForeignKey("event.id"))
    day: Mapped[date | None]
    game: Mapped[str | None] = mapped_column(String(32))
    created_at: Mapped[datetime]
    successor_id: Mapped[int | None] = mapped_column(ForeignKey("settlement.id"))
    unpaid: Mapped[dict[str, int]] = mapped_column(JSON)
    is_paid: Mapped[bool]
    is_cleared: Mapped[bool]

    parts: Mapped[list[Part]] = relationship(
        foreign_keys="Part.settlement_id", back_populates="settlement", order_by="Part.id"
    )
    payments: Mapped[list[Payment]] = relationship(back_populates="settlement", order_by="Payment.number")
    table: Mapped[Table | None] = relationship()
    event: Mapped[Event | None] = relationship()
    successor: Mapped[Settlement | None] = relationship(remote_side=id, viewonly=True)


class Part(OfCircle):
    """The part of one player's balance that a settlement took over, from a table, an event or an earlier settlement.

    `amount` is in subunits of the account, above 0 for what the player is owed; an integer as text, since it may
    exceed 64 bits. `kind` is FEE or PRIZE for what comes from an event, else null.
    """

    __tablename__ = "part"

    id: Mapped[int] = mapped_column(primary_key=True)
    settlement_id: Mapped[int] = mapped_column(ForeignKey("settlement.id"), index=True)
    table_id: Mapped[int | None] = mapped_column(ForeignKey("card_table.id"), index=True)
    event_id: Mapped[int | None] = mapped_column(ForeignKey("event.id"), index=True)
    kind: Mapped[str | None] = mapped_column(String(8))
    earlier_id: Mapped[int | None] = mapped_column(ForeignKey("settlement.id"), index=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    amount: Mapped[str] = mapped_column(Text)

    table: Mapped[Table | None] = relationship()
    event: Mapped[Event | None] = relationship()
    settlement: Mapped[Settlement] = relationship(foreign_keys=settlement_id, back_populates="parts")
    earlier: Mapped[Settlement | None] = relationship(foreign_keys=earlier_id)


class Payment(OfCircle):
    """A payment that was made, or the withdrawal of one; never updated.

    `number` counts a circle's payments and withdrawals from 1, so that one of two concurrent writers violates the
    unique constraint. `amount` is above 0, in subunits of the settlement's account, an integer as text. `withdraws` is
    the number of the payment that this row withdraws, with the same players and amount; at most once.
    `needs_confirmation`: it counts once it has a `Confirmation`.
    """

    __tablename__ = "payment"
    __table_args__ = (
        UniqueConstraint("circle_id", "number"),
        UniqueConstraint("circle_id", "entry_key"),
        UniqueConstraint("circle_id", "withdraws"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int]
    settlement_id: Mapped[int] = mapped_column(ForeignKey("settlement.id"), index=True)
    giver_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    taker_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    amount: Mapped[str] = mapped_column(Text)
    withdraws: Mapped[int | None]
    needs_confirmation: Mapped[bool] = mapped_column(default=False)
    browser_id: Mapped[int] = mapped_column(ForeignKey("browser.id"))
    at: Mapped[datetime]
    entry_key: Mapped[str | None] = mapped_column(Text)

    settlement: Mapped[Settlement] = relationship(back_populates="payments")
    giver: Mapped[Player] = relationship(foreign_keys=giver_id)
    taker: Mapped[Player] = relationship(foreign_keys=taker_id)
    browser: Mapped[Browser] = relationship()
    confirmation: Mapped[Confirmation | None] = relationship()

    @property
    def etag(self) -> str:
        """Its number alone is given again once a backup is restored."""
        return build_etag(self.number, self.at, self.entry_key)

    @property
    def is_confirmed(self) -> bool:
        """True if the payment needs no confirmation, or has one."""
        return not self.needs_confirmation or self.confirmation is not None


class Confirmation(OfCircle):
    """The receiver's word that a payment arrived, and the browser that gave it."""

    __tablename__ = "confirmation"

    payment_id: Mapped[int] = mapped_column(ForeignKey("payment.id"), primary_key=True)
    browser_id: Mapped[int] = mapped_column(ForeignKey("browser.id"))
    at: Mapped[datetime]

    browser: Mapped[Browser] = relationship()
