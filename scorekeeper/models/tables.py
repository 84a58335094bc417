"""Models of a table: its seats, the revisions of its deals, their facts, and caches of what is computed from them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column, relationship, subqueryload

from .base import OfCircle, new_token
from .circles import Circle, Membership, Player


class Table(OfCircle):
    """A series of deals of one game, with its own copy of the house rules. Its value is null without money."""

    __tablename__ = "card_table"
    __table_args__ = (
        Index("ix_card_table_found", "circle_id", "day", "id"),
        Index("ix_card_table_game", "circle_id", "game"),
        UniqueConstraint("circle_id", "entry_key"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(32), unique=True)
    game: Mapped[str] = mapped_column(String(32))
    house_rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    dealer: Mapped[str] = mapped_column(String(2))  # the first dealer's seat
    value_currency: Mapped[str | None] = mapped_column(String(3))
    value_unit: Mapped[str | None] = mapped_column(String(8))  # one counter of the game, such as a fiche
    value_amount: Mapped[str | None] = mapped_column(String(24))  # what it is worth, a Decimal
    has_stakes: Mapped[bool] = mapped_column(default=True)  # what is won is owed, in money or counters
    title: Mapped[str | None] = mapped_column(Text)  # of the sheet, as `played_on`
    played_on: Mapped[date | None]
    day: Mapped[date]  # the evening that the table belongs to
    is_dated: Mapped[bool] = mapped_column(default=False)  # somebody entered the day, or the imported sheet has one
    place: Mapped[str | None] = mapped_column(Text)
    note: Mapped[str | None] = mapped_column(Text)
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    edition: Mapped[str] = mapped_column(String(16), default=new_token)
    # After what people take turns at the seats, "deal" or a kind of closing; null if only the next table has others.
    turns: Mapped[str | None] = mapped_column(String(8))
    # A random token that the tables of a round's games share, which the same four play at an event; null elsewhere.
    games_token: Mapped[str | None] = mapped_column(String(16))
    entry_key: Mapped[str | None] = mapped_column(Text)

    circle: Mapped[Circle] = relationship()
    seats: Mapped[list[Seat]] = relationship(order_by=lambda: (func.length(Seat.label), Seat.label))
    revisions: Mapped[list[Revision]] = relationship(order_by="Revision.number")
    summary: Mapped[Summary | None] = relationship()

    @property
    def is_at_event(self) -> bool:
        return self.games_token is not None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by its rules, closed or not, as the summary says."""
        return self.summary is not None and self.summary.data["status"] == "finished"


class Seat(OfCircle):
    """A player at a table, by a label: the chairs "1", "2" and so on in order of turn, then substitutes."""

    __tablename__ = "seat"

    table_id: Mapped[int] = mapped_column(ForeignKey("card_table.id"), primary_key=True)
    label: Mapped[str] = mapped_column(String(2), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    is_substitute: Mapped[bool] = mapped_column(default=False)  # the label is no chair
    has_sat: Mapped[bool] = mapped_column(default=True)  # a cache: a withdrawn substitution may have changed it

    player: Mapped[Player] = relationship(lazy="joined")


class Revision(OfCircle):
    """One change of a table's facts, never updated (but for a name that is erased)."""

    __tablename__ = "revision"
    __table_args__ = (UniqueConstraint("table_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    table_id: Mapped[int] = mapped_column(ForeignKey("card_table.id"))
    number: Mapped[int]  # from 1 at each table: one of two concurrent writers violates the constraint
    kind: Mapped[str] = mapped_column(String(16))
    deal_id: Mapped[int | None]  # the number of the revision that recorded the deal first; null if it is of no deal
    before_id: Mapped[int | None]  # the deal that it was inserted in front of
    body: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))  # facts; null if it is withdrawn
    undoes: Mapped[int | None]  # the revision that is undone
    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"))
    at: Mapped[datetime]
    entry_key: Mapped[str] = mapped_column(Text)

    membership: Mapped[Membership] = relationship()


class Summary(OfCircle):
    """A cache of a table's results after `version` revisions, so that a page of many tables need not replay them."""

    __tablename__ = "summary"

    table_id: Mapped[int] = mapped_column(ForeignKey("card_table.id"), primary_key=True)
    version: Mapped[int]
    data: Mapped[dict[str, Any]] = mapped_column(JSON)  # the result of `summarise` (tables/summary.py)
    account: Mapped[str] = mapped_column(String(64))
    owed: Mapped[dict[str, list[int]]] = mapped_column(JSON)  # by label: the player's id, subunits of the account


# The option that loads the seats of tables and their players in one more query, however many tables there are.
SEATED = subqueryload(Table.seats)
