"""The pages of an event's results."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from flask import Flask

from scorekeeper.db.outcome import Done
from scorekeeper.events import entrants, results, rounds
from scorekeeper.events.drawing import Result
from scorekeeper.events.reading import read
from scorekeeper.events.results import ResultRequest
from scorekeeper.models import Player, db

from ..visitor import Visitor
from .hall import Hall

SHEETS = ("standings.csv", "tables.csv")


class PlayedHall(Hall):
    """An event of which rounds are played: at table n, the first pair scores n more than six."""

    def __init__(self, app: Flask, played: int = 2, **changed: Any) -> None:
        super().__init__(app, **changed)
        for number in range(1, played + 1):
            self.draw(number)
            for row in self.state().tables_of(number):
                self.record((number, row.number), Result((6 + row.number, 7 - row.number)))

    @property
    def results(self) -> str:
        return f"{self.path}/results"

    def record(self, place: tuple[int, int], result: Result) -> None:
        with self.app.app_context():
            seen = read(self._event()).tables[place].seen
            request = ResultRequest(*place, seen, f"{place}-{seen}", result, is_slip=True)
            assert isinstance(results.record(self._event(), request, self._by()), Done)

    def finish(self) -> None:
        with self.app.app_context():
            assert rounds.finish(self._event(), self._by()) is None

    def leave(self, number: int, last_round: int) -> None:
        with self.app.app_context():
            entrants.change(self._event(), number, self._by(), last_round=last_round)

    def substitute(self, number: int, name: str) -> None:
        with self.app.app_context():
            assert entrants.substitute(self._event(), number, name, 3, self._by()) is None


@pytest.fixture
def hall(app: Flask) -> PlayedHall:
    return PlayedHall(app)


def rows_of(visitor: Visitor) -> list[list[str]]:
    """Return the texts of the cells of the page's table."""
    return [
        [" ".join(cell.get_text(" ", strip=True).split()) for cell in row.select("th, td")]
        for row in visitor.page.select(".tallied tbody tr")
    ]


def sheet(visitor: Visitor, path: str) -> list[list[str]]:
    response = visitor.client.get(path, headers={"Accept-Language": "en"})
    assert response.status_code == 200
    text = response.get_data().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


# --- standings ---------------------------------------------------------------------------------------------


def test_standings_list_everybody_with_what_they_have_scored(hall: PlayedHall) -> None:
    page = hall.director.visit(hall.results)
    state = hall.state()
    assert [(row[0], row[1], row[2]) for row in rows_of(page)] == [
        (str(row.rank), state.entrants[row.numbers[0]].name, str(row.score)) for row in state.standings
    ]
    assert "Standings so far: round 2 of 7" in page.text


def test_groups_have_standings_of_their_own(hall: PlayedHall) -> None:
    with hall.app.app_context():
        for number in range(1, 9):
            entrants.change(hall._event(), number, hall._by(), group="ab"[number % 2])
    page = hall.director.visit(hall.results)
    assert "Group A" in page.text
    rows = rows_of(hall.director.visit(f"{hall.results}?of=a"))
    assert len(rows) == 4
    assert rows[0][0] == "1"
    assert len(rows_of(hall.director.visit(f"{hall.results}?of=nobody"))) == 8


# --- rounds and cards --------------------------------------------------------------------------------------


def test_a_card_adds_up_to_the_score(hall: PlayedHall) -> None:
    state = hall.state()
    row = state.standings[0]
    page = hall.director.visit(f"{hall.results}/numbers/{row.numbers[0]}")
    assert sum(int(cells[-1]) for cells in rows_of(page)) == row.score
    assert f"Place {row.rank} of 8" in page.text


# --- prizes ------------------------------------------------------------------------------------------------


def test_prizes_are_listed_and_awarded_when_the_event_is_finished(app: Flask) -> None:
    prizes = [{"rule": "highest", "amount": "20.00"}, {"rule": "lowest", "text": "A wooden spoon"}]
    hall = PlayedHall(app, prizes=prizes, currency="GBP")
    page = hall.director.visit(hall.results)
    assert "£20.00" in page.text
    assert not page.page.select(".prizes a")
    hall.finish()
    page.visit(hall.results)
    assert "Final standings" in page.text
    state = hall.state()
    best = [state.entrants[row.numbers[0]].name for row in state.standings if row.rank == 1]
    worst = [state.entrants[row.numbers[0]].name for row in state.standings if row.rank == state.standings[-1].rank]
    first, last = (item.get_text(" ", strip=True) for item in page.page.select(".prizes li"))
    assert all(name in first for name in best)
    assert all(name in last for name in worst)
    assert "A wooden spoon" in last
    page.visit(hall.results.removesuffix("/results"))
    assert all(name in page.find("main h2").get_text() for name in best)
    assert page.find("a.main").get_text() == "Results"


# --- downloads ---------------------------------------------------------------------------------------------


def test_the_results_as_csv_have_every_table_of_every_round(hall: PlayedHall) -> None:
    rows = sheet(hall.director, f"{hall.results}/tables.csv")
    assert [row[:2] for row in rows[1:]] == [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"]]
    assert rows[1][6:10] == ["7", "6", "7", "6"]
    assert rows[1][-1] == "yes"


# --- who may read them -------------------------------------------------------------------------------------


def test_the_shared_link_shows_everything_to_anybody_without_joining(app: Flask, hall: PlayedHall) -> None:
    link = str(hall.director.visit(hall.results).find("#link")["value"])
    reader = Visitor(app).visit("/" + link.split("/", 3)[3])
    assert reader.status == 200
    assert "Anne" in reader.text
    for anchor in reader.page.select("main a[href*='/results']"):
        assert Visitor(app).visit(str(anchor["href"])).status == 200, anchor["href"]


def test_without_the_link_the_results_do_not_exist_for_others(app: Flask, hall: PlayedHall) -> None:
    stranger = Visitor(app)
    for path in ("", "/rounds/1", "/numbers/1", *(f"/{name}" for name in SHEETS)):
        assert stranger.visit(f"{hall.results}{path}").status == 404, path


# --- what else includes the event --------------------------------------------------------------------------


def test_a_players_page_lists_their_finished_events_with_place_and_score(hall: PlayedHall) -> None:
    hall.finish()
    state = hall.state()
    row = state.standings[0]
    entrant = state.entrants[row.numbers[0]]
    with hall.app.app_context():
        circle = hall._by().circle.name
        token = db.session.scalars(db.select(Player.token).where(Player.id == entrant.player_id)).one()
    page = hall.director.visit(f"/circles/{circle}/players/{token}")
    listed = page.find("table:has(caption:-soup-contains('Events'))").get_text(" ", strip=True)
    assert "Spring drive" in listed
    assert f"{row.rank} of 8 {row.score}" in listed
    assert "has not played yet" not in page.text
    page.visit(f"/circles/{circle}/players/{token}?year=2025")
    assert "Spring drive" not in page.text
    page.visit(f"/circles/{circle}/players/{token}?year=2026")
    assert "Spring drive" in page.text
