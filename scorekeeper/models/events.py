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

    `format` and `scoring` are slugs (events/formats, events/scoring), `options` the format's own. `sitting_out` is what
    a round counts that somebody sits out (SITTING_OUT there). `length` is how many deals, games or minutes a round has,
    as `round_unit` says: "deals", "games" or "minutes"; null for "partie", which is one game. `rounds` is how many are
    planned. `fee` is what each entrant pays, a Decimal as text, in `currency`; both are null if nobody pays or wins
    money. `prizes` is a list of prizes as events/prizes.py reads them. `seed` makes draws repeatable. `has_stakes`:
    what is won at its tables is owed; `value`: what a counter is worth, as in a sheet. Both go to the tables that are
    opened. `has_check_in`: people with the link may add themselves. `generation` is a random token that every link to
    the event contains: replacing it revokes them.

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
    format: Mapped[str] = mapped_column(String(32))
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    scoring: Mapped[str] = mapped_column(String(32))
    sitting_out: Mapped[str] = mapped_column(String(8))
    rounds: Mapped[int]
    round_unit: Mapped[str] = mapped_column(String(8))
    length: Mapped[int | None]
    fee: Mapped[str | None] = mapped_column(String(24))
    currency: Mapped[str | None] = mapped_column(String(3))
    prizes: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    seed: Mapped[int]
    has_stakes: Mapped[bool] = mapped_column(default=False)
    value: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True))
    has_check_in: Mapped[bool] = mapped_column(default=False)
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
    """A number of an event, and the player who has it; partners of a pair event have 1 and 2, 3 and 4, and so on.

    `group` is one of two groups, "a" or "b", or "" in events without groups. The entrant plays from `first_round` until
    `last_round`, which is null unless somebody leaves early. `is_stationary`: the entrant keeps their table.
    `is_free`: the entrant pays no fee.
    """

    __tablename__ = "entrant"
    __table_args__ = (UniqueConstraint("event_id", "player_id"),)

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    group: Mapped[str] = mapped_column(String(1), default="")
    first_round: Mapped[int] = mapped_column(default=1)
    last_round: Mapped[int | None]
    is_stationary: Mapped[bool] = mapped_column(default=False)
    is_free: Mapped[bool] = mapped_column(default=False)
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
    """A round that was drawn. Rounds are numbered from 1; the last one is the current one.

    `sits_out` lists the numbers of the entrants who have no table. The clock runs from `started_at`, null until the
    director starts it; `paused_at` is set while it is paused, and `paused_seconds` is how long earlier pauses were.
    """

    __tablename__ = "event_round"

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    sits_out: Mapped[list[int]] = mapped_column(JSON)
    drawn_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    paused_at: Mapped[datetime | None]
    paused_seconds: Mapped[int] = mapped_column(default=0)
    entry_key: Mapped[str] = mapped_column(Text)


class RoundTable(OfCircle):
    """A table of a round: `pairs` are two pairs of entrants' numbers, first the one that sits North–South.

    `table_id` is the table on which the phone keeps score, null if it only sends the result. `calls` is how often the
    table has called the director in this round; `called_at` is when it last did, null unless somebody waits there, and
    `coming_id` the phone of the director who is on the way. The other columns are a cache of the last `RoundResult`:
    `result` counts them, 0 before the first; `scores` is what each pair scored, null without a result; `is_confirmed`:
    both sides, or the director, have confirmed it.
    """

    __tablename__ = "event_table"

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    pairs: Mapped[list[list[int]]] = mapped_column(JSON)
    table_id: Mapped[int | None] = mapped_column(ForeignKey("card_table.id"), index=True)
    result: Mapped[int] = mapped_column(default=0)
    scores: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    is_confirmed: Mapped[bool] = mapped_column(default=False)
    calls: Mapped[int] = mapped_column(default=0)
    called_at: Mapped[datetime | None]
    coming_id: Mapped[int | None] = mapped_column(ForeignKey("membership.id"))
    edition: Mapped[str] = mapped_column(String(16), default=new_token)

    table: Mapped[Table | None] = relationship()


class RoundResult(OfCircle):
    """A result of a table, or a later version of it; never updated.

    `number` counts a table's versions in a round from 1, so that one of two concurrent writers violates the unique
    constraint. `body` is as `RoundTable.scores`, null if the result is withdrawn. `is_slip`: the director entered it,
    from a slip that both sides have signed, so that it needs no confirmation.
    """

    __tablename__ = "event_result"
    __table_args__ = (
        UniqueConstraint("event_id", "round", "table_number", "number"),
        UniqueConstraint("event_id", "entry_key"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"))
    round: Mapped[int]
    table_number: Mapped[int]
    number: Mapped[int]
    body: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    is_slip: Mapped[bool] = mapped_column(default=False)
    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"))
    at: Mapped[datetime]
    entry_key: Mapped[str] = mapped_column(Text)

    membership: Mapped[Membership] = relationship()
    confirmations: Mapped[list[ResultConfirmation]] = relationship(order_by="ResultConfirmation.side")


class ResultConfirmation(OfCircle):
    """A side's word that a result is right; `side` is its place among the result's scores, from 0."""

    __tablename__ = "event_confirmation"

    result_id: Mapped[int] = mapped_column(ForeignKey("event_result.id"), primary_key=True)
    side: Mapped[int] = mapped_column(primary_key=True)
    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"))
    at: Mapped[datetime]


class EventPhone(OfCircle):
    """A phone that joined an event by one of its links, and so has access to it without access to the circle.

    `table_number` is the table whose results it may send, null if it may only watch; `number` is the entrant whose
    phone it is, if known. It has access while `generation` is the event's.
    """

    __tablename__ = "event_phone"

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"), primary_key=True, index=True)
    table_number: Mapped[int | None]
    number: Mapped[int | None]
    generation: Mapped[str] = mapped_column(String(16))
    joined_at: Mapped[datetime]

    membership: Mapped[Membership] = relationship()
