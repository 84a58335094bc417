"""Ratings and players' pages include finished events."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import update

from scorekeeper.db.outcome import Done
from scorekeeper.events import entrants
from scorekeeper.events.hooks import read_contests
from scorekeeper.models import RoundTable, db
from scorekeeper.standings.ratings import Contest, Rating
from scorekeeper.standings.reading import read_ratings

from ...support.club import GAME, Club
from ..hall import Drive


@pytest.fixture
def drive(club: Club) -> Drive:
    """An event of which two rounds were played, and which is not finished."""
    drive = Drive(club.membership)
    drive.play(2)
    return drive


def ratings_of(drive: Drive) -> dict[int, Rating]:
    db.session.rollback()
    return read_ratings(drive.event.circle).get(GAME, {})


def contests(drive: Drive) -> list[Contest]:
    db.session.rollback()
    found = read_contests(drive.event.circle_id, [GAME], date.max)
    return [contest for _, _, of_event in found for contest in of_event]


# --- what counts -------------------------------------------------------------------------------------------


def test_every_table_of_a_finished_event_is_a_contest_of_two_pairs(drive: Drive) -> None:
    drive.finish()
    state = drive.state
    people = {number: row.player_id for number, row in state.entrants.items()}
    assert contests(drive) == [
        [[people[number] for number in pair] for pair in row.pairs] for row in state.tables.values()
    ]
    assert {rating.contests for rating in ratings_of(drive).values()} == {2}


def test_a_substitute_is_rated_and_not_the_entrant(club: Club, drive: Drive) -> None:
    assert entrants.substitute(drive.event, 1, "Zoé", 2, drive.by) == Done(None)
    drive.finish()
    rated, state = ratings_of(drive), drive.state
    absent, substitute = state.entrants[1].player_id, club.player("Zoé").id
    assert (rated[absent].contests, rated[substitute].contests) == (1, 1)


def test_a_table_kept_with_the_pad_counts_as_a_table_only(club: Club, drive: Drive) -> None:
    drive.finish()
    table = club.table()
    of_table = (RoundTable.event_id == drive.event.id, RoundTable.round == 1, RoundTable.number == 1)
    db.session.execute(update(RoundTable).where(*of_table).values(table_id=table.id))
    db.session.commit()
    assert len(contests(drive)) == 3
