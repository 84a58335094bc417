"""Models of events with many tables: who takes part, who sits where in each round, results, phones at the tables."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .base import OfCircle, new_token
from .circles import Circle, Membership, Player
from .tables import Table


class Event(OfCircle):
    """A drive or a tournament of a circle: several tables that play rounds at the same time.

    Pages compare three random tokens, which are replaced by a change: `edition` by any (directors and walls),
    `plan_edition` by any but results (everybody's phones), and the `edition` of a RoundTable by its own (its phones).
    """

    __tablename__ = "event"
    __table_args__ = (
        UniqueConstraint("circle_id", "entry_key"),
        Index("ix_event_found", "circle_id", "day", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(32), unique=True)
    title: Mapped[str] = mapped_column(Text)
    day: Mapped[date]
    place: Mapped[str | None] = mapped_column(Text)
    game: Mapped[str] = mapped_column(String(32))
    house_rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    format: Mapped[str] = mapped_column(String(32))  # a slug of events/formats
    options: Mapped[dict[str, Any]] = mapped_column(JSON)  # the format's own
    scoring: Mapped[str] = mapped_column(String(32))  # a slug of events/scorings
    sitting_out: Mapped[str] = mapped_column(String(8))  # what a round counts that somebody sits out: of SITTING_OUT
    rounds: Mapped[int]  # how many are planned
    round_unit: Mapped[str] = mapped_column(String(8))  # "deals", "games" or "minutes"
    length: Mapped[int]  # how many deals, games or minutes a round has
    fee: Mapped[str | None] = mapped_column(String(24))  # what each entrant pays, a Decimal as text
    currency: Mapped[str | None] = mapped_column(String(3))  # null if nobody pays or wins money
    prizes: Mapped[list[dict[str, Any]]] = mapped_column(JSON)  # as events/prizes.py reads them
    seed: Mapped[int]  # makes draws repeatable
    has_stakes: Mapped[bool] = mapped_column(default=False)  # what is won at its tables is owed
    value: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True))  # of a counter, as in a sheet
    has_check_in: Mapped[bool] = mapped_column(default=False)  # people with the link may add themselves
    # A random token in every link to the event: replacing it revokes them.
    generation: Mapped[str] = mapped_column(String(16), default=new_token, index=True)
    edition: Mapped[str] = mapped_column(String(16), default=new_token)
    plan_edition: Mapped[str] = mapped_column(String(16), default=new_token)
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    entry_key: Mapped[str | None] = mapped_column(Text)

    circle: Mapped[Circle] = relationship()
    entrants: Mapped[list[Entrant]] = relationship(order_by="Entrant.number")
    substitutions: Mapped[list[EntrantSubstitution]] = relationship(order_by="EntrantSubstitution.round")
    drawn: Mapped[list[DrawnRound]] = relationship(order_by="DrawnRound.number")


class Entrant(OfCircle):
    """A number of an event, and the player who has it; partners of a pair event have 1 and 2, 3 and 4, and so on."""

    __tablename__ = "entrant"
    __table_args__ = (UniqueConstraint("event_id", "player_id"),)

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    group: Mapped[str] = mapped_column(String(1), default="")  # "a" or "b"; "" in events without groups
    first_round: Mapped[int] = mapped_column(default=1)
    last_round: Mapped[int | None]  # null unless somebody leaves early
    is_stationary: Mapped[bool] = mapped_column(default=False)  # the entrant keeps their table
    is_free: Mapped[bool] = mapped_column(default=False)  # the entrant pays no fee
    joined_at: Mapped[datetime]

    player: Mapped[Player] = relationship(lazy="joined")


class EntrantSubstitution(OfCircle):
    """The person who plays under a number from a round on. What is scored counts for the number.

    The entrant returns by another substitution, of themselves.
    """

    __tablename__ = "entrant_substitution"

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)

    player: Mapped[Player] = relationship(lazy="joined")


class DrawnRound(OfCircle):
    """A round that was drawn. Rounds are numbered from 1; the last one is the current one."""

    __tablename__ = "event_round"

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    sits_out: Mapped[list[int]] = mapped_column(JSON)  # the numbers of the entrants who have no table
    drawn_at: Mapped[datetime]
    started_at: Mapped[datetime | None]  # null until the director starts the clock
    paused_at: Mapped[datetime | None]  # null unless the clock is paused
    paused_seconds: Mapped[int] = mapped_column(default=0)  # of earlier pauses
    entry_key: Mapped[str] = mapped_column(Text)


class RoundTable(OfCircle):
    """A table of a round. `result`, `scores` and `is_confirmed` are a cache of its last `RoundResult`."""

    __tablename__ = "event_table"

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    pairs: Mapped[list[list[int]]] = mapped_column(JSON)  # of entrants' numbers, first the one that sits North–South
    # The table on which the phone keeps score, null if it only sends the result.
    table_id: Mapped[int | None] = mapped_column(ForeignKey("card_table.id"), index=True)
    result: Mapped[int] = mapped_column(default=0)  # its number, 0 before the first
    scores: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))  # null without a result
    is_confirmed: Mapped[bool] = mapped_column(default=False)  # by both sides or the director
    calls: Mapped[int] = mapped_column(default=0)  # how often it has called the director in this round
    called_at: Mapped[datetime | None]  # null unless somebody waits there for the director
    edition: Mapped[str] = mapped_column(String(16), default=new_token)

    table: Mapped[Table | None] = relationship()


class RoundResult(OfCircle):
    """A result of a table, or a later version of it; never updated."""

    __tablename__ = "event_result"
    __table_args__ = (
        UniqueConstraint("event_id", "round", "table_number", "number"),
        UniqueConstraint("event_id", "entry_key"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"))
    round: Mapped[int]
    table_number: Mapped[int]
    number: Mapped[int]  # from 1 in each round, so that one of two concurrent writers violates the unique constraint
    body: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))  # null if the result is withdrawn
    is_slip: Mapped[bool] = mapped_column(default=False)  # the director entered it, from one that both sides signed
    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"))
    at: Mapped[datetime]
    entry_key: Mapped[str] = mapped_column(Text)

    membership: Mapped[Membership] = relationship()
    confirmations: Mapped[list[ResultConfirmation]] = relationship(order_by="ResultConfirmation.side")


class ResultConfirmation(OfCircle):
    """A side's word that a result is right."""

    __tablename__ = "event_confirmation"

    result_id: Mapped[int] = mapped_column(ForeignKey("event_result.id"), primary_key=True)
    side: Mapped[int] = mapped_column(primary_key=True)  # its place among the result's scores, from 0
    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"))
    at: Mapped[datetime]


class EventPhone(OfCircle):
    """A phone that joined an event by one of its links, and so has access to it without access to the circle."""

    __tablename__ = "event_phone"

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"), primary_key=True, index=True)
    table_number: Mapped[int | None]  # whose results it may send; null if it may only watch
    number: Mapped[int | None]  # of the entrant whose phone it is, if known
    generation: Mapped[str] = mapped_column(String(16))  # the phone has access while it is the event's
    joined_at: Mapped[datetime]

    membership: Mapped[Membership] = relationship()
