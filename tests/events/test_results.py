"""The pages of an event's results."""

from __future__ import annotations

import csv
import io

import pytest
from flask import Flask

from scorekeeper.events import entrants
from scorekeeper.models import Player, db

from ..support.visitor import Visitor
from .hall import Hall, rows_of


@pytest.fixture
def hall(hall: Hall) -> Hall:
    return play(hall)


def play(hall: Hall, *, is_finished: bool = False) -> Hall:
    with hall.drive() as drive:
        drive.play(2)
        if is_finished:
            drive.finish()
    return hall


def sheet(visitor: Visitor, path: str) -> list[list[str]]:
    response = visitor.client.get(path, headers={"Accept-Language": "en"})
    assert response.status_code == 200
    text = response.get_data().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


# --- standings ---------------------------------------------------------------------------------------------


def test_standings_list_everybody_with_what_they_have_scored(hall: Hall) -> None:
    page = hall.visit("results")
    state = hall.state()
    assert [(row[0], row[1], row[2]) for row in rows_of(page)] == [
        (str(row.rank), state.entrants[row.numbers[0]].name, str(row.score)) for row in state.standings
    ]
    assert "Standings so far: round 2 of 7" in page.text


def test_groups_have_standings_of_their_own(hall: Hall) -> None:
    with hall.drive() as drive:
        for number in range(1, 9):
            entrants.change(drive.event, number, drive.by, group="ab"[number % 2])
    page = hall.visit("results")
    assert "Group A" in page.text
    rows = rows_of(hall.director.visit(f"{hall.path}/results?of=a"))
    assert len(rows) == 4
    assert rows[0][0] == "1"
    assert len(rows_of(hall.director.visit(f"{hall.path}/results?of=nobody"))) == 8


# --- rounds and cards --------------------------------------------------------------------------------------


def test_a_card_adds_up_to_the_score(hall: Hall) -> None:
    state = hall.state()
    row = state.standings[0]
    page = hall.director.visit(f"{hall.path}/results/numbers/{row.numbers[0]}")
    assert sum(int(cells[-1]) for cells in rows_of(page)) == row.score
    assert f"Place {row.rank} of 8" in page.text


# --- prizes ------------------------------------------------------------------------------------------------


def test_prizes_are_listed_and_awarded_when_the_event_is_finished(app: Flask) -> None:
    prizes = [{"rule": "highest", "amount": "20.00"}, {"rule": "lowest", "text": "A wooden spoon"}]
    hall = play(Hall(app, prizes=prizes, currency="GBP"))
    page = hall.visit("results")
    assert "£20.00" in page.text
    assert not page.page.select(".prizes a")
    with hall.drive() as drive:
        drive.finish()
    page.visit(f"{hall.path}/results")
    assert "Final standings" in page.text
    state = hall.state()
    best = [state.entrants[row.numbers[0]].name for row in state.standings if row.rank == 1]
    worst = [state.entrants[row.numbers[0]].name for row in state.standings if row.rank == state.standings[-1].rank]
    first, last = (item.get_text(" ", strip=True) for item in page.page.select(".prizes li"))
    assert all(name in first for name in best)
    assert all(name in last for name in worst)
    assert "A wooden spoon" in last
    page.visit(hall.path)
    assert all(name in page.find("main h2").get_text() for name in best)
    assert page.find("a.main").get_text() == "Results"


# --- downloads ---------------------------------------------------------------------------------------------


def test_the_results_as_csv_have_every_table_of_every_round(hall: Hall) -> None:
    rows = sheet(hall.director, f"{hall.path}/results/tables.csv")
    assert [row[:2] for row in rows[1:]] == [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"]]
    assert rows[1][6:10] == ["7", "6", "7", "6"]
    assert rows[1][-1] == "yes"


# --- who may read them -------------------------------------------------------------------------------------


def test_the_shared_link_shows_everything_to_anybody_without_joining(app: Flask, hall: Hall) -> None:
    link = str(hall.visit("results").find("#link")["value"])
    reader = Visitor(app).visit("/" + link.split("/", 3)[3])
    assert reader.status == 200
    assert "Anne" in reader.text
    for anchor in reader.page.select("main a[href*='/results']"):
        assert Visitor(app).visit(str(anchor["href"])).status == 200, anchor["href"]


# --- what else includes the event --------------------------------------------------------------------------


def test_a_players_page_lists_their_finished_events_with_place_and_score(hall: Hall) -> None:
    with hall.drive() as drive:
        drive.finish()
    state = hall.state()
    row = state.standings[0]
    entrant = state.entrants[row.numbers[0]]
    circle = hall.director.circle
    with hall.drive():
        token = db.session.scalars(db.select(Player.token).where(Player.id == entrant.player_id)).one()
    page = hall.director.visit(f"{circle}players/{token}")
    listed = page.find("table:has(caption:-soup-contains('Events'))").get_text(" ", strip=True)
    assert "Spring drive" in listed
    assert f"{row.rank} of 8 {row.score}" in listed
    assert "has not played yet" not in page.text
    page.visit(f"{circle}players/{token}?until=2025-12-31")
    assert "Spring drive" not in page.text
    page.visit(f"{circle}players/{token}?since=2026-01-01")
    assert "Spring drive" in page.text


def test_the_recap_of_an_evening_names_the_winner_of_its_event(hall: Hall) -> None:
    with hall.drive() as drive:
        drive.finish()
    state = hall.state()
    hall.director.open_table("whist", day=f"{state.event.day}")
    recap = hall.director.visit(f"{hall.director.circle}evenings/{state.event.day}").find("#recap").get_text()
    winners = [state.entrants[row.numbers[0]].name for row in state.standings if row.rank == 1]
    assert f"Spring drive\n{' and '.join(winners)} won" in recap


# --- an event whose game is not installed any more -------------------------------------------------------

PAGES = (
    *("", "director", "entrants", "entrants/1", "settings", "links", "money", "paper", "wall"),
    *("results", "results/rounds/1", "results/numbers/1", "rounds/1", "rounds/1/tables/1", "tables/1"),
    *("results/standings.csv", "results/tables.csv", "paper/cards", "paper/slips", "paper/sheet"),
)


def test_every_page_of_an_event_whose_game_is_not_installed_can_be_read(app: Flask) -> None:
    hall = Hall(app)
    hall.draw(1)
    hall.enter_slip(1, 1, 8)
    hall.change(game="gone")
    statuses = {page: hall.visit(page).status for page in PAGES}
    assert {page: status for page, status in statuses.items() if status != 200} == {}
