"""The laws of a round robin of pairs."""

from __future__ import annotations

from scorekeeper.events.formats.pairs import rounds_to_meet
from scorekeeper.events.formats.round_robin import FORMAT, movement

from .pair_counts import SIZES, directions, every_two, meetings, tables


def test_every_two_pairs_meet_exactly_once() -> None:
    for pairs in SIZES:
        assert meetings(FORMAT.schedule(2 * pairs)) == dict.fromkeys(map(frozenset, every_two(pairs)), 1), pairs


def test_an_even_number_of_pairs_plays_one_round_less_and_an_odd_number_as_many_rounds_as_there_are_pairs() -> None:
    for pairs in SIZES:
        assert len(FORMAT.schedule(2 * pairs).rounds) == (pairs if pairs % 2 else pairs - 1)


def test_every_pair_of_an_odd_number_sits_out_once() -> None:
    for pairs in SIZES[1::2]:
        assert FORMAT.schedule(2 * pairs).times_sat_out() == dict.fromkeys(range(1, 2 * pairs + 1), 1), pairs


def test_every_pair_sits_in_both_directions_equally_often_or_nearly_so() -> None:
    for pairs in SIZES:
        north_south, east_west = directions(FORMAT.schedule(2 * pairs))
        difference = {abs(north_south[pair] - east_west[pair]) for pair in range(1, pairs + 1)}
        assert difference == ({0} if pairs % 2 else {1}), pairs


def test_directions_are_nearly_balanced_whenever_the_event_ends() -> None:
    for pairs in SIZES:
        balance = dict.fromkeys(range(1, pairs + 1), 0)
        for of_round in FORMAT.schedule(2 * pairs).rounds:
            for north_south, east_west in tables(of_round):
                balance[north_south] += 1
                balance[east_west] -= 1
            assert max(map(abs, balance.values())) <= 2, pairs


def test_all_tables_play_the_boards_of_the_round() -> None:
    for pairs in SIZES:
        for number, encounters in enumerate(movement(pairs, rounds_to_meet(pairs))):
            assert {encounter.boards for encounter in encounters} == {number}, pairs
