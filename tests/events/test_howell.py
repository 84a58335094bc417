"""The laws of the Howell movement."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest

from scorekeeper.events.formats.howell import FORMAT, movement
from scorekeeper.events.formats.pairs import Movement, rounds_to_meet

from .pair_counts import SIZES, directions, every_two, meetings, tables

EVEN, ODD = SIZES[::2], SIZES[1::2]
BALANCED = (8, 12, 16, 20, 24, 32, 36)
LARGE = (41, 42, 44, 52, 64, 76, 99, 100, 130)  # their starters are searched, not stored


def whole(pairs: int) -> Movement:
    return movement(pairs, rounds_to_meet(pairs))


@pytest.mark.parametrize("sizes", [SIZES, LARGE])
def test_every_two_pairs_meet_exactly_once(sizes: range) -> None:
    for pairs in sizes:
        assert meetings(FORMAT.schedule(2 * pairs)) == dict.fromkeys(map(frozenset, every_two(pairs)), 1), pairs


@pytest.mark.parametrize("sizes", [SIZES, LARGE])
def test_every_pair_plays_every_set_of_boards_exactly_once(sizes: range) -> None:
    """But the one that it would have played when it sits out."""
    for pairs in sizes:
        played = Counter(
            (pair, encounter.boards)
            for encounters in whole(pairs)
            for encounter in encounters
            for pair in (encounter.north_south, encounter.east_west)
        )
        assert set(played.values()) == {1}, pairs
        assert {boards for _, boards in played} == set(range(1, rounds_to_meet(pairs) + 1)), pairs
        assert Counter(pair for pair, _ in played) == dict.fromkeys(range(1, pairs + 1), pairs - 1), pairs


@pytest.mark.parametrize("sizes", [SIZES[5:], LARGE])
def test_from_seven_pairs_on_a_set_of_boards_is_at_one_table_only_in_a_round(sizes: range) -> None:
    for pairs in sizes:
        for encounters in whole(pairs):
            assert len({encounter.boards for encounter in encounters}) == len(encounters), pairs


@pytest.mark.parametrize("pairs", [3, 4, 5, 6])
def test_up_to_six_pairs_all_tables_play_the_boards_of_the_round(pairs: int) -> None:
    for number, encounters in enumerate(whole(pairs), start=1):
        assert {encounter.boards for encounter in encounters} == {number}


def test_an_even_number_of_pairs_plays_one_round_less_and_an_odd_number_as_many_rounds_as_there_are_pairs() -> None:
    for pairs in SIZES:
        assert len(FORMAT.schedule(2 * pairs).rounds) == (pairs if pairs % 2 else pairs - 1)


def test_one_pair_of_an_even_number_stays_north_south_at_table_1() -> None:
    for pairs in EVEN:
        assert {tables(of_round)[0][0] for of_round in FORMAT.schedule(2 * pairs).rounds} == {pairs}


def test_every_other_pair_sits_down_where_the_pair_one_number_lower_sat() -> None:
    for pairs in SIZES:
        moving = rounds_to_meet(pairs)
        following = {pair: pair % moving + 1 for pair in range(1, moving + 1)} | ({} if pairs % 2 else {pairs: pairs})
        rounds = [tables(of_round) for of_round in FORMAT.schedule(2 * pairs).rounds]
        for before, after in pairwise(rounds):
            assert after == [(following[first], following[second]) for first, second in before], pairs


def test_a_table_plays_the_sets_of_boards_in_turn() -> None:
    for pairs in SIZES:
        rounds = [[encounter.boards for encounter in encounters] for encounters in whole(pairs)]
        for before, after in pairwise(rounds):
            assert after == [boards % rounds_to_meet(pairs) + 1 for boards in before], pairs


def test_every_pair_that_moves_sits_in_both_directions_equally_often_or_nearly_so() -> None:
    for pairs in SIZES:
        north_south, east_west = directions(FORMAT.schedule(2 * pairs))
        difference = {east_west[pair] - north_south[pair] for pair in range(1, rounds_to_meet(pairs) + 1)}
        assert difference == ({0} if pairs % 2 else {1}), pairs


def test_every_pair_of_an_odd_number_sits_out_once() -> None:
    for pairs in ODD:
        assert FORMAT.schedule(2 * pairs).times_sat_out() == dict.fromkeys(range(1, 2 * pairs + 1), 1), pairs


def comparisons(pairs: int) -> Counter[frozenset[int]]:
    """Count how often every two pairs hold the same cards."""
    held: dict[tuple[int, int], list[int]] = {}
    for encounters in whole(pairs):
        for encounter in encounters:
            for direction, pair in enumerate(encounter[:2]):
                held.setdefault((encounter.boards, direction), []).append(pair)
    return Counter(frozenset(two) for holders in held.values() for two in combinations(holders, 2))


@pytest.mark.parametrize("pairs", BALANCED)
def test_some_movements_are_completely_balanced(pairs: int) -> None:
    assert comparisons(pairs) == dict.fromkeys(map(frozenset, every_two(pairs)), pairs // 2 - 1)


def test_in_the_others_every_two_pairs_hold_the_same_cards_nearly_equally_often() -> None:
    for pairs in set(EVEN[3:]) - set(BALANCED):
        counts = comparisons(pairs)
        assert len(counts) == pairs * (pairs - 1) // 2, pairs
        assert max(counts.values()) - min(counts.values()) == (4 if pairs in (28, 40) else 2), pairs
