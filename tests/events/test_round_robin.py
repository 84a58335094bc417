"""The laws of a round robin of pairs."""

from __future__ import annotations

from scorekeeper.events.formats.pairs import FORMAT

from .pair_counts import SIZES, every_two, meetings, tables


def test_every_two_pairs_meet_exactly_once() -> None:
    for pairs in SIZES:
        assert meetings(FORMAT.schedule(2 * pairs)) == dict.fromkeys(map(frozenset, every_two(pairs)), 1), pairs


def test_directions_are_nearly_balanced_whenever_the_event_ends() -> None:
    for pairs in SIZES:
        balance = dict.fromkeys(range(1, pairs + 1), 0)
        for of_round in FORMAT.schedule(2 * pairs).rounds:
            for north_south, east_west in tables(of_round):
                balance[north_south] += 1
                balance[east_west] -= 1
            assert max(map(abs, balance.values())) <= 2, pairs
