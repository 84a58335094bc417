"""Fields of an event that have a winner of their own."""

from __future__ import annotations

from hypothesis import given

from scorekeeper.events.drawing import Member, PlayedRound
from scorekeeper.events.scoring import find_scoring
from scorekeeper.events.standings import split_fields, standings

from .made_events import Rounds, members_of, played_rounds, table

TRICKS = find_scoring("tricks")
EIGHT = tuple(Member(number) for number in range(1, 9))


@given(played_rounds())
def test_groups_are_ranked_among_themselves_in_the_order_of_all(rounds: Rounds) -> None:
    rows = standings(members_of(rounds), rounds, TRICKS)
    fields = split_fields(rows, rounds)
    assert sorted(fields) == ["a", "b"]
    for group, of_group in fields.items():
        assert [row.numbers for row in of_group] == [row.numbers for row in rows if row.group == group]
        assert of_group[0].rank == 1
        assert all(row.rank <= place for place, row in enumerate(of_group, start=1))


def test_pairs_that_never_change_direction_have_two_winners() -> None:
    rounds = (
        PlayedRound(1, (table(1, ((1, 2), (5, 6)), 9, 4), table(2, ((3, 4), (7, 8)), 8, 5))),
        PlayedRound(2, (table(1, ((1, 2), (7, 8)), 9, 4), table(2, ((3, 4), (5, 6)), 8, 5))),
    )
    fields = split_fields(standings(EIGHT, rounds, TRICKS, unit=2), rounds)
    assert {field: [(row.rank, row.numbers) for row in rows] for field, rows in fields.items()} == {
        "ns": [(1, (1, 2)), (2, (3, 4))],
        "ew": [(1, (5, 6)), (1, (7, 8))],
    }


def test_all_compete_with_each_other_where_they_change_direction_or_have_played_one_round_only() -> None:
    first = PlayedRound(1, (table(1, ((1, 2), (5, 6)), 9, 4), table(2, ((3, 4), (7, 8)), 8, 5)))
    second = PlayedRound(2, (table(1, ((7, 8), (1, 2)), 9, 4), table(2, ((3, 4), (5, 6)), 8, 5)))
    for rounds in ((), (first,), (first, second)):
        assert split_fields(standings(EIGHT, rounds, TRICKS, unit=2), rounds) == {}
