"""Events in seasons."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scorekeeper.models import db
from scorekeeper.standings import seasons
from scorekeeper.standings.season_ranking import WON

from ...club import Club
from ...standings.writing.test_seasons import Seasons
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


def test_places_at_events_count_and_coming_to_one_is_an_evening(club: Club, drive: Drive) -> None:
    played = Seasons(club)
    day, placed = drive.event.day, {row.numbers[0]: row.rank for row in drive.state.standings}
    names = {entrant.number: entrant.name for entrant in drive.state.entrants.values()}
    days = {"first": str(day - timedelta(days=9)), "last": str(day + timedelta(days=9))}
    rows = played.rows(counts=WON, games=(), places=(10, 8, 6), **days)
    expected = {names[number]: {1: 10, 2: 8, 3: 6}.get(rank, 0) for number, rank in placed.items()}
    assert {name: rows[name].total for name in expected} == expected
    places = seasons.read_table(club.circle, played.season).places
    assert {name: places[rows[name].player, day] for name in expected} == {
        names[number]: [(drive.event, rank, expected[names[number]])] for number, rank in placed.items()
    }
    assert played.rows(counts=WON, games=(), **days).keys() & expected.keys() <= {"Anne", "Bruno", "Chloé", "David"}
