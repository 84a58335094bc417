"""The director's page and slips: a whole evening, corrections, two directors at once."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from ..support.visitor import Visitor, filled_in
from .hall import EIGHT, Hall


@pytest.fixture
def hall(app: Flask) -> Hall:
    return Hall(app, rounds=3)


def slip(hall: Hall, round_number: int, table: int | str, score: str = "8") -> Visitor:
    return hall.visit(f"rounds/{round_number}").send({"table": str(table), "score-0": score})


def main_action(visitor: Visitor) -> str:
    return visitor.find("#main-action").get_text(strip=True)


def test_the_large_button_leads_through_the_evening(hall: Hall) -> None:
    assert main_action(hall.visit()) == "Draw round 1"
    assert main_action(hall.press("/draw")) == "Start round 1"
    assert "Round 1 is drawn." in hall.director.text
    assert main_action(hall.press("/rounds/1/start")) == "Enter slips"
    hall.enter_slips()
    assert main_action(hall.visit()) == "Draw round 2"
    for number in (2, 3):
        hall.draw(number)
        hall.enter_slips()
    assert main_action(hall.visit()) == "Finish the event"
    assert "The event is finished." in hall.press("/finish").text
    assert "event finished" in hall.director.text
    assert main_action(hall.director) == "Results"
    assert hall.director.find("main h2").get_text().endswith("won")
    hall.press("/reopen")
    assert main_action(hall.visit()) == "Finish the event"


def test_without_four_people_the_button_leads_to_the_players(app: Flask) -> None:
    hall = Hall(app, ())
    assert main_action(hall.visit()) == "Add players"
    hall.enter(*EIGHT[:3])
    assert "A round needs at least four people." in hall.visit().text


def test_the_clock_counts_down_and_stops_while_paused(app: Flask) -> None:
    hall = Hall(app, EIGHT[:4], round_unit="minutes", length=20, scoring="difference")
    assert main_action(hall.press("/draw")) == "Start the clock"
    assert hall.press("/rounds/1/start").find(".clock").get_text().endswith("left")
    assert main_action(hall.press("/rounds/1/pause")) == "Go on"
    assert "paused" in hall.director.text
    assert main_action(hall.press("/rounds/1/resume")) == "Enter slips"


def test_a_round_with_results_is_not_undone(hall: Hall) -> None:
    hall.draw(1)
    undo = hall.visit().form("/rounds/1/undo")
    slip(hall, 1, 1)
    assert not hall.visit().page.select("#undo")
    assert "Undo round 1: This round has results" in hall.director.text
    assert "8–5" in hall.director.find(".hall").get_text()
    assert hall.director.send({}, form=undo).problems() == [
        "This round has results or deals already. Withdraw them first."
    ]
    assert hall.director.status == 422


def test_the_page_says_why_a_round_cannot_be_drawn(app: Flask) -> None:
    hall = Hall(app, EIGHT[:4], rounds=1)
    hall.draw(1)
    form = {"csrf_token": filled_in(hall.visit().form("/pause"))["csrf_token"], "key": "again"}
    answer = hall.director.client.post(f"{hall.path}/rounds/2/draw", data=form)
    assert answer.status_code == 422
    assert "All 1 rounds are drawn." in answer.get_data(as_text=True)


# --- two directors -----------------------------------------------------------------------------------------


@pytest.fixture
def second(app: Flask, hall: Hall) -> Visitor:
    other = Visitor(app).join(hall.director.link("score"))
    return other.visit(f"{hall.path}/director")


def test_another_result_than_the_other_director_typed_is_not_recorded(hall: Hall, second: Visitor) -> None:
    hall.draw(1)
    second.visit(f"{hall.path}/rounds/1")
    slip(hall, 1, 1, "8")
    second.send({"table": "1", "score-0": "3"})
    assert second.status == 409
    assert "Table 1 has another result already" in second.text
    assert "8–5" in second.find(".stale").get_text()
    assert second.find("[name=score-0]")["value"] == "3"


# --- slips -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "score", "problem"),
    [
        ("3", "8", "This must be a whole number from 1 to 2."),
        ("", "8", "The number of the table is missing. Type it."),
        ("<b>", "8", "This must be a whole number from 1 to 2."),
        ("1", "", "The result is missing. Enter it."),
        ("1", " ", "The result is missing. Enter it."),
        ("1", "many", "This must be a whole number from 0 to 13."),
        ("1", "14", "This must be a whole number from 0 to 13."),
    ],
)
def test_a_wrong_slip_is_answered_with_what_was_typed(hall: Hall, table: str, score: str, problem: str) -> None:
    hall.draw(1)
    page = slip(hall, 1, table, score)
    assert page.status == 422
    assert problem in page.problems()
    assert (page.find("[name=table]")["value"], page.find("[name=score-0]")["value"]) == (table, score.strip())


def test_any_result_of_any_round_is_corrected_with_all_versions_shown(hall: Hall) -> None:
    hall.draw(1)
    hall.enter_slips()
    hall.draw(2)
    page = hall.visit("rounds/1/tables/2")
    assert "Rounds already drawn stay as they are." in page.text
    page.send({"score-0": "5", "do": "record"})
    assert "The result is recorded." in page.text
    assert [b.get_text() for b in page.page.select(".versions b")] == ["5–8", "8–5"]


@pytest.mark.parametrize(
    ("game", "rules", "scores", "problem"),
    [
        ("whist", {}, ("8", "6"), "Together these are 14 points. By the rules, 1 to 13 are possible."),
        ("joffre", {}, ("500", "-300"), "By the rules, this can be −24 to 24 points."),
        (
            "any-game",
            {"name": "Belote", "sides": True, "total": 162},
            ("100", "60"),
            "These are 160 points. By the rules, it must be 162.",
        ),
    ],
)
def test_points_that_no_deal_can_give_are_refused(
    app: Flask, game: str, rules: dict[str, Any], scores: tuple[str, str], problem: str
) -> None:
    hall = Hall(app, game=game, house_rules=rules, scoring="difference", length=1)
    hall.draw(1)
    for page in ("rounds/1", "rounds/1/tables/1"):
        slip = hall.visit(page)
        slip.send({"score-0": scores[0], "score-1": scores[1]})
        assert slip.status == 422
        assert problem in slip.problems()
        assert slip.find("[name=score-0]")["value"] == scores[0]


@pytest.mark.parametrize("page", ["rounds/1", "rounds/1/tables/1"])
def test_a_table_that_was_not_played_gives_neither_side_anything_and_the_event_goes_on(hall: Hall, page: str) -> None:
    hall.draw(1)
    slip(hall, 1, 2)
    hall.visit(page).send({"do": "not-played"})
    assert "not played" in hall.director.text
    assert "2 of 2 results" in hall.visit().text
    hall.press("/finish")
    assert "The event is finished." in hall.director.text
    standings = [row.get_text(" ", strip=True).split() for row in hall.visit("results").page.select("tbody tr")]
    assert [row[0] for row in standings] == ["1", "1", "3", "3", "–", "–", "–", "–"]
    assert "not played" in hall.visit("results/rounds/1").text
    assert "not played" in hall.visit("rounds/1/tables/1").text
    assert "This table was not played." in hall.visit("tables/1").text
