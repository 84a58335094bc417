"""The pages of an event's results."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from flask import Flask

from scorekeeper.events.drawing import Result
from scorekeeper.events.formats import find_format
from scorekeeper.events.scoring import scoring_slugs
from scorekeeper.models import Player, db
from scorekeeper.services.circles.settings import change_setting
from scorekeeper.services.events import entrants, results, rounds
from scorekeeper.services.events.results import ResultRequest
from scorekeeper.services.outcome import Done

from ...visitor import Visitor
from .hall import EIGHT, Hall

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

    def record(self, place: tuple[int, int], result: Result, seen: int = 0) -> None:
        with self.app.app_context():
            request = ResultRequest(*place, seen, f"{place}-{seen}", result, is_slip=True)
            assert isinstance(results.record(self._event(), request, self._by()), Done)

    def finish(self) -> None:
        with self.app.app_context():
            assert rounds.finish(self._event(), self._by()) is None

    def leave(self, number: int, last_round: int) -> None:
        with self.app.app_context():
            entrants.leave(self._event(), number, last_round, self._by())

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


def test_a_correction_changes_the_standings(hall: PlayedHall) -> None:
    before = rows_of(hall.director.visit(hall.results))
    hall.record((1, 1), Result((13, 0)), seen=1)
    after = {row[1]: row[2] for row in rows_of(hall.director.visit(hall.results))}
    changed = {row[1] for row in before if row[2] != after[row[1]]}
    state = hall.state()
    assert changed == {state.entrants[number].name for pair in state.tables[1, 1].pairs for number in pair}


def test_before_the_first_round_there_is_nothing_to_rank(app: Flask) -> None:
    hall = PlayedHall(app, played=0)
    page = hall.director.visit(hall.results)
    assert page.status == 200
    assert "No round is drawn yet." in page.text
    assert rows_of(page) == []
    assert hall.director.visit(f"{hall.results}/numbers/1").status == 200


@pytest.mark.parametrize("slug", scoring_slugs())
@pytest.mark.parametrize("format_slug", ["individual", "mitchell", "military"])
def test_every_scoring_is_shown(app: Flask, slug: str, format_slug: str) -> None:
    hall = PlayedHall(app, played=1, format=format_slug, scoring=find_format(format_slug).scorings[0], rounds=1)
    hall.change(scoring=slug)
    for path in (hall.results, f"{hall.results}/rounds/1", f"{hall.results}/numbers/1"):
        page = hall.director.visit(path)
        assert page.status == 200
        assert rows_of(page)
        assert "event-results." not in page.text
        assert "scoring." not in page.text
    for name in SHEETS:
        assert all("event-results" not in cell for cell in sheet(hall.director, f"{hall.results}/{name}")[0])


def test_missing_results_are_counted(hall: PlayedHall) -> None:
    hall.draw(3)
    page = hall.director.visit(hall.results)
    assert "2 results are missing." in page.text
    assert "–" in [row[3] for row in rows_of(hall.director.visit(f"{hall.results}/rounds/3"))]


def test_hundreds_are_shown_in_pages_and_on_one_page_to_print(app: Flask) -> None:
    names = tuple(f"Player {number}" for number in range(1, 421))
    hall = PlayedHall(app, played=0, names=names)
    hall.change(format="progressive", options={})
    hall.draw(1)
    first = hall.director.visit(hall.results)
    assert len(rows_of(first)) == 200
    assert len(rows_of(hall.director.visit(f"{hall.results}?page=3"))) == 20
    assert len(rows_of(hall.director.visit(f"{hall.results}?page=99"))) == 200
    assert len(rows_of(hall.director.visit(f"{hall.results}?all="))) == 420


def test_groups_have_standings_of_their_own(hall: PlayedHall) -> None:
    with hall.app.app_context():
        for number in range(1, 9):
            entrants.set_group(hall._event(), number, "ab"[number % 2], hall._by())
    page = hall.director.visit(hall.results)
    assert "Group A" in page.text
    rows = rows_of(hall.director.visit(f"{hall.results}?of=a"))
    assert len(rows) == 4
    assert rows[0][0] == "1"
    assert len(rows_of(hall.director.visit(f"{hall.results}?of=nobody"))) == 8


# --- rounds and cards --------------------------------------------------------------------------------------


def test_a_round_lists_its_tables_with_names_and_results(hall: PlayedHall) -> None:
    rows = rows_of(hall.director.visit(f"{hall.results}/rounds/2"))
    state = hall.state()
    assert [row[0] for row in rows] == ["1", "2"]
    assert [row[3] for row in rows] == ["7–6", "8–5"]
    first, second = state.tables[2, 1].pairs[0]
    assert rows[0][1] == f"{state.name_of(first)} & {state.name_of(second)}"


def test_a_card_adds_up_to_the_score(hall: PlayedHall) -> None:
    state = hall.state()
    row = state.standings[0]
    page = hall.director.visit(f"{hall.results}/numbers/{row.numbers[0]}")
    assert sum(int(cells[-1]) for cells in rows_of(page)) == row.score
    assert f"Place {row.rank} of 8" in page.text


def test_a_card_says_who_played_for_somebody(hall: PlayedHall) -> None:
    hall.substitute(1, "Zoé")
    hall.draw(3)
    hall.record((3, 1), Result((7, 6)))
    hall.record((3, 2), Result((7, 6)))
    rows = rows_of(hall.director.visit(f"{hall.results}/numbers/1"))
    assert "Zoé played" in rows[2][1]
    assert "Zoé" not in rows[1][1]
    assert any("Zoé" in cell for cells in rows_of(hall.director.visit(f"{hall.results}/rounds/3")) for cell in cells)


def test_a_card_says_when_somebody_was_not_there(hall: PlayedHall) -> None:
    hall.leave(1, 2)
    hall.draw(3)
    assert "Not there" in rows_of(hall.director.visit(f"{hall.results}/numbers/1"))[2][1]


@pytest.mark.parametrize("path", ["rounds/0", "rounds/3", "rounds/99999", "numbers/0", "numbers/9", "rounds/x"])
def test_rounds_and_numbers_that_do_not_exist_are_not_found(hall: PlayedHall, path: str) -> None:
    assert hall.director.visit(f"{hall.results}/{path}").status == 404


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


def test_the_standings_as_csv_have_everybody(hall: PlayedHall) -> None:
    rows = sheet(hall.director, f"{hall.results}/standings.csv")
    assert rows[0][:5] == ["Rank", "Number", "Name", "Group", "Tricks"]
    assert sorted(row[2] for row in rows[1:]) == sorted(EIGHT)


def test_the_results_as_csv_have_every_table_of_every_round(hall: PlayedHall) -> None:
    rows = sheet(hall.director, f"{hall.results}/tables.csv")
    assert [row[:2] for row in rows[1:]] == [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"]]
    assert rows[1][6:10] == ["7", "6", "7", "6"]
    assert rows[1][-1] == "yes"


def test_csv_is_written_as_the_readers_spreadsheets_expect(hall: PlayedHall) -> None:
    hall.change(scoring="matchpoints")
    response = hall.director.client.get(f"{hall.results}/standings.csv", headers={"Accept-Language": "de"})
    text = response.get_data().decode("utf-8-sig")
    assert text.startswith("Rang;Nummer;Name;")
    assert ",00;" in text.splitlines()[1] or ",0" in text.splitlines()[1]


def test_a_name_that_looks_like_a_formula_is_none_in_the_csv(app: Flask) -> None:
    hall = PlayedHall(app, names=("=1+1", *EIGHT[1:]))
    for name in SHEETS:
        assert not any(cell.startswith("=") for row in sheet(hall.director, f"{hall.results}/{name}") for cell in row)


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


def test_a_renewed_link_ends_the_shared_one(app: Flask, hall: PlayedHall) -> None:
    link = str(hall.director.visit(hall.results).find("#link")["value"])
    hall.renew_links()
    assert Visitor(app).visit("/" + link.split("/", 3)[3]).status == 404


def test_a_guest_reads_the_results_and_gets_no_link_to_share(hall: PlayedHall) -> None:
    guest = hall.phone()
    assert guest.visit(hall.results).status == 200
    assert not guest.page.select("#link")


def test_search_engines_are_asked_not_to_list_the_results(hall: PlayedHall) -> None:
    response = hall.director.client.get(hall.results)
    assert response.headers["X-Robots-Tag"] == "noindex, nofollow"


def test_the_page_marks_its_readers_own_row(hall: PlayedHall) -> None:
    phone = hall.phone()
    phone.visit(hall.path).send({"number": "3"}, "/me")
    phone.visit(hall.results)
    assert [row.select_one("th").get_text(strip=True) for row in phone.page.select("tr.own")] == ["Chloé"]  # type: ignore[union-attr]  # each row has a name


def test_names_of_other_alphabets_and_markup_are_shown_as_they_are(app: Flask) -> None:
    hall = PlayedHall(app, names=("<b>משה</b>", "陳大文", *EIGHT[2:]))
    page = hall.director.visit(f"{hall.results}/numbers/1")
    assert "<b>משה</b>" in page.text
    assert not page.page.select("h1 b")


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


def test_search_finds_events_by_their_title_and_place(hall: PlayedHall) -> None:
    hall.change(place="Village hall, Éze")
    with hall.app.app_context():
        circle = hall._by().circle.name
        anne = db.session.scalars(db.select(Player.token).where(Player.id == hall.state().entrants[1].player_id)).one()
    found = f".table-card[href='{hall.path}']"
    for query in ("words=SPRING", "words=eze", f"words=drive&player={anne}&game=whist&since=2026-11-20"):
        assert hall.director.visit(f"/circles/{circle}/tables?{query}").page.select(found), query
    for query in (
        "words=autumn",
        "",
        "words=drive&settled=no",
        "words=drive&until=2026-11-19",
        "words=drive&game=joffre",
    ):
        assert not hall.director.visit(f"/circles/{circle}/tables?{query}").page.select(found), query


def test_standings_by_rating_have_those_who_have_played_at_events_only(hall: PlayedHall) -> None:
    with hall.app.app_context():
        circle = hall._by().circle
        change_setting(circle, "shows_ratings", True, hall._by())
        path = f"/circles/{circle.name}/standings?account=whist&by=rating"
    assert "Anne" not in hall.director.visit(path).text  # the event is not finished
    hall.finish()
    page = hall.director.visit(path)
    assert {row[1] for row in rows_of(page)} == {"Zénobie", *EIGHT}  # she has sat at a table
    assert page.visit(f"{path}&year=2025").status == 200
    assert "Anne" not in page.text
