"""The model of a browser's subscription: the notices that it has chosen, and its address at its push service."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Text
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, identified_by, reference


class NoticeSubscription(Base):
    """The notices that a browser wants in its circle. It gets them as long as it has access.

    `kinds` are some of those in services/notices/kinds.py. `endpoint` is the browser's address at its push service,
    `p256dh` and `auth` are its keys, with which messages to it are encrypted. `site` is the address of our site as the
    browser knows it, `language` the tag of its reader's locale.
    """

    __tablename__ = "notice_subscription"
    __table_args__ = (reference("notice_subscription", "browser_id", "browser"),)

    circle_id: Mapped[int] = mapped_column(primary_key=True)
    browser_id: Mapped[int] = mapped_column(primary_key=True)
    kinds: Mapped[list[str]] = mapped_column(JSON)
    endpoint: Mapped[str] = mapped_column(Text)
    p256dh: Mapped[str] = mapped_column(Text)
    auth: Mapped[str] = mapped_column(Text)
    site: Mapped[str] = mapped_column(Text)
    language: Mapped[str] = mapped_column(Text)
    changed_at: Mapped[datetime]

    __mapper_args__ = identified_by(browser_id, circle_id)
