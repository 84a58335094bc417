"""The laws of the Mitchell movement."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from scorekeeper.events.formats.mitchell import FORMAT, Options, max_rounds, movement
from scorekeeper.events.schedule import Schedule

from .pair_counts import SIZES, meetings, sitting_out, tables


def east_west_places(schedule: Schedule) -> list[dict[int, int]]:
    """Return for each round the table of each East-West pair; who sits out is at the table after the last."""
    return [
        {east_west: table for table, (_, east_west) in enumerate(tables(of_round), start=1)}
        | {pair: len(of_round.tables) + 1 for pair in sitting_out(of_round)}
        for of_round in schedule.rounds
    ]


def test_east_west_pairs_move_up_one_table_and_once_two_if_the_number_of_tables_is_even() -> None:
    for pairs in SIZES:
        places = east_west_places(FORMAT.schedule(2 * pairs))
        here = len(places[0])
        steps = [{(after[pair] - before[pair]) % here for pair in before} for before, after in pairwise(places)]
        skips = [number for number, step in enumerate(steps, start=1) if step != {1}]
        assert skips == ([] if here % 2 or here == 2 else [here // 2]), pairs
        assert all(steps[number - 1] == {2} for number in skips), pairs


@pytest.mark.parametrize("even_tables", ["skip", "relay"])
def test_no_pair_plays_a_set_of_boards_twice(even_tables: str) -> None:
    for pairs in SIZES:
        played = Counter(
            (pair, encounter.boards)
            for encounters in movement(pairs, max_rounds(pairs, even_tables), even_tables)
            for encounter in encounters
            for pair in (encounter.north_south, encounter.east_west)
        )
        assert set(played.values()) == {1}, pairs


@pytest.mark.parametrize("tables", [2, 4, 6, 8, 20])
def test_with_relay_and_share_every_pair_meets_all_of_the_other_direction(tables: int) -> None:
    """A set rests between the tables in the middle, the first and the last table share; boards go down a station."""
    schedule = FORMAT.under(Options("relay")).schedule(4 * tables)
    expected = {
        frozenset((first, tables + second)) for first in range(1, tables + 1) for second in range(1, tables + 1)
    }
    assert meetings(schedule) == dict.fromkeys(expected, 1)
    stations = [[*boards[: tables // 2], None, *boards[tables // 2 :]] for boards in schedule.boards]
    for boards in stations:
        assert boards[0] == boards[-1]
        boards[tables // 2] = next(iter(set(range(tables)) - set(boards)))
    for before, after in pairwise(stations):
        assert after[:-1] == before[1:]
