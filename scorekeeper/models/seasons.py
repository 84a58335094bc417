"""Models of seasons: which evenings belong together, what counts, and the handicaps of people. They have no results."""

from __future__ import annotations

from datetime import date

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from .base import OfCircle, new_token


class Season(OfCircle):
    """The evenings from `first` to `last`, and how they count. Its table is computed whenever it is shown."""

    __tablename__ = "season"
    __table_args__ = (UniqueConstraint("circle_id", "token"), UniqueConstraint("circle_id", "entry_key"))

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(16), default=new_token)
    name: Mapped[str] = mapped_column(Text)
    first: Mapped[date]
    last: Mapped[date]
    counts: Mapped[str] = mapped_column(String(8))  # one of COUNTS of standings/season_ranking.py
    games: Mapped[list[str]] = mapped_column(JSON, default=list)  # keys of `make_game_key`, empty for all games
    currency: Mapped[str | None] = mapped_column(String(3))  # if money counts
    lowest_wins: Mapped[bool] = mapped_column(default=False)
    best: Mapped[int | None]  # how many of a person's evenings count, null for all
    least: Mapped[int] = mapped_column(default=0)  # with fewer evenings nobody is ranked
    bonus: Mapped[int] = mapped_column(default=0)  # for each evening
    ties: Mapped[str] = mapped_column(String(8))  # one of TIES of standings/season_ranking.py
    places: Mapped[list[int]] = mapped_column(JSON, default=list)  # points for places of events, empty if none count
    entry_key: Mapped[str | None] = mapped_column(Text)


class Handicap(OfCircle):
    __tablename__ = "handicap"

    season_id: Mapped[int] = mapped_column(ForeignKey("season.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(8))  # one of HANDICAPS of standings/season_ranking.py
    size: Mapped[str] = mapped_column(String(12))  # a decimal
