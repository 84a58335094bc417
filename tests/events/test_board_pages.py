"""The boards of each table and round, on every page and print of an event that is ranked by matchpoints."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.events.drawing import Result

from ..support.visitor import Visitor
from .hall import EIGHT, Hall

SEVEN_PAIRS = tuple(f"{name} {surname}" for surname in ("Roy", "Cyr") for name in EIGHT[:7])
MATCHPOINTS: dict[str, Any] = {"game": "joffre", "format": "howell", "scoring": "matchpoints", "rounds": 7, "length": 2}
SETS = [(0, 2, 3), (1, 3, 4), (2, 4, 5), (3, 5, 6), (4, 6, 0), (5, 0, 1), (6, 1, 2)]
BOARDS = [[f"{2 * boards + 1}–{2 * boards + 2}" for boards in of_round] for of_round in SETS]


@pytest.fixture
def hall(app: Flask) -> Hall:
    hall = Hall(app, names=SEVEN_PAIRS, **MATCHPOINTS)
    hall.draw(1)
    hall.draw(2)
    return hall


def test_the_director_sees_the_boards_of_each_table(hall: Hall) -> None:
    cells = hall.visit("director").page.select(".hall small")
    assert [cell.text for cell in cells] == BOARDS[1]
    rows = hall.visit("rounds/1").page.select(".results .description .why")
    assert [row.text for row in rows] == [f"Boards {boards}" for boards in BOARDS[0]]
    assert "Boards 5–6" in hall.visit("rounds/1/tables/2").page.main.text  # type: ignore[union-attr]  # there


def test_what_is_printed_has_the_boards_of_rounds_that_are_known(hall: Hall) -> None:
    paper = f"{hall.path}/paper"
    slips = hall.director.visit(f"{paper}/slips").page.select(".place")
    assert [slip.select("span")[-1].text for slip in slips] == [f"Boards {boards}" for boards in BOARDS[1]]
    rows = hall.director.visit(f"{paper}/sheet?round=1").page.select(".round-sheet tbody tr")
    assert [row.select("td")[1].text for row in rows] == BOARDS[0]
    cards = hall.director.visit(f"{paper}/tables").page.select(".table-cards li")
    assert [[each.text for each in card.select(".boards b")] for card in cards] == [list(of) for of in zip(*BOARDS)]  # noqa: B905  # three each
    first = hall.director.visit(f"{paper}/cards").page.select(".score-cards li")[0]
    lines = [[cell.text.strip() for cell in row.select("td")] for row in first.select("tbody tr")]
    assert lines[0] == ["1", "", "sits out", "", "", "", ""]  # pair 1
    boards = [line[3] if len(line) > 3 else line[0] for line in lines[1:]]
    assert "–".join(boards[:2]) in BOARDS[1]
    assert len(set(boards)) == 12  # each to be noted by itself


# --- a result for each board -----------------------------------------------------------------------------------


def send(hall: Hall, table: int, *boards: tuple[object, object]) -> Visitor:
    """Send what each pair scored on each board, from the table's phone."""
    sent = {f"board-{place}-{side}": str(won) for place, of in enumerate(boards, 1) for side, won in enumerate(of)}
    return hall.phone(table).visit(hall.table(table)).send(sent, "/result")


def test_a_table_sends_a_result_for_each_board_and_both_sides_confirm_them(hall: Hall) -> None:
    phone = send(hall, 2, (30, -10), (7, 10))
    row = hall.state().tables[2, 2]
    assert row.result == Result((37, 0), boards=((30, -10), (7, 10)))
    lines = phone.page.select(".by-board tbody tr")
    assert [[*line.stripped_strings] for line in lines] == [["7", "30", "−10"], ["8", "7", "10"]]
    for side in ("0", "1"):
        phone.send({"side": side}, "/confirm")
    assert hall.state().tables[2, 2].is_confirmed
    corrected = hall.phone(2).visit(f"{hall.table(2)}?correct=yes")
    assert corrected.find("input[name=board-2-1]")["value"] == "10"
    corrected.send({"board-2-1": "12"}, "/result")
    row = hall.state().tables[2, 2]
    assert (row.result, row.is_confirmed) == (Result((37, 2), boards=((30, -10), (7, 12))), False)


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ({"board-1-0": "5"}, "The result is missing"),
        ({"board-1-0": "5", "board-1-1": "6", "board-2-0": "x", "board-2-1": "8"}, "This must be a whole number"),
        ({"board-1-0": "5", "board-1-1": "6", "board-2-0": "99999", "board-2-1": "8"}, "This must be a whole number"),
        ({**{f"board-{n}-{s}": "5" for n in (1, 2) for s in (0, 1)}, "score-0": "11"}, "The boards add up to 10"),
        ({f"board-{n}-{s}": "5000" for n in (1, 2) for s in (0, 1)}, "This must be a whole number"),
    ],
)
def test_boards_that_do_not_make_a_result_are_refused_and_stay_in_the_form(
    hall: Hall, typed: dict[str, str], problem: str
) -> None:
    phone = hall.phone(1).visit(hall.table(1)).send(typed, "/result")
    assert phone.status == 422
    assert any(problem in each for each in phone.problems()), phone.problems()
    assert {name: phone.find(f"input[name={name}]")["value"] for name in typed} == typed
    assert hall.state().tables[2, 1].result is None
