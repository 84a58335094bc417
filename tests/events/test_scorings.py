"""What a result is worth, by each scoring, and which tables are compared with each other."""

from __future__ import annotations

import pytest

from scorekeeper.events.drawing import Result
from scorekeeper.events.formats import FORMATS
from scorekeeper.events.scorings import SCORINGS, add_boards, score_compared

from .evenings import evening, everybody


@pytest.mark.parametrize(
    ("slug", "worth"),
    [
        ("tricks", [(9, 4), (6, 6), (2, 11)]),
        ("difference", [(5, -5), (0, 0), (-9, 9)]),
        ("total", [(9, 4), (6, 6), (2, 11)]),
        ("parties", [(2, 0), (1, 1), (0, 2)]),
        ("flags", [(1, 0), (0, 0), (0, 1)]),
    ],
)
def test_three_results_are_worth_what_one_reckons_by_hand(slug: str, worth: list[tuple[int, int]]) -> None:
    results = [Result((9, 4)), Result((6, 6)), Result((2, 11))]
    assert SCORINGS[slug].score(results) == worth


def test_tricks_count_only_where_their_number_is_fixed() -> None:
    of_format = FORMATS["individual"]
    scorings = of_format.scorings
    assert of_format.scorings_for(13) == scorings
    assert of_format.scorings_for(None) == tuple(slug for slug in scorings if slug != "tricks")
    assert [SCORINGS["tricks"].counted_in(tricks) for tricks in (13, None)] == ["tricks", "points"]


def test_matchpoints_are_two_for_each_pair_that_did_worse_and_one_for_each_that_did_as_well() -> None:
    results = [Result((420, 0)), Result((450, 0)), Result((0, 50)), Result((420, 0))]
    # North-South: 450 beats three; 420 beats one and equals one; −50 beats nobody. East-West the other way round.
    assert SCORINGS["matchpoints"].score(results) == [(3, 3), (6, 0), (0, 6), (3, 3)]


def by_board(*boards: tuple[int, int]) -> Result:
    return Result(add_boards(boards), boards=boards)


def test_boards_are_compared_one_by_one_and_added_up() -> None:
    """North–South won the first board by 5, 9 and 5, the second by 20, −1 and 30."""
    results = [by_board((5, 0), (20, 0)), by_board((9, 0), (0, 1)), by_board((6, 1), (30, 0))]
    scores, most = score_compared(results, SCORINGS["matchpoints"], 2)
    assert (scores, most) == ([(3, 5), (4, 4), (5, 3)], 8)


def test_rounds_are_compared_and_count_as_much_if_one_table_sent_no_boards() -> None:
    results = [by_board((5, 0), (20, 0)), Result((8, 0)), by_board((6, 1), (30, 0))]
    scores, most = score_compared(results, SCORINGS["matchpoints"], 2)
    assert (scores, most) == ([(4, 4), (0, 8), (8, 0)], 8)


# --- boards that go from table to table ---------------------------------------------------------------------


def test_more_rounds_than_the_movement_has_are_compared_by_round() -> None:
    format_ = FORMATS["mitchell"]
    event = evening(format_, everybody(12), 3)
    more = (*event, event[0]._replace(number=4))
    boards = format_.board_sets(more, format_.options())
    assert boards[3] == (3, 3, 3)
    assert boards[:3] == format_.board_sets(event, format_.options())
