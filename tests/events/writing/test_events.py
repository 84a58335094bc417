"""Events: setting up, who takes part, rounds, results, and who may do what, also at the same time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Barrier, Thread

import pytest
from flask import Flask, g

from scorekeeper.db.outcome import Done, Stale
from scorekeeper.db.transactions import AccessRevokedError, RightRevokedError
from scorekeeper.events import entrants, results, rounds, setup
from scorekeeper.events.drawing import Result
from scorekeeper.events.hooks import NEW_SEATS
from scorekeeper.events.reading import Place, find_row
from scorekeeper.events.results import ResultRequest
from scorekeeper.events.setup import read_details
from scorekeeper.models import Membership, db
from scorekeeper.scoring.problems import Problem, Refusal, refuse

from ...support.club import Club
from ..hall import EIGHT, Drive

# --- who takes part ----------------------------------------------------------------------------------------


def test_an_entrant_who_has_left_is_not_seated_and_may_come_back(drive: Drive) -> None:
    drive.draw(1)
    assert entrants.change(drive.event, 3, drive.by, last_round=1) == Done(None)
    drive.draw(2)
    assert 3 not in {*drive.state.sits_out, *drive.state.seats}
    assert entrants.change(drive.event, 3, drive.by, last_round=None) == Done(None)
    drive.draw(3)
    assert 3 in {*drive.state.sits_out, *drive.state.seats}


def test_nobody_plays_under_two_numbers(drive: Drive) -> None:
    outcome = entrants.substitute(drive.event, 2, "Anne", 1, drive.by)
    assert isinstance(outcome, Refusal)
    assert outcome.first.key == "plays-already"
    assert entrants.substitute(drive.event, 2, "Zoé", 3, drive.by) == Done(None)
    outcome = entrants.substitute(drive.event, 5, "Zoé", 1, drive.by)
    assert isinstance(outcome, Refusal)
    assert outcome.first.params["number"] == 2


# --- rounds ------------------------------------------------------------------------------------------------


def test_rounds_that_depend_on_results_wait_for_them(club: Club) -> None:
    drive = Drive(club.membership, format="swiss", scoring="difference", rounds=2)
    drive.draw(1)
    outcome = drive.draw(2)
    assert isinstance(outcome, Refusal)
    assert (outcome.first.key, outcome.first.params["count"]) == ("results-missing", 2)
    drive.record_all()
    assert drive.draw(2) == Done(None)


def test_an_event_is_not_finished_while_results_are_missing(drive: Drive) -> None:
    assert rounds.finish(drive.event, drive.by) == refuse([Problem("event", "no-round-drawn")])
    drive.draw(1)
    outcome = rounds.finish(drive.event, drive.by)
    assert isinstance(outcome, Refusal)
    assert outcome.first.params["count"] == 2


# --- results -----------------------------------------------------------------------------------------------


def test_a_result_sent_twice_is_recorded_once(drive: Drive) -> None:
    drive.draw(1)
    assert [drive.record((1, 1), (8, 5)) for _ in range(2)] == [Done(None), Done(None)]
    assert len(results.list_versions(drive.event, 1, 1)) == 1


def test_standings_follow_a_correction_of_an_earlier_round_and_rounds_stay(drive: Drive) -> None:
    drive.draw(1)
    drive.record_all()
    drive.draw(2)
    before = drive.state
    drive.record((1, 1), (0, 13), key="correction")
    after = drive.state
    north = after.tables[1, 1].pairs[0][0]
    score = {number: row.score for row in after.standings for number in row.numbers}
    assert score[north] == 0
    assert sum(score.values()) == 2 * 26
    assert [played.tables for played in after.rounds][1] == before.rounds[1].tables


def test_what_a_page_has_shown_before_a_restore_confirms_and_replaces_no_other_result(drive: Drive) -> None:
    drive.draw(1)
    drive.record((1, 1), (8, 5))
    seen = drive.state.tables[1, 1].seen
    row = find_row(drive.event, Place(1, 1))
    assert row is not None
    row.scores = {"scores": [5, 8]}  # also the first result of this table
    db.session.commit()
    assert isinstance(results.confirm(drive.event, Place(1, 1), seen, 0, drive.by), Stale)
    assert isinstance(drive.record((1, 1), (9, 4), key="correction", seen=seen), Stale)


# --- who may do what ---------------------------------------------------------------------------------------


def test_a_tables_phone_sends_only_the_results_of_its_table_in_the_current_round(drive: Drive) -> None:
    drive.draw(1)
    phone = drive.guest(table=1)
    request = ResultRequest(1, 1, drive.state.tables[1, 1].seen, "sent", Result((8, 5)))
    assert results.record(drive.event, request, phone) == Done(None)
    with pytest.raises(RightRevokedError):
        results.record(drive.event, replace(request, table=2, key="other"), phone)
    drive.draw(2)
    assert results.record(drive.event, request, phone) == Done(None)  # sent again
    late = results.record(drive.event, replace(request, seen=drive.state.tables[1, 1].seen, key="late"), phone)
    assert isinstance(late, Refusal)
    assert late.first.key == "round-is-over"
    too_late = results.confirm(drive.event, Place(1, 1), drive.state.tables[1, 1].seen, 0, phone)
    assert isinstance(too_late, Refusal)


@pytest.mark.parametrize(
    "write",
    [
        lambda drive, by: rounds.draw(drive.event, 2, "key", by),
        lambda drive, by: rounds.set_clock(drive.event, 1, "pause", by),
        lambda drive, by: rounds.undo(drive.event, 1, by),
        lambda drive, by: entrants.add_names(drive.event, ["Zoé"], by),
        lambda drive, by: entrants.substitute(drive.event, 1, "Zoé", 1, by),
        lambda drive, by: setup.change(drive.event, read_details(drive.event), "", by),
        lambda drive, by: results.record(drive.event, ResultRequest(1, 1, "", "key", Result((8, 5)), True), by),
    ],
)
def test_guests_direct_nothing(drive: Drive, write: Callable[[Drive, Membership], object]) -> None:
    drive.draw(1)
    with pytest.raises((AccessRevokedError, RightRevokedError)):
        write(drive, drive.guest(table=1))


# --- notices ----------------------------------------------------------------------------------------------


def test_everybody_is_told_their_seat_in_the_current_round_and_in_no_earlier_one(drive: Drive) -> None:
    drive.play(2)
    g.locale = "en_GB"
    assert [*NEW_SEATS.find(drive.event.circle, drive.token, 1)] == []
    found = {notice.person_id: notice for notice in NEW_SEATS.find(drive.event.circle, drive.token, 2)}
    assert len(found) == len(EIGHT)
    state = drive.state
    for number in state.entrants:
        seat, notice = state.seats[number], found[state.player_of(number)]
        assert notice.words() == {"table": seat.table, "seat": seat.direction.title()}
        assert notice.page == {"token": drive.token}


# --- at the same time --------------------------------------------------------------------------------------


def at_once(app: Flask, *works: Callable[[], object]) -> list[object]:
    """Run these in threads of their own, at the same time; return what they returned."""
    outcomes: list[object] = [None] * len(works)
    barrier = Barrier(len(works))

    def run(place: int) -> None:
        with app.app_context():
            barrier.wait()
            outcomes[place] = works[place]()

    threads = [Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_two_directors_who_draw_at_once_draw_one_round(app: Flask, drive: Drive) -> None:
    outcomes = at_once(app, *(lambda key=key: drive.draw(1, key) for key in ("one", "other")))
    assert sorted(map(str, outcomes)) == sorted(map(str, (Done(None), Stale(None))))
    assert len(drive.state.current_tables) == 2


def test_of_two_results_at_once_one_is_recorded(app: Flask, drive: Drive) -> None:
    drive.draw(1)
    seen = drive.state.tables[1, 1].seen  # read before: what comes after the other result would correct it
    db.session.rollback()  # the end of what was read before
    outcomes = at_once(
        app,
        lambda: drive.record((1, 1), (8, 5), key="one", seen=seen),
        lambda: drive.record((1, 1), (5, 8), key="other", seen=seen),
    )
    assert sorted(map(str, outcomes)) == sorted(map(str, (Done(None), Stale(None))))
    assert len(results.list_versions(drive.event, 1, 1)) == 1
