"""The boards of each table and round, on every page and print of an event that is ranked by matchpoints."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from flask import Flask

from ...visitor import Visitor
from .hall import EIGHT, Hall

SEVEN_PAIRS = tuple(f"{name} {surname}" for surname in ("Roy", "Cyr") for name in EIGHT[:7])
MATCHPOINTS = {"game": "joffre", "format": "howell", "scoring": "matchpoints", "rounds": 7, "length": 2}
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


def test_what_is_printed_has_the_boards_of_rounds_that_are_known(hall: Hall) -> None:
    paper = f"{hall.path}/paper"
    slips = hall.director.visit(f"{paper}/slips").page.select(".place")
    assert [slip.select("span")[-1].text for slip in slips] == [f"Boards {boards}" for boards in BOARDS[1]]
    rows = hall.director.visit(f"{paper}/sheet?round=1").page.select(".round-sheet tbody tr")
    assert [row.select("td")[1].text for row in rows] == BOARDS[0]
    cards = hall.director.visit(f"{paper}/tables").page.select(".table-cards li")
    assert [[each.text for each in card.select(".boards b")] for card in cards] == [list(of) for of in zip(*BOARDS)]  # noqa: B905  # three each
    first = hall.director.visit(f"{paper}/cards").page.select(".score-cards li")[0]
    lines = [[cell.text for cell in row.select("td")] for row in first.select("tbody tr")]
    assert lines[0] == ["1", "", "sits out", "", "", "", ""]  # pair 1
    boards = [line[3] if len(line) > 3 else line[0] for line in lines[1:]]
    assert "–".join(boards[:2]) in BOARDS[1]
    assert len(set(boards)) == 12  # each to be noted by itself


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


# --- a result for each board -----------------------------------------------------------------------------------


def send(hall: Hall, table: int, *boards: tuple[object, object]) -> Visitor:
    """Send what each pair scored on each board, from the table's phone."""
    sent = {f"board-{place}-{side}": str(won) for place, of in enumerate(boards, 1) for side, won in enumerate(of)}
    return hall.phone(table).visit(hall.table(table)).send(sent, "/result")


def test_a_table_sends_a_result_for_each_board_and_both_sides_confirm_them(hall: Hall) -> None:
    phone = send(hall, 2, (50, -10), (7, 30))
    row = hall.state().tables[2, 2]
    assert row.scores == {"scores": [57, 20], "boards": [[50, -10], [7, 30]]}
    assert [line.text for line in phone.page.select(".by-board tbody tr")] == ["750−10", "8730"]
    for side in ("0", "1"):
        phone.send({"side": side}, "/confirm")
    assert hall.state().tables[2, 2].is_confirmed
    corrected = hall.phone(2).visit(f"{hall.table(2)}?correct=yes")
    assert corrected.find("input[name=board-2-1]")["value"] == "30"
    corrected.send({"board-2-1": "40"}, "/result")
    row = hall.state().tables[2, 2]
    assert (row.scores, row.is_confirmed) == ({"scores": [57, 30], "boards": [[50, -10], [7, 40]]}, False)


def test_the_director_enters_and_corrects_boards_and_sees_every_version(hall: Hall) -> None:
    send(hall, 1, (1, 2), (3, 4))
    page = hall.director.visit(f"{hall.path}/rounds/2/tables/1")
    assert page.find("input[name=board-2-0]")["value"] == "3"
    page.send({"board-2-0": "5", "do": "record"})
    assert hall.state().tables[2, 1].scores == {"scores": [6, 6], "boards": [[1, 2], [5, 4]]}
    versions = [version.text for version in page.page.select(".versions li")]
    assert "1 : 2 · 5 : 4" in versions[0]
    assert "1 : 2 · 3 : 4" in versions[1]
    page.send({f"board-{place}-{side}": "" for place in (1, 2) for side in (0, 1)} | {"score-0": "6", "score-1": "5"})
    assert hall.state().tables[2, 1].scores == {"scores": [6, 5]}


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ({"board-1-0": "5"}, "Board 3, East–West: The result is missing"),
        ({"board-1-0": "5", "board-1-1": "6", "board-2-0": "x", "board-2-1": "8"}, "“x” is not a whole number"),
        ({"board-1-0": "5", "board-1-1": "6", "board-2-0": "99999", "board-2-1": "8"}, "Board 4, North–South: "),
        ({**{f"board-{n}-{s}": "5" for n in (1, 2) for s in (0, 1)}, "score-0": "11"}, "The boards add up to 10"),
    ],
)
def test_boards_that_do_not_make_a_result_are_refused_and_stay_in_the_form(
    hall: Hall, typed: dict[str, str], problem: str
) -> None:
    phone = hall.phone(1).visit(hall.table(1)).send(typed, "/result")
    assert phone.status == 422
    assert any(problem in each for each in phone.problems()), phone.problems()
    assert {name: phone.find(f"input[name={name}]")["value"] for name in typed} == typed
    assert hall.state().tables[2, 1].scores is None


def test_the_matchpoints_of_an_event_are_those_that_one_adds_up(app: Flask) -> None:
    """Five pairs, with two boards a round; one table sends only the total of its round."""
    hall = Hall(app, names=SEVEN_PAIRS[:10], **MATCHPOINTS | {"rounds": 5, "options": {"boards": "other"}})
    random = Random(7)  # noqa: S311  # nothing secret
    played: dict[int, list[tuple[int, int, list[int]]]] = {}  # by board: the pairs, and by how much the first won
    totals: dict[int, list[tuple[int, int, list[int]]]] = {}  # the same by set
    for number in range(1, 6):
        hall.draw(number)
        for table in (1, 2):
            phone = hall.phone(table).visit(hall.table(table))
            first = int(str(phone.find(".compass .north .why").text)) // 2
            second = int(str(phone.find(".compass .east .why").text)) // 2
            pairs = first + 1, second + 1
            boards = [int(each) for each in phone.find(".boards").text.removeprefix("Boards ").split("–")]
            results = [(random.randint(-3, 3), random.randint(-3, 3)) for _ in boards]
            won = [one - other for one, other in results]
            totals.setdefault(boards[0], []).append((*pairs, [sum(won)]))
            if (number, table) == (3, 1):
                whole = {f"score-{side}": str(sum(of[side] for of in results)) for side in (0, 1)}
                phone.send(whole, "/result")
                played.setdefault(boards[0], []).append((*pairs, []))
            else:
                send(hall, table, *results)
                played.setdefault(boards[0], []).append((*pairs, won))
    points, most = Counter[int](), Counter[int]()
    for boards_of_set, tables in played.items():
        is_whole = any(not won for _, _, won in tables)
        for one, compared in enumerate(totals[boards_of_set] if is_whole else tables):
            for other, rival in enumerate(totals[boards_of_set] if is_whole else tables):
                for mine, theirs in zip(compared[2], rival[2], strict=True) if one != other else ():
                    weight = 2 if is_whole else 1
                    better = 2 if mine > theirs else 1 if mine == theirs else 0
                    points[compared[0]] += weight * better
                    points[compared[1]] += weight * (2 - better)
                    most[compared[0]] += weight * 2
                    most[compared[1]] += weight * 2
    rows = {(row.numbers[1] // 2): row for row in hall.state().standings}
    assert {pair: (row.score, row.share) for pair, row in rows.items()} == {
        pair: (points[pair], Fraction(points[pair], most[pair])) for pair in range(1, 6)
    }
    assert len(set(points.values())) > 2
    shown = hall.director.client.get(f"{hall.path}/results/standings.csv")
    for pair in range(1, 6):
        line = next(line for line in shown.text.splitlines() if f"{2 * pair - 1} {2 * pair}" in line)
        assert str(points[pair]) in line.replace(";", ",").split(",")
