"""Models of access: a circle's links, the devices that joined by them, and each device's browser in each circle."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint, case, select, text
from sqlalchemy.orm import Mapped, column_property, mapped_column, relationship

from .base import Base, identified_by, joined_by, reference, referred_to

if TYPE_CHECKING:
    from . import Circle

RIGHTS = ("watch", "score", "host")  # what a link allows; each includes those before it


class Link(Base):
    """A URL by which devices join a circle; `right` is watch, score or host. Only the hash of its secret is stored.

    Renewing a link revokes it: `revoked_at` is when, `revoked_by_id` the browser that did it (null: a command did, or
    somebody before migration 0005). Browsers that joined by this link alone lose access. A circle has one live link for
    each right.
    """

    __tablename__ = "link"
    __table_args__ = (
        Index(
            "ix_link_live",
            "circle_id",
            "right",
            unique=True,
            sqlite_where=text("revoked_at IS NULL"),
            postgresql_where=text("revoked_at IS NULL"),
        ),
        referred_to("link"),
        reference("link", "revoked_by_id", "browser"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    right: Mapped[str] = mapped_column(String(8))
    secret_hash: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    revoked_by_id: Mapped[int | None]

    circle: Mapped[Circle] = relationship(back_populates="links")
    revoked_by: Mapped[Browser | None] = relationship(primaryjoin=joined_by("Link.revoked_by_id", "Browser"))

    __mapper_args__ = identified_by(id, circle_id)


class Device(Base):
    """A web browser on a phone or computer, recognised by the secret in its cookie.

    Only the hash of the secret is stored. The device's rights in a circle are those of its `Browser` there.
    """

    __tablename__ = "device"

    id: Mapped[int] = mapped_column(primary_key=True)
    secret_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime]


class BrowserLink(Base):
    """A link that a browser joined by or can show to others.

    `joined_at` is when it joined by the link, which gives it the link's right until the link is revoked; null if it
    can only show it. `sealed_secret` is the link's secret, encrypted with a key derived from the device's secret; null
    if the device does not have it.
    """

    __tablename__ = "browser_link"
    __table_args__ = (
        reference("browser_link", "browser_id", "browser"),
        reference("browser_link", "link_id", "link"),
    )

    circle_id: Mapped[int] = mapped_column()
    browser_id: Mapped[int] = mapped_column(primary_key=True)
    link_id: Mapped[int] = mapped_column(primary_key=True, index=True)
    joined_at: Mapped[datetime | None]
    sealed_secret: Mapped[str | None] = mapped_column(Text)

    browser: Mapped[Browser] = relationship(back_populates="links")
    link: Mapped[Link] = relationship(primaryjoin=joined_by("BrowserLink.link_id", "Link"))

    __mapper_args__ = identified_by(browser_id, link_id, circle_id)


class Browser(Base):
    """A device's membership of one circle, and the author of what is entered with it; one per device and circle.

    `number` counts a circle's browsers, `name` is what its people call it. `revoked_at` is when a host removed it.
    `player_id` is the player whose phone it is, if known. `right` is the highest right of the live links it joined by,
    null if it has no access. The column is deferred: queries that check access have to load it (`undefer`).
    """

    __tablename__ = "browser"
    __table_args__ = (
        UniqueConstraint("circle_id", "number"),
        UniqueConstraint("device_id", "circle_id", name="uq_browser_device_circle"),
        referred_to("browser"),
        reference("browser", "player_id", "player"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    circle_id: Mapped[int] = mapped_column(ForeignKey("circle.id"))
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", name="fk_browser_device"))
    number: Mapped[int]
    name: Mapped[str | None] = mapped_column(String(40))
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None] = mapped_column()
    player_id: Mapped[int | None]
    right: Mapped[str | None] = column_property(
        select(Link.right)
        .join(BrowserLink, (BrowserLink.link_id == Link.id) & (BrowserLink.circle_id == Link.circle_id))
        .where(
            BrowserLink.browser_id == id,
            BrowserLink.circle_id == circle_id,
            BrowserLink.joined_at.is_not(None),
            Link.revoked_at.is_(None),
            revoked_at.is_(None),
        )
        .order_by(case({right: rank for rank, right in enumerate(RIGHTS)}, value=Link.right).desc())
        .limit(1)
        .correlate_except(Link, BrowserLink)
        .scalar_subquery(),
        deferred=True,
    )

    circle: Mapped[Circle] = relationship(back_populates="browsers")
    device: Mapped[Device] = relationship()
    links: Mapped[list[BrowserLink]] = relationship(back_populates="browser")

    __mapper_args__ = identified_by(id, circle_id)
