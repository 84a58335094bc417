"""The records of a circle's seasons in the format `scorekeeper-circle/1`: what counts, no results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ..limits import (
    GROWTH,
    MAX_BONUS,
    MAX_CIRCLE_TEXT,
    MAX_EVENINGS,
    MAX_PLACE_POINTS,
    MAX_PLACES_COUNTED,
    MAX_SEASON_GAMES,
)
from ..scoring.values import Items, Range, Text, clean_name
from .circle_values import Currency, Day, PlayerNumber

GameKey = Annotated[str, Text(64, r"[a-z0-9-]{1,32}(\.[0-9a-f]{12})?", "slug")]  # see `stats.game_keys`
PlacePoints = Annotated[int, Range(0, MAX_PLACE_POINTS)]


@dataclass(frozen=True, kw_only=True)
class HandicapRecord:
    """The handicap of a player: points for each evening, or a factor."""

    player: PlayerNumber
    kind: Literal["points", "factor"]
    size: Annotated[str, Text(12, r"-?[0-9]{1,5}(\.[0-9]{1,2})?", "handicap-between")]


@dataclass(frozen=True, kw_only=True)
class SeasonRecord:
    """A season: the evenings from `first` to `last`, and how they count."""

    name: Annotated[str, Text(GROWTH * MAX_CIRCLE_TEXT, clean=clean_name)]
    first: Day
    last: Day
    counts: Literal["won", "points", "net", "money", "rating"]
    ties: Literal["best", "evenings", "shared"]
    games: Annotated[tuple[GameKey, ...], Items(MAX_SEASON_GAMES)] = ()
    currency: Currency | None = None
    lowest_wins: bool = False
    best: Annotated[int, Range(1, MAX_EVENINGS)] | None = None
    least: Annotated[int, Range(0, MAX_EVENINGS)] = 0
    bonus: Annotated[int, Range(0, MAX_BONUS)] = 0
    places: Annotated[tuple[PlacePoints, ...], Items(MAX_PLACES_COUNTED)] = ()
    handicaps: tuple[HandicapRecord, ...] = ()
