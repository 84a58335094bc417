"""Events in seasons."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from scorekeeper.db.outcome import Done
from scorekeeper.models import Player, Season, db
from scorekeeper.standings import season_table, seasons
from scorekeeper.standings.season_ranking import WON, SeasonRow
from scorekeeper.standings.seasons import SeasonSettings

from ...support.club import Club
from ..hall import Drive


@pytest.fixture
def drive(club: Club) -> Drive:
    """A finished event of two rounds."""
    club.circle.shows_ratings = True
    db.session.commit()
    drive = Drive(club.membership)
    drive.play(2)
    drive.finish()
    return drive


def make_season(club: Club, **changed: Any) -> tuple[Season, dict[str, SeasonRow]]:
    """Make a season; return it with its rows by name."""
    settings = SeasonSettings(name="Winter", counts=WON, games=(), **changed)
    assert isinstance(seasons.create(club.circle, settings, str(changed), club.membership), Done)
    season = db.session.scalars(db.select(Season).order_by(Season.id.desc())).first()
    assert season is not None
    rows = {row.player: row for row in season_table.read_table(club.circle, season).rows}
    return season, {name: rows[id_] for id_, name in db.session.query(Player.id, Player.name) if id_ in rows}


def test_places_at_events_count_and_coming_to_one_is_an_evening(club: Club, drive: Drive) -> None:
    club.table(("David", "Anne", 6), day=drive.event.day)
    day, placed = drive.event.day, {row.numbers[0]: row.rank for row in drive.state.standings}
    names = {entrant.number: entrant.name for entrant in drive.state.entrants.values()}
    days = {"first": day - timedelta(days=9), "last": day + timedelta(days=9)}
    season, rows = make_season(club, places=(10, 8, 6), **days)
    expected = {names[number]: {1: 10, 2: 8, 3: 6}.get(rank, 0) for number, rank in placed.items()}
    assert {name: rows[name].total for name in expected} == expected
    places = season_table.read_table(club.circle, season).places
    for number, rank in placed.items():
        (at,) = places[rows[names[number]].player, day]
        assert (at.event.token, at.place, at.points) == (drive.event.token, rank, expected[names[number]])
    assert make_season(club, **days)[1].keys() & expected.keys() <= {"Anne", "Bruno", "Chloé", "David"}
