"""Models of a circle: its settings, links and phones, its players, who is here this evening, and who wants notices."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint, case, select, text
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from ..limits import MAX_CIRCLE_TEXT_LENGTH, MAX_NAME_LENGTH, MAX_PHONE_NAME_LENGTH
from .base import Base, OfCircle, new_token

_IS_LIVE = text("revoked_at IS NULL")  # a link
RIGHTS = WATCH, SCORE, HOST = ("watch", "score", "host")  # what a link allows; each includes those before it


def may(right: str | None, needed: str) -> bool:
    """Return whether `right` includes `needed`; None, the right of a phone without access, includes nothing."""
    return right is not None and RIGHTS.index(right) >= RIGHTS.index(needed)


class Circle(Base):
    """A group of people who play together. A phone that joins by one of its links has the link's right."""

    __tablename__ = "circle"

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(16), unique=True, default=new_token)
    created_at: Mapped[datetime]
    title: Mapped[str | None] = mapped_column(String(MAX_CIRCLE_TEXT_LENGTH))  # what its people call it
    motto: Mapped[str | None] = mapped_column(String(MAX_CIRCLE_TEXT_LENGTH))
    recovery_at: Mapped[datetime | None]  # when a host last saw the recovery sheet or dismissed the reminder
    is_sample: Mapped[bool] = mapped_column(default=False)  # for trying the app; erased after a day
    time_zone: Mapped[str | None] = mapped_column(String(64))  # IANA name; null for the server's
    confirms_payments: Mapped[bool] = mapped_column(default=False)  # further ones count once their receivers confirm
    shows_ratings: Mapped[bool] = mapped_column(default=False)
    # A random token, replaced when what is stored is: by a restore, and when a name is erased.
    epoch: Mapped[str] = mapped_column(String(16), default=new_token)
    entry_key: Mapped[str | None] = mapped_column(Text, unique=True)

    links: Mapped[list[Link]] = relationship(back_populates="circle", order_by="Link.id")
    players: Mapped[list[Player]] = relationship(back_populates="circle", order_by="Player.id")
    memberships: Mapped[list[Membership]] = relationship(back_populates="circle", order_by="Membership.number")


class Player(OfCircle):
    """A name in a circle, with seats and payments. A person is a player who is not merged into another one.

    Seats and payments keep their player and count for the person. There is one banker and one cashier at most.
    """

    __tablename__ = "player"
    __table_args__ = (UniqueConstraint("circle_id", "name"), UniqueConstraint("circle_id", "token"))

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(16), default=new_token)
    name: Mapped[str] = mapped_column(String(MAX_NAME_LENGTH))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))  # whom this one is merged into
    retired_at: Mapped[datetime | None]  # since when the player is left out of the choice for a new table
    erased_at: Mapped[datetime | None]  # when the name was replaced by a placeholder
    is_banker: Mapped[bool] = mapped_column(default=False)  # all payments between people go through this player
    is_cashier: Mapped[bool] = mapped_column(default=False)  # holds the cash box
    iban: Mapped[str | None] = mapped_column(String(34))  # without spaces
    payment_link: Mapped[str | None] = mapped_column(Text)  # with the placeholder {amount} where it takes one

    circle: Mapped[Circle] = relationship(back_populates="players")
    _person: Mapped[Player | None] = relationship(remote_side=id, lazy="joined", join_depth=1)

    @property
    def person(self) -> Player:
        return self._person or self


class Presence(OfCircle):
    """A player who is here on an evening. Rows of earlier ones count for nothing, and go once a new list is begun."""

    __tablename__ = "presence"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    day: Mapped[date]
    arrived_at: Mapped[datetime]  # when somebody said so: nobody owes turns from before it


class Link(OfCircle):
    """A URL by which devices join a circle. Renewing it revokes it: phones that joined by it alone lose access."""

    __tablename__ = "link"
    __table_args__ = (
        Index("ix_link_live", "circle_id", "right", unique=True, sqlite_where=_IS_LIVE, postgresql_where=_IS_LIVE),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"), index=True)
    right: Mapped[str] = mapped_column(String(8))
    secret_hash: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    revoked_by_id: Mapped[int | None] = mapped_column(ForeignKey("membership.id"))  # null: by a command

    circle: Mapped[Circle] = relationship(back_populates="links")
    revoked_by: Mapped[Membership | None] = relationship()


class Device(Base):
    """A web browser on a phone or computer, recognised by the secret in its cookie; a `Membership` gives it rights."""

    __tablename__ = "device"

    id: Mapped[int] = mapped_column(primary_key=True)
    secret_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime]


class MembershipLink(OfCircle):
    """A link that a phone joined by, which gives it the link's right until the link is revoked, or can only show."""

    __tablename__ = "membership_link"

    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"), primary_key=True)
    link_id: Mapped[int] = mapped_column(ForeignKey("link.id"), primary_key=True, index=True)
    joined_at: Mapped[datetime | None]  # null if it can only show the link
    # The link's, encrypted with a key derived from the device's secret; null if the device does not have it.
    sealed_secret: Mapped[str | None] = mapped_column(Text)

    link: Mapped[Link] = relationship()


class Membership(OfCircle):
    """A device's membership of a circle, and the author of what is entered with it."""

    __tablename__ = "membership"
    __table_args__ = (UniqueConstraint("circle_id", "number"), UniqueConstraint("device_id", "circle_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id"))
    number: Mapped[int]  # counts a circle's phones
    name: Mapped[str | None] = mapped_column(String(MAX_PHONE_NAME_LENGTH))
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None] = mapped_column()  # when a host removed it
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))  # whose phone it is, if known
    # The highest right of the live links it joined by, null without access. Queries that check access `undefer` it.
    right: Mapped[str | None] = column_property(
        select(Link.right)
        .join(MembershipLink, MembershipLink.link_id == Link.id)
        .where(
            MembershipLink.membership_id == id,
            MembershipLink.joined_at.is_not(None),
            Link.revoked_at.is_(None),
            revoked_at.is_(None),
        )
        .order_by(case({right: rank for rank, right in enumerate(RIGHTS)}, value=Link.right).desc())
        .limit(1)
        .correlate_except(Link, MembershipLink)
        .scalar_subquery(),
        deferred=True,
    )

    circle: Mapped[Circle] = relationship(back_populates="memberships")
    device: Mapped[Device] = relationship()
    links: Mapped[list[MembershipLink]] = relationship()
    player: Mapped[Player | None] = relationship()

    @property
    def owner(self) -> str | None:
        """The name of the person whose phone it is, if known."""
        return self.player.person.name if self.player is not None else None


class NoticeSubscription(OfCircle):
    """The notices that a phone wants in its circle. It gets them as long as it has access."""

    __tablename__ = "notice_subscription"

    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"), primary_key=True)
    token: Mapped[str] = mapped_column(String(16), default=new_token, unique=True)
    kinds: Mapped[list[str]] = mapped_column(JSON)  # keys of some kinds of site/occasions.py
    endpoint: Mapped[str] = mapped_column(Text)  # the phone's address at its push service
    p256dh: Mapped[str] = mapped_column(Text)  # the phone's keys, with which messages to it are encrypted
    auth: Mapped[str] = mapped_column(Text)
    site: Mapped[str] = mapped_column(Text)  # the address of our site as the phone knows it
    language: Mapped[str] = mapped_column(Text)  # its reader's locale
    changed_at: Mapped[datetime]
