"""The boards of each table and round, on every page and print of an event that is ranked by matchpoints."""

from __future__ import annotations

import pytest
from flask import Flask

from .hall import EIGHT, Hall

SEVEN_PAIRS = tuple(f"{name} {surname}" for surname in ("Roy", "Cyr") for name in EIGHT[:7])
MATCHPOINTS = {"format": "howell", "scoring": "matchpoints", "rounds": 7, "length": 2}
SETS = [(0, 2, 3), (1, 3, 4), (2, 4, 5), (3, 5, 6), (4, 6, 0), (5, 0, 1), (6, 1, 2)]
BOARDS = [[f"{2 * boards + 1}–{2 * boards + 2}" for boards in of_round] for of_round in SETS]


@pytest.fixture
def hall(app: Flask) -> Hall:
    hall = Hall(app, names=SEVEN_PAIRS, **MATCHPOINTS)
    hall.draw(1)
    hall.draw(2)
    return hall


def test_the_director_sees_the_boards_of_each_table(hall: Hall) -> None:
    cells = hall.director.visit(f"{hall.path}/director").page.select(".hall small")
    assert [cell.text for cell in cells] == BOARDS[1]
    rows = hall.director.visit(f"{hall.path}/rounds/1").page.select(".results .description .why")
    assert [row.text for row in rows] == [f"Boards {boards}" for boards in BOARDS[0]]
    assert "Boards 5–6" in hall.director.visit(f"{hall.path}/rounds/1/tables/2").page.main.text  # type: ignore[union-attr]  # there


def test_a_tables_phone_and_the_wall_say_which_boards_to_play(hall: Hall) -> None:
    hall.draw(3)  # what a phone reads are the last two rounds
    for table, boards in enumerate(BOARDS[2], start=1):
        assert f"Boards {boards}" in hall.phone(table).visit(hall.table(table)).page.text
    seats = hall.phone().visit(hall.path).page.select(".hall-seats small")
    assert [seat.text for seat in seats] == [f"Boards {boards}" for boards in BOARDS[2]]
    wall = hall.director.visit(f"{hall.path}/wall?by=tables").page.select(".tables .boards")
    assert [each.text for each in wall] == [f"Boards {boards}" for boards in BOARDS[2]]
    names = hall.director.visit(f"{hall.path}/wall").page.select(".seats li .boards")
    assert sorted(name.text for name in names) == sorted(4 * BOARDS[2])


def test_what_is_printed_has_the_boards_of_rounds_that_are_known(hall: Hall) -> None:
    paper = f"{hall.path}/paper"
    slips = hall.director.visit(f"{paper}/slips").page.select(".place")
    assert [slip.select("span")[-1].text for slip in slips] == [f"Boards {boards}" for boards in BOARDS[1]]
    rows = hall.director.visit(f"{paper}/sheet?round=1").page.select(".round-sheet tbody tr")
    assert [row.select("td")[1].text for row in rows] == BOARDS[0]
    cards = hall.director.visit(f"{paper}/tables").page.select(".table-cards li")
    assert [[each.text for each in card.select(".boards b")] for card in cards] == [list(of) for of in zip(*BOARDS)]  # noqa: B905  # three each
    first = hall.director.visit(f"{paper}/cards").page.select(".score-cards li")[0]
    lines = [[cell.text for cell in row.select("td")[1:3]] for row in first.select("tbody tr")]
    assert lines[0] == ["", ""]  # pair 1 sits out
    assert lines[1][1] in BOARDS[1]
    assert len({boards for _, boards in lines[1:]}) == 6


def test_cards_printed_before_the_first_round_have_the_boards_of_all_rounds(app: Flask) -> None:
    hall = Hall(app, names=SEVEN_PAIRS, **MATCHPOINTS)
    cards = hall.director.visit(f"{hall.path}/paper/tables").page.select(".table-cards li")
    assert [[each.text for each in card.select(".boards b")] for card in cards] == [list(of) for of in zip(*BOARDS)]  # noqa: B905  # three each


def test_results_say_which_boards_were_compared(hall: Hall) -> None:
    rows = hall.director.visit(f"{hall.path}/results/rounds/1").page.select(".of-round tbody tr")
    assert [row.select("td")[2].text for row in rows] == BOARDS[0]


def test_rounds_that_are_no_number_of_deals_have_sets_of_boards(app: Flask) -> None:
    hall = Hall(app, names=SEVEN_PAIRS, **MATCHPOINTS | {"round_unit": "minutes", "length": 20})
    hall.draw(1)
    assert "Board set 3" in hall.phone(2).visit(hall.table(2)).page.text
    assert [cell.text for cell in hall.director.visit(f"{hall.path}/director").page.select(".hall small")] == [*"134"]


@pytest.mark.parametrize("changed", [{"scoring": "difference"}, {"format": "swiss"}])
def test_where_boards_do_not_move_or_do_not_count_nothing_is_said_of_them(app: Flask, changed: dict[str, str]) -> None:
    hall = Hall(app, names=SEVEN_PAIRS, **MATCHPOINTS | changed)
    hall.draw(1)
    for path in ("", "/director", "/tables/1", "/rounds/1", "/wall", "/wall?by=tables", "/paper/cards", "/paper/slips"):
        assert "oard" not in hall.director.visit(hall.path + path).page.main.text, path  # type: ignore[union-attr]  # there


def test_the_director_chooses_the_other_layout_and_rounds_are_scored_anew(hall: Hall) -> None:
    director = hall.director.visit(f"{hall.path}/settings")
    assert director.page.select_one("[name=options-boards][value=usual][checked]")
    director.send({"options-boards": "other"})
    assert [cell.text for cell in director.visit(f"{hall.path}/director").page.select(".hall small")] == [
        "3–4",
        "5–6",
        "13–14",
    ]
    assert hall.state().board_sets[0] == (0, 1, 5)
    assert "Boards 13–14" in hall.phone(3).visit(hall.table(3)).page.text  # what was read before is not kept
