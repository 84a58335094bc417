"""What is kept: columns, and no rules. Facts are only ever added; everything else is replayed from them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship, selectinload


class Base(DeclarativeBase):
    pass


db = SQLAlchemy(model_class=Base)


class Circle(Base):
    """The people who play together. Whoever comes in by one of its links has the link's right.

    `title` is what its people call it. `recovery_at` is when a host was last shown, or waved away, the recovery sheet.
    `is_sample`: to try things out in; it is nobody's home, and erased after a day.
    """

    __tablename__ = "circle"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(32), unique=True)  # random, and stands in addresses
    made_at: Mapped[datetime]
    title: Mapped[str | None] = mapped_column(String(80))
    recovery_at: Mapped[datetime | None]
    is_sample: Mapped[bool] = mapped_column(default=False)

    links: Mapped[list[Link]] = relationship(back_populates="circle", order_by="Link.id")
    players: Mapped[list[Player]] = relationship(back_populates="circle", order_by="Player.id")
    tables: Mapped[list[Table]] = relationship(back_populates="circle")
    browsers: Mapped[list[Browser]] = relationship(back_populates="circle", order_by="Browser.number")


class Link(Base):
    """A way into a circle; `right` is watch, score or host. Only the hash of its secret is kept.

    A link that has been renewed is ended, and with it every browser that came in by it.
    """

    __tablename__ = "link"

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"), index=True)
    right: Mapped[str] = mapped_column(String(8))
    secret_hash: Mapped[str] = mapped_column(String(64))
    made_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]

    circle: Mapped[Circle] = relationship(back_populates="links")


class Browser(Base):
    """A browser that has come into a circle: `number` counts them within it, `name` is what its people call it.

    Its own secret, of which the hash is kept, lies in its cookie; `ended_at` is when it was shown the door.
    """

    __tablename__ = "browser"
    __table_args__ = (UniqueConstraint("circle_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    link_id: Mapped[int] = mapped_column(ForeignKey("link.id"))
    number: Mapped[int]
    name: Mapped[str | None] = mapped_column(String(40))
    secret_hash: Mapped[str] = mapped_column(String(64))
    first_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]

    circle: Mapped[Circle] = relationship(back_populates="browsers")
    link: Mapped[Link] = relationship()


class Player(Base):
    """Somebody who plays; by what name, may change. `retired_at`: no longer offered when a table is set.

    `person_id` is the player whom this one turned out to be: seats and payments keep pointing here, and count there.
    `erased_at` is when the name was replaced by a placeholder. All is paid through the one who `is_banker`, if any.
    """

    __tablename__ = "player"
    __table_args__ = (UniqueConstraint("circle_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    name: Mapped[str] = mapped_column(String(80))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    retired_at: Mapped[datetime | None]
    erased_at: Mapped[datetime | None]
    is_banker: Mapped[bool] = mapped_column(default=False)

    circle: Mapped[Circle] = relationship(back_populates="players")
    _person: Mapped[Player | None] = relationship(remote_side="Player.id", lazy="joined", join_depth=1)

    @property
    def person(self) -> Player:
        """Who this player is: another one, or himself."""
        return self._person or self


class Table(Base):
    """One game at one table, with its own copy of the house rules it was opened under.

    `dealer` is the seat of who deals first. `value_amount` is a Decimal written out, in `value_currency` for one
    `value_unit` (jeton or fiche); all three are null where no money is played for. `title` and `played_on` are what
    the sheet says of itself; `day` is the evening the table belongs to, whether or not its sheet says so. `edition` is
    another, at random, whenever what was kept of it is altered, which only the erasing of a name does.
    """

    __tablename__ = "card_table"
    __table_args__ = (Index("ix_card_table_found", "circle_id", "day", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(32), unique=True)  # random: the table's address
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    game: Mapped[str] = mapped_column(String(32))
    rules_version: Mapped[int]
    house_rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    dealer: Mapped[str] = mapped_column(String(2))
    value_currency: Mapped[str | None] = mapped_column(String(3))
    value_unit: Mapped[str | None] = mapped_column(String(8))
    value_amount: Mapped[str | None] = mapped_column(String(24))
    title: Mapped[str | None] = mapped_column(Text)
    played_on: Mapped[date | None]
    day: Mapped[date]
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    edition: Mapped[str] = mapped_column(String(16), default="")

    circle: Mapped[Circle] = relationship(back_populates="tables")
    seats: Mapped[list[Seat]] = relationship(order_by="Seat.seat")
    revisions: Mapped[list[Revision]] = relationship(order_by="Revision.number")
    summary: Mapped[Summary | None] = relationship(back_populates="table")


class Seat(Base):
    """Who sits where: seats are "1", "2", … in order of turn, and stand for the players in every fact that is kept."""

    __tablename__ = "seat"

    table_id: Mapped[int] = mapped_column(ForeignKey("card_table.id"), primary_key=True)
    seat: Mapped[str] = mapped_column(String(2), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)

    player: Mapped[Player] = relationship(lazy="joined")


class Revision(Base):
    """One change of a table's facts, never altered afterwards.

    `number` counts a table's revisions from 1, so that of two writers who have seen the same one cannot but lose.
    `deal` is the number of the revision that first told of the deal; `before` the deal it was put in front of;
    `body` the deal's facts after this revision, null where it is withdrawn; `undoes` the revision taken back.
    `entry_key` is made by the page that sends it: the same entry sent twice is recorded once.
    """

    __tablename__ = "revision"
    __table_args__ = (UniqueConstraint("table_id", "number"), UniqueConstraint("table_id", "entry_key"))

    id: Mapped[int] = mapped_column(primary_key=True)
    table_id: Mapped[int] = mapped_column(ForeignKey("card_table.id"))
    number: Mapped[int]
    kind: Mapped[str] = mapped_column(String(16))
    deal: Mapped[int | None]
    before: Mapped[int | None]
    body: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    undoes: Mapped[int | None]
    browser_id: Mapped[int] = mapped_column(ForeignKey("browser.id"))
    at: Mapped[datetime]
    entry_key: Mapped[str] = mapped_column(Text)

    browser: Mapped[Browser] = relationship()


class Summary(Base):
    """A cache: what a table came to when it had `seen` revisions, so that a page of many need not replay them.

    `told` is what `summary.summarise` says, `fingerprint` stands for the table's facts (the same sheet has the same).
    `taken` is what settlements have taken over of each seat's balance, in grains of the table's account; `is_taken`:
    that is all of it; `is_settled`: and those settlements are paid. Rebuilt and checked by `scorekeeper verify`.
    """

    __tablename__ = "summary"

    table_id: Mapped[int] = mapped_column(ForeignKey("card_table.id"), primary_key=True)
    seen: Mapped[int]
    told: Mapped[dict[str, Any]] = mapped_column(JSON)
    fingerprint: Mapped[str] = mapped_column(String(64), index=True)
    taken: Mapped[dict[str, int]] = mapped_column(JSON)
    is_taken: Mapped[bool]
    is_settled: Mapped[bool]

    table: Mapped[Table] = relationship(back_populates="summary")


class Digest(Base):
    """A cache: what the tables of a period come to together; a month ("2026-11"), a year, all through a year ("-2026").

    `changes` counts what has changed: of a month the writes to its tables, of the circle (under "") what changed who
    its players are. `told` is what `tally.dump` says, made when all that it depends on had changed `as_of` times:
    book/tallies.py says how that holds.
    """

    __tablename__ = "digest"

    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"), primary_key=True)
    period: Mapped[str] = mapped_column(String(7), primary_key=True)
    changes: Mapped[int] = mapped_column(default=0)
    as_of: Mapped[int | None]
    told: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class Settlement(Base):
    """What was settled together in one account (a currency, or a game's counters): a table, an evening or everything.

    `table_id` or `day` say which of these; both are null for everything that was open. `heir_id` is the later one
    that took over what was unpaid here. `left` is a cache: what is still unpaid by player, in grains; `is_paid`: less
    than a coin of anybody; `is_nought`: nothing at all.
    """

    __tablename__ = "settlement"

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"), index=True)
    account: Mapped[str] = mapped_column(String(32))
    table_id: Mapped[int | None] = mapped_column(ForeignKey("card_table.id"))
    day: Mapped[date | None]
    made_at: Mapped[datetime]
    heir_id: Mapped[int | None] = mapped_column(ForeignKey("settlement.id"))
    left: Mapped[dict[str, int]] = mapped_column(JSON)
    is_paid: Mapped[bool]
    is_nought: Mapped[bool]

    parts: Mapped[list[Part]] = relationship(
        back_populates="settlement", order_by="Part.id", foreign_keys="Part.settlement_id"
    )
    payments: Mapped[list[Payment]] = relationship(back_populates="settlement", order_by="Payment.number")
    table: Mapped[Table | None] = relationship()


class Part(Base):
    """What a settlement took over of one player: from a table, or what an earlier settlement had left unpaid.

    `amount` is in grains of the account, above 0 for what the player is owed; a whole number, written out since it
    may be of any length.
    """

    __tablename__ = "part"

    id: Mapped[int] = mapped_column(primary_key=True)
    settlement_id: Mapped[int] = mapped_column(ForeignKey("settlement.id"), index=True)
    table_id: Mapped[int | None] = mapped_column(ForeignKey("card_table.id"), index=True)
    earlier_id: Mapped[int | None] = mapped_column(ForeignKey("settlement.id"), index=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    amount: Mapped[str] = mapped_column(Text)

    table: Mapped[Table | None] = relationship()
    settlement: Mapped[Settlement] = relationship(back_populates="parts", foreign_keys=[settlement_id])
    earlier: Mapped[Settlement | None] = relationship(foreign_keys=[earlier_id])


class Payment(Base):
    """A payment that was made, or the withdrawal of one; never altered afterwards.

    `number` counts a circle's payments and withdrawals from 1, so that of two writers who have seen the same one
    cannot but lose. `amount` is above 0, in grains of the settlement's account, written out. `withdraws` is the number
    of the payment that is taken back, with the same players and amount. `entry_key` is made by the page that sends it.
    """

    __tablename__ = "payment"
    __table_args__ = (UniqueConstraint("circle_id", "number"), UniqueConstraint("circle_id", "entry_key"))

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    number: Mapped[int]
    settlement_id: Mapped[int] = mapped_column(ForeignKey("settlement.id"), index=True)
    giver_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    taker_id: Mapped[int] = mapped_column(ForeignKey("player.id"), index=True)
    amount: Mapped[str] = mapped_column(Text)
    withdraws: Mapped[int | None]
    browser_id: Mapped[int] = mapped_column(ForeignKey("browser.id"))
    at: Mapped[datetime]
    entry_key: Mapped[str] = mapped_column(Text)

    settlement: Mapped[Settlement] = relationship(back_populates="payments")
    giver: Mapped[Player] = relationship(foreign_keys=[giver_id])
    taker: Mapped[Player] = relationship(foreign_keys=[taker_id])
    browser: Mapped[Browser] = relationship()


# Who sits at a table, by the name of the person: read with the table, in one statement more.
SEATED = selectinload(Table.seats)
