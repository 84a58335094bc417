"""Which tables play the same deals where boards go from table to table."""

from __future__ import annotations

import pytest

from scorekeeper.events.drawing import Member, PlayedRound, PlayedTable, Result, RoundDraw
from scorekeeper.events.formats import FORMATS, Format
from scorekeeper.events.formats.pairs import HOWELL
from scorekeeper.events.scoring import find_scoring
from scorekeeper.events.standings import standings

from .made_events import Rounds


def played(format_: Format, pairs: int, rounds: int, first: int = 1) -> Rounds:
    """Return the first rounds of pairs whose numbers begin with `first`."""
    members = tuple(Member(number) for number in range(first, first + 2 * pairs))
    earlier: Rounds = ()
    for number in range(1, rounds + 1):
        drawn = format_.draw(RoundDraw(number, rounds, members, earlier))
        tables = tuple(PlayedTable(at, pairs, Result((at, 0))) for at, pairs in enumerate(drawn.tables, start=1))
        earlier = (*earlier, PlayedRound(number, tables, drawn.sits_out))
    return earlier


def test_more_rounds_than_the_movement_has_are_compared_by_round() -> None:
    format_ = FORMATS["mitchell"]
    event = played(format_, 6, 3)
    more = (*event, event[0]._replace(number=4))
    boards = format_.board_sets(more, format_.options())
    assert boards[3] == (3, 3, 3)
    assert boards[:3] == format_.board_sets(event, format_.options())


SEVEN_PAIRS = ((8, 3, 7), (-7, -8, 4), (1, 1, -1), (-8, 4, -2), (8, -6, 0), (-7, 9, -3), (2, 3, -3))
"""What North–South won by at each table in each round."""


@pytest.mark.parametrize(
    ("layout", "starts", "matchpoints"),
    [("usual", (0, 2, 3), (11, 12, 9, 15, 13, 8, 16)), ("other", (0, 1, 5), (10, 12, 10, 14, 10, 16, 12))],
)
def test_the_same_results_of_seven_pairs_are_worth_something_else_on_other_boards(
    layout: str, starts: tuple[int, ...], matchpoints: tuple[int, ...]
) -> None:
    event = tuple(
        each._replace(
            tables=tuple(
                table._replace(result=Result((100 + won, 100)))
                for table, won in zip(each.tables, of_round, strict=True)
            )
        )
        for each, of_round in zip(played(HOWELL, 7, 7), SEVEN_PAIRS, strict=True)
    )
    boards = HOWELL.board_sets(event, HOWELL.options(layout))
    assert boards[0] == starts
    members = [Member(number) for number in range(1, 15)]
    rows = standings(members, event, find_scoring("matchpoints"), 2, boards)
    assert tuple(row.score for row in sorted(rows, key=lambda row: row.numbers)) == matchpoints
