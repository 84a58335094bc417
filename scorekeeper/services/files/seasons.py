"""The seasons in a circle's file: written, checked and stored."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from sqlalchemy import select

from ...exchange.circle_records import HandicapRecord, SeasonRecord
from ...limits import MAX_CIRCLE_TEXT, MAX_SEASONS
from ...models import Circle, Handicap, Season, db
from ...scoring.values import JsonObject
from ..seasons.results import WantedHandicap
from ..seasons.seasons import SeasonPlan
from .records import Problems, join
from .rows import Numbers, dump_row, make_row


def dump_seasons(circle: Circle, numbers: Numbers) -> list[JsonObject]:
    """Return the circle's seasons as they stand in its file, in the order in which they were made."""
    query = select(Handicap).where(Handicap.circle_id == circle.id)
    given: dict[int, list[Handicap]] = {}
    for row in sorted(db.session.scalars(query), key=lambda row: numbers["players"][row.player_id]):
        given.setdefault(row.season_id, []).append(row)
    of_circle = select(Season).where(Season.circle_id == circle.id).order_by(Season.id)
    return [
        dump_row(
            SeasonRecord,
            season,
            numbers,
            handicaps=[dump_row(HandicapRecord, row, numbers) for row in given.get(season.id, ())],
        )
        for season in db.session.scalars(of_circle)
    ]


def check_season(season: SeasonRecord, path: str, problems: Problems, players: Iterable[int]) -> None:
    """Check a season as its form does, and that each of its handicaps is of another player."""
    problems.add_all(path, [*_make_plan(season).problems(None, season.games)])
    known = {*players}
    for place, handicap in enumerate(season.handicaps, start=1):
        of_handicap = join(path, f"handicaps.{place}")
        problems.expect_known(handicap.player, known, join(of_handicap, "player"), "players")
        problems.expect_once(path, handicap.player, join(of_handicap, "player"), "person-twice")
        problems.add_all(of_handicap, [*WantedHandicap(handicap.kind, Decimal(handicap.size)).problems("size")])


def check_count(seasons: list[SeasonRecord], problems: Problems) -> None:
    """Check that there are not too many seasons."""
    if len(seasons) > MAX_SEASONS:
        problems.add("seasons", "too-many-seasons", most=MAX_SEASONS)


def _make_plan(season: SeasonRecord) -> SeasonPlan:
    """Return a season as it would be typed. Its name may be longer: placeholders replace names that are erased."""
    return SeasonPlan(
        season.name[:MAX_CIRCLE_TEXT],
        season.first,
        season.last,
        season.counts,
        season.games,
        season.currency or "",
        season.lowest_wins,
        season.best or "",
        season.least,
        season.bonus,
        season.ties,
        season.places,
    )


def add_seasons(circle: Circle, records: Iterable[SeasonRecord], ids: Numbers) -> None:
    """Store the seasons of a file, in the caller's transaction."""
    for record in records:
        season = make_row(Season, record, ids, circle_id=circle.id)
        db.session.add(season)
        db.session.flush()
        of_season = {"circle_id": circle.id, "season_id": season.id}
        db.session.add_all([make_row(Handicap, each, ids, **of_season) for each in record.handicaps])
