"""Ratings and players' pages include finished events, and follow every change of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import update

from scorekeeper.db.transactions import save_pending_caches
from scorekeeper.events.drawing import Result
from scorekeeper.models import PeriodTotals, RoundTable, db
from scorekeeper.services.events import entrants, results, rounds, setup
from scorekeeper.services.events.results import ResultRequest
from scorekeeper.services.events.setup import read_details
from scorekeeper.services.outcome import Done
from scorekeeper.services.totals import contests as event_contests
from scorekeeper.services.totals import ratings
from scorekeeper.services.totals.months import read_person_ids
from scorekeeper.stats.ratings import Contest, Rating

from ..club import GAME, Club
from ..events.test_events import Drive


@pytest.fixture
def drive(club: Club) -> Drive:
    """An event of which two rounds were played, and which is not finished."""
    drive = Drive(club)
    for number in (1, 2):
        drive.draw(number)
        drive.record_all((9, 4))
    return drive


def read_ratings(drive: Drive) -> dict[str, Rating]:
    """Read the ratings, and store what a page would store after it."""
    db.session.rollback()
    found = ratings.read(drive.club.circle).get(GAME, {})
    save_pending_caches()
    return found


def finish(drive: Drive) -> None:
    assert rounds.finish(drive.event, drive.by) is None


def correct(drive: Drive, place: tuple[int, int], scores: tuple[int, int]) -> None:
    request = ResultRequest(*place, 1, f"corrected-{place}", Result(scores), is_slip=True)
    assert isinstance(results.record(drive.event, request, drive.by), Done)


def contests(drive: Drive) -> list[Contest]:
    db.session.rollback()
    players = read_person_ids(drive.club.id)
    found = event_contests.read(drive.club.id, [GAME], date.min, date.max, players)
    return [contest for _, _, of_event in found for contest in of_event]


# --- what counts -------------------------------------------------------------------------------------------


def test_every_table_of_a_finished_event_is_a_contest_of_two_pairs(drive: Drive) -> None:
    finish(drive)
    state = drive.state
    people = {number: str(row.player_id) for number, row in state.entrants.items()}
    assert contests(drive) == [
        [[people[number] for number in pair] for pair in row.pairs] for row in state.tables.values()
    ]
    assert {rating.contests for rating in read_ratings(drive).values()} == {2}


def test_who_played_for_somebody_is_rated_and_not_the_entrant(drive: Drive) -> None:
    assert entrants.substitute(drive.event, 1, "Zoé", 2, drive.by) is None
    finish(drive)
    rated, state = read_ratings(drive), drive.state
    absent, substitute = str(state.entrants[1].player_id), str(drive.club.player("Zoé").id)
    assert (rated[absent].contests, rated[substitute].contests) == (1, 1)


def test_a_table_kept_with_the_pad_counts_as_a_table_only(club: Club, drive: Drive) -> None:
    finish(drive)
    table = club.table()
    of_table = (RoundTable.event_id == drive.event.id, RoundTable.round == 1, RoundTable.number == 1)
    db.session.execute(update(RoundTable).where(*of_table).values(table_id=table.id))
    db.session.commit()
    assert len(contests(drive)) == 3


# --- caches ------------------------------------------------------------------------------------------------


def _correct(drive: Drive) -> None:
    correct(drive, (1, 1), (4, 9))


def _substitute(drive: Drive) -> None:
    _reopen(drive)
    assert entrants.substitute(drive.event, 1, "Zoé", 2, drive.by) is None
    finish(drive)


def _reopen(drive: Drive) -> None:
    rounds.reopen(drive.event, drive.by)


def _redate(drive: Drive) -> None:
    details = read_details(drive.event)
    assert setup.change(drive.event, replace(details, day="2025-03-05"), details.mark, drive.by) == Done(None)


def _merge(drive: Drive) -> None:
    drive.club.table(names=("Zoé", "Yann", "Xavier", "Wanda"))
    drive.club.merge("Zoé", "Anne")


@pytest.mark.parametrize("change", [_correct, _substitute, _reopen, _redate, _merge])
def test_ratings_that_are_stored_follow_every_change(drive: Drive, change: Callable[[Drive], None]) -> None:
    finish(drive)
    drive.club.table(day=date(2027, 1, 8))  # so that those of 2026 are stored
    read_ratings(drive)
    stored = db.session.scalars(db.select(PeriodTotals.period).where(PeriodTotals.period.startswith("~"))).all()
    assert stored == ["~2026"]
    change(drive)
    cached = read_ratings(drive)
    db.session.execute(update(PeriodTotals).values(as_of=None, data=None))
    db.session.commit()
    assert cached == read_ratings(drive)
