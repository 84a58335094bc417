"""Models of events with many tables: who takes part, who sits where in each round, results, phones at the tables."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from .access import Browser
from .base import Base, identified_by, joined_by, reference, referred_to

if TYPE_CHECKING:
    from . import Circle, Player, Table


class Event(Base):
    """A drive or a tournament of a circle: several tables that play rounds at the same time.

    `token` is the random part of its URLs. `format` and `scoring` are slugs (events/formats, events/scoring), `options`
    the format's own. `length` is how many deals, manches or minutes a round has, as `round_unit` says: "deals",
    "partie" or "minutes"; null for a partie. `rounds` is how many are planned. `fee` is what each entrant pays, a
    Decimal as text, in `currency`; both are null if nobody pays or wins money. `prizes` is a list of prizes as
    events/prizes.py reads them. `cashier_id` is the player who takes the fees and pays the prizes. `seed` makes draws
    repeatable. `has_check_in`: who has the link may add themselves. `generation` is part of every link to the event:
    raising it revokes them. `version` counts the writes to the event, for those who follow it. `entry_key` is generated
    by the page that creates the event, so that the page sent twice creates one.
    """

    __tablename__ = "event"
    __table_args__ = (
        UniqueConstraint("circle_id", "entry_key", name="uq_event_entry_key"),
        Index("ix_event_found", "circle_id", "day", "id"),
        referred_to("event"),
        reference("event", "cashier_id", "player"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(32), unique=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    title: Mapped[str] = mapped_column(Text)
    day: Mapped[date]
    place: Mapped[str | None] = mapped_column(Text)
    game: Mapped[str] = mapped_column(String(32))
    house_rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    format: Mapped[str] = mapped_column(String(32))
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    scoring: Mapped[str] = mapped_column(String(32))
    rounds: Mapped[int]
    round_unit: Mapped[str] = mapped_column(String(8))
    length: Mapped[int | None]
    fee: Mapped[str | None] = mapped_column(String(24))
    currency: Mapped[str | None] = mapped_column(String(3))
    prizes: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    cashier_id: Mapped[int | None]
    seed: Mapped[int]
    has_check_in: Mapped[bool] = mapped_column(default=False)
    generation: Mapped[int] = mapped_column(default=0)
    version: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    entry_key: Mapped[str | None] = mapped_column(Text)

    circle: Mapped[Circle] = relationship()
    cashier: Mapped[Player | None] = relationship(primaryjoin=joined_by("Event.cashier_id", "Player"))
    entrants: Mapped[list[Entrant]] = relationship(order_by="Entrant.number")
    substitutions: Mapped[list[EntrantSubstitution]] = relationship(order_by="EntrantSubstitution.round")
    drawn: Mapped[list[DrawnRound]] = relationship(order_by="DrawnRound.number")

    __mapper_args__ = identified_by(id, circle_id)


class Entrant(Base):
    """A number of an event, and the player who has it; partners of a pair event have 1 and 2, 3 and 4, and so on.

    `group` is one of two groups, "a" or "b", or "" in events without groups. The entrant plays from `first_round` until
    `last_round`, which is null unless somebody leaves early. `is_stationary`: the entrant keeps their table.
    `is_free`: the entrant pays no fee.
    """

    __tablename__ = "entrant"
    __table_args__ = (
        UniqueConstraint("event_id", "player_id", name="uq_entrant_player"),
        reference("entrant", "event_id", "event"),
        reference("entrant", "player_id", "player"),
    )

    circle_id: Mapped[int] = mapped_column()
    event_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(index=True)
    group: Mapped[str] = mapped_column(String(1), default="")
    first_round: Mapped[int] = mapped_column(default=1)
    last_round: Mapped[int | None]
    is_stationary: Mapped[bool] = mapped_column(default=False)
    is_free: Mapped[bool] = mapped_column(default=False)
    joined_at: Mapped[datetime]

    player: Mapped[Player] = relationship(primaryjoin=joined_by("Entrant.player_id", "Player"), lazy="joined")

    __mapper_args__ = identified_by(event_id, number, circle_id)


class EntrantSubstitution(Base):
    """Who plays under a number from a round on. What is scored counts for the number.

    The entrant returns by another substitution, of themselves.
    """

    __tablename__ = "entrant_substitution"
    __table_args__ = (
        reference("entrant_substitution", "event_id", "event"),
        reference("entrant_substitution", "player_id", "player"),
    )

    circle_id: Mapped[int] = mapped_column()
    event_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(index=True)

    player: Mapped[Player] = relationship(
        primaryjoin=joined_by("EntrantSubstitution.player_id", "Player"), lazy="joined"
    )

    __mapper_args__ = identified_by(event_id, number, round, circle_id)


class DrawnRound(Base):
    """A round that was drawn. Rounds are numbered from 1; the last one is the current one.

    `sits_out` lists the numbers of the entrants who have no table. The clock runs from `started_at`, null until the
    director starts it; `paused_at` is set while it is paused, and `paused_seconds` is how long earlier pauses were.
    """

    __tablename__ = "event_round"
    __table_args__ = (reference("event_round", "event_id", "event"),)

    circle_id: Mapped[int] = mapped_column()
    event_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    sits_out: Mapped[list[int]] = mapped_column(JSON)
    drawn_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    paused_at: Mapped[datetime | None]
    paused_seconds: Mapped[int] = mapped_column(default=0)
    entry_key: Mapped[str] = mapped_column(Text)

    __mapper_args__ = identified_by(event_id, number, circle_id)


class RoundTable(Base):
    """A table of a round: `pairs` are two pairs of entrants' numbers, first the one that sits North–South.

    `table_id` is the table on which the phone keeps score, null if it only sends the result. The other columns are a
    cache of the last `RoundResult`: `result` counts them, 0 before the first; `scores` is what each pair scored, null
    without a result; `is_confirmed`: both sides, or the director, have confirmed it.
    """

    __tablename__ = "event_table"
    __table_args__ = (
        reference("event_table", "event_id", "event"),
        reference("event_table", "table_id", "card_table"),
    )

    circle_id: Mapped[int] = mapped_column()
    event_id: Mapped[int] = mapped_column(primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    pairs: Mapped[list[list[int]]] = mapped_column(JSON)
    table_id: Mapped[int | None] = mapped_column(index=True)
    result: Mapped[int] = mapped_column(default=0)
    scores: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    is_confirmed: Mapped[bool] = mapped_column(default=False)

    table: Mapped[Table | None] = relationship(primaryjoin=joined_by("RoundTable.table_id", "Table"))

    __mapper_args__ = identified_by(event_id, round, number, circle_id)


class RoundResult(Base):
    """A result of a table, or a later version of it; never updated.

    `number` counts a table's versions in a round from 1, so that one of two concurrent writers violates the unique
    constraint. `body` is as `RoundTable.scores`, null if the result is withdrawn. `is_slip`: the director entered it,
    from a slip that both sides have signed, so that it needs no confirmation. `entry_key` is generated by the page that
    sends the result.
    """

    __tablename__ = "event_result"
    __table_args__ = (
        UniqueConstraint("event_id", "round", "table_number", "number", name="uq_event_result_number"),
        UniqueConstraint("event_id", "entry_key", name="uq_event_result_entry_key"),
        referred_to("event_result"),
        reference("event_result", "event_id", "event"),
        reference("event_result", "browser_id", "browser"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column()
    event_id: Mapped[int]
    round: Mapped[int]
    table_number: Mapped[int]
    number: Mapped[int]
    body: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    is_slip: Mapped[bool] = mapped_column(default=False)
    browser_id: Mapped[int]
    at: Mapped[datetime]
    entry_key: Mapped[str] = mapped_column(Text)

    browser: Mapped[Browser] = relationship(primaryjoin=joined_by("RoundResult.browser_id", "Browser"))
    confirmations: Mapped[list[ResultConfirmation]] = relationship(order_by="ResultConfirmation.side")

    __mapper_args__ = identified_by(id, circle_id)


class ResultConfirmation(Base):
    """A side's word that a result is right; `side` is 0 for the first pair and 1 for the second."""

    __tablename__ = "event_confirmation"
    __table_args__ = (
        reference("event_confirmation", "result_id", "event_result"),
        reference("event_confirmation", "browser_id", "browser"),
    )

    circle_id: Mapped[int] = mapped_column()
    result_id: Mapped[int] = mapped_column(primary_key=True)
    side: Mapped[int] = mapped_column(primary_key=True)
    browser_id: Mapped[int]
    at: Mapped[datetime]

    __mapper_args__ = identified_by(result_id, side, circle_id)


class EventPhone(Base):
    """A browser that joined an event by one of its links, and so has access to it without access to the circle.

    `table_number` is the table whose results it may send, null if it may only watch; `number` is the entrant whose
    phone it is, if known. It has access while `generation` is the event's.
    """

    __tablename__ = "event_phone"
    __table_args__ = (
        reference("event_phone", "event_id", "event"),
        reference("event_phone", "browser_id", "browser"),
    )

    circle_id: Mapped[int] = mapped_column()
    event_id: Mapped[int] = mapped_column(primary_key=True)
    browser_id: Mapped[int] = mapped_column(primary_key=True, index=True)
    table_number: Mapped[int | None]
    number: Mapped[int | None]
    generation: Mapped[int]
    joined_at: Mapped[datetime]

    browser: Mapped[Browser] = relationship(primaryjoin=joined_by("EventPhone.browser_id", "Browser"))

    __mapper_args__ = identified_by(event_id, browser_id, circle_id)
