"""Models of evenings to come: when and where people meet, who comes, and the phones' calendars."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from .base import OfCircle, new_token


class PlannedEvening(OfCircle):
    """An evening to come, or a row of them."""

    __tablename__ = "planned_evening"
    __table_args__ = (UniqueConstraint("circle_id", "token"), UniqueConstraint("circle_id", "entry_key"))

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(16), default=new_token)
    day: Mapped[date]  # the first
    begins: Mapped[str] = mapped_column(String(5))  # the time as 19:30, in the circle's time zone
    place: Mapped[str] = mapped_column(Text)
    repeats: Mapped[str] = mapped_column(String(12))  # one of REPEATS of evenings/planned.py, blank if it does not
    skipped: Mapped[list[str]] = mapped_column(JSON, default=list)  # cancelled days, in ISO format
    changes: Mapped[int] = mapped_column(default=0)  # how many, of anything but answers: calendars want to know
    changed_at: Mapped[datetime]
    entry_key: Mapped[str] = mapped_column(Text)


class EveningAnswer(OfCircle):
    __tablename__ = "evening_answer"

    evening_id: Mapped[int] = mapped_column(ForeignKey("planned_evening.id"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    answer: Mapped[str] = mapped_column(String(8))  # yes, perhaps or no
    guests: Mapped[int] = mapped_column(default=0)  # that they bring
    at: Mapped[datetime]


class CalendarFeed(OfCircle):
    """The secret address of a phone's calendar; it opens as long as the phone has access to the circle."""

    __tablename__ = "calendar_feed"

    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"), primary_key=True)
    secret_hash: Mapped[str] = mapped_column(String(64), unique=True)
    sealed_secret: Mapped[str] = mapped_column(Text)  # encrypted with a key derived from the device's secret
    created_at: Mapped[datetime]
