"""What is kept: columns, and no rules. Facts are only ever added; everything else is replayed from them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    pass


db = SQLAlchemy(model_class=Base)


class Circle(Base):
    """The people who play together. Whoever comes in by one of its links has the link's right."""

    __tablename__ = "circle"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(32), unique=True)  # random, and stands in addresses
    made_at: Mapped[datetime]

    links: Mapped[list[Link]] = relationship(back_populates="circle", order_by="Link.id")
    players: Mapped[list[Player]] = relationship(back_populates="circle", order_by="Player.id")
    tables: Mapped[list[Table]] = relationship(back_populates="circle")


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

    circle: Mapped[Circle] = relationship()
    link: Mapped[Link] = relationship()


class Player(Base):
    __tablename__ = "player"
    __table_args__ = (UniqueConstraint("circle_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    name: Mapped[str] = mapped_column(String(80))

    circle: Mapped[Circle] = relationship(back_populates="players")


class Table(Base):
    """One game at one table, with its own copy of the house rules it was opened under.

    `dealer` is the seat of who deals first. `value_amount` is a Decimal written out, in `value_currency` for one
    `value_unit` (jeton or fiche); all three are null where no money is played for.
    """

    __tablename__ = "card_table"

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(32), unique=True)  # random: the table's address
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"), index=True)
    game: Mapped[str] = mapped_column(String(32))
    rules_version: Mapped[int]
    house_rules: Mapped[dict[str, Any]] = mapped_column(JSON)
    dealer: Mapped[str] = mapped_column(String(2))
    value_currency: Mapped[str | None] = mapped_column(String(3))
    value_unit: Mapped[str | None] = mapped_column(String(8))
    value_amount: Mapped[str | None] = mapped_column(String(24))
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]

    circle: Mapped[Circle] = relationship(back_populates="tables")
    seats: Mapped[list[Seat]] = relationship(order_by="Seat.seat")
    revisions: Mapped[list[Revision]] = relationship(order_by="Revision.number")


class Seat(Base):
    """Who sits where: seats are "1", "2", … in order of turn, and stand for the players in every fact that is kept."""

    __tablename__ = "seat"

    table_id: Mapped[int] = mapped_column(ForeignKey("card_table.id"), primary_key=True)
    seat: Mapped[str] = mapped_column(String(2), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))

    player: Mapped[Player] = relationship()


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
