"""Which tables play the same deals where boards go from table to table."""

from __future__ import annotations

from collections import Counter

import pytest

from scorekeeper.events.boards import boards_of
from scorekeeper.events.drawing import Member, PlayedRound, PlayedTable, Result, RoundDraw
from scorekeeper.events.formats import Format, find_format
from scorekeeper.events.scoring import find_scoring
from scorekeeper.events.standings import BoardsOf, scored_tables

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


def found(format_: Format, rounds: Rounds) -> BoardsOf:
    boards = boards_of(format_, rounds)
    assert boards is not None
    return boards


@pytest.mark.parametrize(("slug", "pairs", "rounds"), [("howell", 8, 7), ("howell", 9, 9), ("mitchell", 10, 5)])
@pytest.mark.parametrize("first", [1, 11])
def test_no_pair_plays_a_set_of_boards_twice(slug: str, pairs: int, rounds: int, first: int) -> None:
    format_ = find_format(slug)
    event = played(format_, pairs, rounds, first)
    boards = found(format_, event)
    times = Counter(
        (boards(each.number, table.number), pair) for each in event for table in each.tables for pair in table.pairs
    )
    assert set(times.values()) == {1}


def test_in_a_round_robin_all_tables_of_a_round_play_the_same_deals() -> None:
    format_ = find_format("round-robin")
    event = played(format_, 6, 5)
    boards = found(format_, event)
    assert [len({boards(each.number, table.number) for table in each.tables}) for each in event] == [1] * 5
    assert len({boards(each.number, 1) for each in event}) == 5


def test_matchpoints_compare_the_pairs_that_played_the_same_boards() -> None:
    format_ = find_format("howell")
    event = played(format_, 8, 7)
    scored = scored_tables(event, find_scoring("matchpoints"), found(format_, event))
    assert {each.most for each in scored} == {6}  # each set of boards is played at four tables


def test_rounds_that_do_not_follow_the_schedule_are_compared_by_round() -> None:
    format_ = find_format("howell")
    event = played(format_, 8, 4)
    turned = event[2]._replace(tables=tuple(each._replace(pairs=each.pairs[::-1]) for each in event[2].tables))
    boards = found(format_, (*event[:2], turned, event[3]))
    assert {boards(2, table) for table in (1, 2, 3, 4)} != {boards(2, 1)}
    assert {boards(number, table) for number in (3, 4) for table in (1, 2, 3, 4)} == {("round", 3), ("round", 4)}


def test_formats_whose_boards_stay_have_none() -> None:
    format_ = find_format("individual")
    assert boards_of(format_, (PlayedRound(1, (PlayedTable(1, ((1, 4), (2, 3))),)),)) is None
    assert boards_of(find_format("howell"), ()) is None


def test_more_rounds_than_the_movement_has_are_compared_by_round() -> None:
    format_ = find_format("mitchell")
    event = played(format_, 6, 3)
    more = (*event, event[0]._replace(number=4))
    boards = found(format_, more)
    assert boards(4, 1) == ("round", 4)
    assert boards(3, 1) == found(format_, event)(3, 1)
