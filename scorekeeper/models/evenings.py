"""Models of evenings to come: when and where people meet, who comes, the phones' calendars; and of seasons.

A season says which evenings belong together, what counts, and the handicaps of people. It has no results.
"""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from .base import OfCircle, new_token


class PlannedEvening(OfCircle):
    """An evening to come, or a row of them.

    `day` is the first, `begins` the time as 19:30, in the circle's time zone. `repeats` is how it repeats
    (`REPEATS` of the service), blank if not; `skipped` are the days, in ISO format, that are cancelled. `changes`
    counts changes of anything but answers, `changed_at` is when the last one was made: calendars want both.
    """

    __tablename__ = "planned_evening"
    __table_args__ = (UniqueConstraint("circle_id", "token"), UniqueConstraint("circle_id", "entry_key"))

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(16), default=new_token)
    day: Mapped[date]
    begins: Mapped[str] = mapped_column(String(5))
    place: Mapped[str] = mapped_column(Text)
    repeats: Mapped[str] = mapped_column(String(12))
    skipped: Mapped[list[str]] = mapped_column(JSON, default=list)
    changes: Mapped[int] = mapped_column(default=0)
    changed_at: Mapped[datetime]
    entry_key: Mapped[str] = mapped_column(Text)


class EveningAnswer(OfCircle):
    """The answer of a player, for the evening on `day`: yes, perhaps or no, and how many guests they bring."""

    __tablename__ = "evening_answer"

    evening_id: Mapped[int] = mapped_column(ForeignKey("planned_evening.id"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    answer: Mapped[str] = mapped_column(String(8))
    guests: Mapped[int] = mapped_column(default=0)
    at: Mapped[datetime]


class CalendarFeed(OfCircle):
    """The secret address of a calendar that a phone has made: of its circle, or of the person whose phone it is.

    Only the hash of the secret is stored, and the secret itself encrypted with a key derived from the device's.
    It opens as long as the phone has access to the circle.
    """

    __tablename__ = "calendar_feed"

    membership_id: Mapped[int] = mapped_column(ForeignKey("membership.id"), primary_key=True)
    is_personal: Mapped[bool] = mapped_column(primary_key=True)
    secret_hash: Mapped[str] = mapped_column(String(64), unique=True)
    sealed_secret: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]


class Season(OfCircle):
    """The evenings from `first` to `last`, and how they count. Its table is computed whenever it is shown.

    `counts` and `ties` are among COUNTS and TIES of standings/season_ranking.py. `games` are keys of `make_game_key`,
    empty for all games; `currency` is set if money counts. `best`: how many of a person's evenings count, None for all.
    `least`: with fewer evenings nobody is ranked. `bonus` is for each evening. `places` are the points for the first
    and further places of events, empty if events do not count.
    """

    __tablename__ = "season"
    __table_args__ = (UniqueConstraint("circle_id", "token"), UniqueConstraint("circle_id", "entry_key"))

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(16), default=new_token)
    name: Mapped[str] = mapped_column(Text)
    first: Mapped[date]
    last: Mapped[date]
    counts: Mapped[str] = mapped_column(String(8))
    games: Mapped[list[str]] = mapped_column(JSON, default=list)
    currency: Mapped[str | None] = mapped_column(String(3))
    lowest_wins: Mapped[bool] = mapped_column(default=False)
    best: Mapped[int | None]
    least: Mapped[int] = mapped_column(default=0)
    bonus: Mapped[int] = mapped_column(default=0)
    ties: Mapped[str] = mapped_column(String(8))
    places: Mapped[list[int]] = mapped_column(JSON, default=list)
    entry_key: Mapped[str | None] = mapped_column(Text)


class Handicap(OfCircle):
    """The handicap of a player in a season: `kind` is one of `HANDICAPS`, `size` a decimal as text."""

    __tablename__ = "handicap"

    season_id: Mapped[int] = mapped_column(ForeignKey("season.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(8))
    size: Mapped[str] = mapped_column(String(12))
