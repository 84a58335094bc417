"""Models of settlements: what was settled together, what it took over, and what was paid."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .access import Browser
from .base import Base, identified_by, joined_by, new_token, reference, referred_to

if TYPE_CHECKING:
    from . import Event, Player, Table

FEE, PRIZE = "fee", "prize"


class Settlement(Base):
    """Balances of one account that are paid together: those of a table, an evening or everything that was open.

    `account` is a currency or a game's slug. `table_id` or `day` is set for a table or an evening, neither for
    everything; `game` is set if only that game's tables of an evening or of everything were settled together.
    `event_id` is set, and `day` too, for the fees and prizes of an event.
    `token` is the random part of its URLs.
    `successor_id`: the later settlement that took over what was unpaid here. Caches: `unpaid`, the unpaid balances by
    person, in subunits; `is_paid`: nobody's is a coin or more; `is_cleared`: all are 0.
    """

    __tablename__ = "settlement"
    __table_args__ = (
        UniqueConstraint("circle_id", "token", name="uq_settlement_token"),
        referred_to("settlement"),
        reference("settlement", "table_id", "card_table"),
        reference("settlement", "event_id", "event"),
        reference("settlement", "successor_id", "settlement"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(16), default=new_token)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    account: Mapped[str] = mapped_column(String(32))
    table_id: Mapped[int | None]
    event_id: Mapped[int | None]
    day: Mapped[date | None]
    game: Mapped[str | None] = mapped_column(String(32))
    created_at: Mapped[datetime]
    successor_id: Mapped[int | None]
    unpaid: Mapped[dict[str, int]] = mapped_column(JSON)
    is_paid: Mapped[bool]
    is_cleared: Mapped[bool]

    parts: Mapped[list[Part]] = relationship(
        primaryjoin=joined_by("Part.settlement_id", "Settlement"), back_populates="settlement", order_by="Part.id"
    )
    payments: Mapped[list[Payment]] = relationship(
        primaryjoin=joined_by("Payment.settlement_id", "Settlement"),
        back_populates="settlement",
        order_by="Payment.number",
    )
    table: Mapped[Table | None] = relationship(primaryjoin=joined_by("Settlement.table_id", "Table"))
    event: Mapped[Event | None] = relationship(primaryjoin=joined_by("Settlement.event_id", "Event"))
    successor: Mapped[Settlement | None] = relationship(
        primaryjoin=joined_by("Settlement.successor_id", "Settlement"), viewonly=True
    )

    __mapper_args__ = identified_by(id, circle_id)


class Part(Base):
    """The part of one player's balance that a settlement took over, from a table, an event or an earlier settlement.

    `amount` is in subunits of the account, above 0 for what the player is owed; an integer as text, since it may
    exceed 64 bits. `kind` is FEE or PRIZE for what comes from an event, else null.
    """

    __tablename__ = "part"
    __table_args__ = (
        reference("part", "settlement_id", "settlement"),
        reference("part", "table_id", "card_table"),
        reference("part", "event_id", "event"),
        reference("part", "earlier_id", "settlement"),
        reference("part", "player_id", "player"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column()
    settlement_id: Mapped[int] = mapped_column(index=True)
    table_id: Mapped[int | None] = mapped_column(index=True)
    event_id: Mapped[int | None] = mapped_column(index=True)
    kind: Mapped[str | None] = mapped_column(String(8))
    earlier_id: Mapped[int | None] = mapped_column(index=True)
    player_id: Mapped[int] = mapped_column(index=True)
    amount: Mapped[str] = mapped_column(Text)

    table: Mapped[Table | None] = relationship(primaryjoin=joined_by("Part.table_id", "Table"))
    event: Mapped[Event | None] = relationship(primaryjoin=joined_by("Part.event_id", "Event"))
    settlement: Mapped[Settlement] = relationship(
        primaryjoin=joined_by("Part.settlement_id", "Settlement"), back_populates="parts"
    )
    earlier: Mapped[Settlement | None] = relationship(primaryjoin=joined_by("Part.earlier_id", "Settlement"))

    __mapper_args__ = identified_by(id, circle_id)


class Payment(Base):
    """A payment that was made, or the withdrawal of one; never updated.

    `number` counts a circle's payments and withdrawals from 1, so that one of two concurrent writers violates the
    unique constraint. `amount` is above 0, in subunits of the settlement's account, an integer as text. `withdraws` is
    the number of the payment that this row withdraws, with the same players and amount; at most once.
    `needs_confirmation`: it counts once it has a `Confirmation`. `entry_key` is generated by the page that sends a
    payment; a withdrawal has none.
    """

    __tablename__ = "payment"
    __table_args__ = (
        UniqueConstraint("circle_id", "number"),
        UniqueConstraint("circle_id", "entry_key"),
        UniqueConstraint("circle_id", "withdraws", name="uq_payment_withdraws"),
        referred_to("payment"),
        reference("payment", "settlement_id", "settlement"),
        reference("payment", "giver_id", "player"),
        reference("payment", "taker_id", "player"),
        reference("payment", "browser_id", "browser"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    number: Mapped[int]
    settlement_id: Mapped[int] = mapped_column(index=True)
    giver_id: Mapped[int] = mapped_column(index=True)
    taker_id: Mapped[int] = mapped_column(index=True)
    amount: Mapped[str] = mapped_column(Text)
    withdraws: Mapped[int | None]
    needs_confirmation: Mapped[bool] = mapped_column(default=False)
    browser_id: Mapped[int]
    at: Mapped[datetime]
    entry_key: Mapped[str | None] = mapped_column(Text)

    settlement: Mapped[Settlement] = relationship(
        primaryjoin=joined_by("Payment.settlement_id", "Settlement"), back_populates="payments"
    )
    giver: Mapped[Player] = relationship(primaryjoin=joined_by("Payment.giver_id", "Player"))
    taker: Mapped[Player] = relationship(primaryjoin=joined_by("Payment.taker_id", "Player"))
    browser: Mapped[Browser] = relationship(primaryjoin=joined_by("Payment.browser_id", "Browser"))
    confirmation: Mapped[Confirmation | None] = relationship()

    __mapper_args__ = identified_by(id, circle_id)

    @property
    def is_confirmed(self) -> bool:
        """True if the payment needs no confirmation, or has one."""
        return not self.needs_confirmation or self.confirmation is not None


class Confirmation(Base):
    """The receiver's word that a payment arrived, and the browser that gave it."""

    __tablename__ = "confirmation"
    __table_args__ = (
        reference("confirmation", "payment_id", "payment"),
        reference("confirmation", "browser_id", "browser"),
    )

    circle_id: Mapped[int] = mapped_column()
    payment_id: Mapped[int] = mapped_column(primary_key=True)
    browser_id: Mapped[int]
    at: Mapped[datetime]

    browser: Mapped[Browser] = relationship(primaryjoin=joined_by("Confirmation.browser_id", "Browser"))

    __mapper_args__ = identified_by(payment_id, circle_id)
