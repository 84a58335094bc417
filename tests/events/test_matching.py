"""Who meets whom at the least cost, and whether so many more rounds are possible."""

from __future__ import annotations

import pytest

from scorekeeper.events.drawing import RoundDraw
from scorekeeper.events.formats import find_format
from scorekeeper.events.history import History
from scorekeeper.events.matching import match
from scorekeeper.events.round_search import UndecidedError, find_rounds
from scorekeeper.events.schedule import EventRound, Table, ordered

from .evenings import everybody, play


def test_those_far_apart_meet_if_it_is_too_costly_for_those_near_each_other() -> None:
    """60 apart in a row of 120: neither the first try finds it nor the second."""
    pairs = match(range(120), lambda one, other: 0 if other - one == 60 else 9, high_cost=9)
    assert pairs == [(one, one + 60) for one in range(60)]


def test_those_near_each_other_meet_if_that_is_cheap_enough() -> None:
    assert match("dcba", lambda one, other: abs(ord(one) - ord(other)) == 1, high_cost=2) == [("d", "b"), ("c", "a")]


def groups(*sizes: int) -> dict[int, set[int]]:
    """Return pairs who may meet those of their own group only."""
    starts = [sum(sizes[:at]) for at in range(len(sizes))]
    members = [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]
    return {one: {*group} - {one} for group in members for one in group}


def test_all_rounds_are_found_and_none_where_there_are_fewer() -> None:
    found = find_rounds(groups(4, 6), 3)
    assert found is not None
    assert [sorted(number for two in of_round for number in two) for of_round in found] == [[*range(10)]] * 3
    assert len({ordered(two) for of_round in found for two in of_round}) == 15
    assert find_rounds(groups(4, 6), 4) is None  # nobody of the four has a fourth opponent
    assert find_rounds(groups(3, 5), 1) is None  # one of each group is left over
    with pytest.raises(UndecidedError):
        find_rounds(groups(11, 13), 1)


def test_a_round_is_drawn_where_nobody_can_say_in_time_whether_others_remain() -> None:
    """All of two odd groups have met across: one pair of each has to meet again."""
    ours, theirs = range(1, 12), range(12, 25)

    def seat(at: int, shift: int) -> Table:
        one, other = ours[at], theirs[(at + shift) % 13]
        return (2 * one - 1, 2 * one), (2 * other - 1, 2 * other)

    drawn = [EventRound(tuple(seat(at, shift) for at in range(11)), ()) for shift in range(13)]
    earlier = tuple(play(number, of_round) for number, of_round in enumerate(drawn, start=1))
    following = find_format("round-robin").draw(RoundDraw(14, 15, everybody(48), earlier))
    met = History((*earlier, play(14, following))).opponents
    assert sum(met[ordered((first[1], second[1]))] > 1 for first, second in following.tables) == 1
