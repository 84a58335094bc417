"""The laws of the movements of pairs: round robin, Howell and Mitchell."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest

from scorekeeper.events.drawing import EventRound, Pair, Schedule
from scorekeeper.events.formats import FORMATS
from scorekeeper.events.formats.scheduled import HOWELL, MITCHELL, rounds_to_meet

from .evenings import schedule

SIZES = range(2, 41)  # pairs
EVEN = SIZES[::2]
LARGE = (41, 42, 44, 52, 64, 76, 99, 100)


def pair_number(players: tuple[int, int]) -> int:
    """Return k for players 2k − 1 and 2k, who are the only partners there are."""
    first, second = players
    assert first % 2 == 1, players
    assert second == first + 1, players
    return second // 2


def tables(of_round: EventRound) -> list[Pair]:
    return [(pair_number(north_south), pair_number(east_west)) for north_south, east_west in of_round.tables]


def sitting_out(of_round: EventRound) -> list[int]:
    idle = of_round.sits_out
    return [pair_number(pair) for pair in zip(idle[::2], idle[1::2], strict=True)]


def meetings(schedule: Schedule) -> Counter[frozenset[int]]:
    return Counter(frozenset(pairs) for of_round in schedule.rounds for pairs in tables(of_round))


def whole(pairs: int) -> list[list[tuple[int, int, int]]]:
    """Return for each round and table who meets, North-South first, and on which boards."""
    event = schedule(HOWELL, 2 * pairs)
    return [
        [(*two, sets) for two, sets in zip(tables(of_round), boards, strict=True)]
        for of_round, boards in zip(event.rounds, event.boards, strict=True)
    ]


@pytest.mark.parametrize(("slug", "sizes"), [("round-robin", SIZES), ("howell", SIZES), ("howell", LARGE)])
def test_every_two_pairs_meet_exactly_once(slug: str, sizes: range) -> None:
    for pairs in sizes:
        expected = dict.fromkeys(map(frozenset, combinations(range(1, pairs + 1), 2)), 1)
        assert meetings(schedule(FORMATS[slug], 2 * pairs)) == expected, pairs


@pytest.mark.parametrize("sizes", [SIZES, LARGE])
def test_every_pair_plays_every_set_of_boards_exactly_once(sizes: range) -> None:
    """But the one that it would have played when it sits out."""
    for pairs in sizes:
        played = Counter((pair, boards) for of_round in whole(pairs) for *two, boards in of_round for pair in two)
        assert set(played.values()) == {1}, pairs
        assert {boards for _, boards in played} == set(range(rounds_to_meet(pairs))), pairs
        assert Counter(pair for pair, _ in played) == dict.fromkeys(range(1, pairs + 1), pairs - 1), pairs


def test_one_pair_of_an_even_number_stays_north_south_at_table_1() -> None:
    for pairs in EVEN:
        assert {tables(of_round)[0][0] for of_round in schedule(HOWELL, 2 * pairs).rounds} == {pairs}


# --- published movements ---------------------------------------------------------------------------------------

# First rounds as github.com/thebridsk/bridgescorer has them, a scorer for duplicate bridge: North-South, East-West and
# boards. A pair follows the pair one number lower, boards go up by one.
PUBLISHED = {
    8: "8-1-0 3-6-3 2-7-5 5-4-6",
    10: "7-3-0 5-2-1 10-1-2 9-8-3 4-6-4",
    12: "12-1-0 6-7-3 11-4-5 3-9-7 2-5-8 10-8-10",
    14: "5-12-0 2-4-1 9-10-2 14-1-3 8-13-4 7-11-5 6-3-6",
}


def published(pairs: int) -> list[set[tuple[frozenset[int], int]]]:
    """Return for each round who met, and on which boards; without the stationary pair of an odd number of pairs."""
    even = pairs + pairs % 2
    moving = even - 1
    first = [tuple(map(int, table.split("-"))) for table in PUBLISHED[even].split()]

    def later(pair: int, past: int) -> int:
        return pair if pair == even else (pair - 1 + past) % moving + 1

    rounds = [
        {(frozenset((later(ns, past), later(ew, past))), (boards + past) % moving) for ns, ew, boards in first}
        for past in range(moving)
    ]
    return [{(met, boards) for met, boards in of_round if max(met) <= pairs} for of_round in rounds]


@pytest.mark.parametrize("pairs", range(7, 15))
def test_boards_are_shared_out_as_in_published_movements(pairs: int) -> None:
    """Seats differ, as ours were searched for balance; what a pair meets and plays does not."""

    def laws(rounds: list[set[tuple[frozenset[int], int]]]) -> list[Counter[object]]:
        flat = [(met, boards) for of_round in rounds for met, boards in of_round]
        in_round = Counter((number, boards) for number, of_round in enumerate(rounds) for _, boards in of_round)
        return [
            Counter(met for met, _ in flat),
            Counter(in_round.values()),
            Counter(boards for _, boards in flat),
            Counter(Counter((pair, boards) for met, boards in flat for pair in met).values()),
        ]

    ours = [{(frozenset(each[:2]), each[2]) for each in of_round} for of_round in whole(pairs)]
    assert laws(ours) == laws(published(pairs))


# --- Mitchell and round robin ------------------------------------------------------------------------------------


def east_west_places(event: Schedule) -> list[dict[int, int]]:
    """Return for each round the table of each East-West pair; who sits out is at the table after the last."""
    return [
        {east_west: table for table, (_, east_west) in enumerate(tables(of_round), start=1)}
        | {pair: len(of_round.tables) + 1 for pair in sitting_out(of_round)}
        for of_round in event.rounds
    ]


def test_east_west_pairs_move_up_one_table_and_once_two_if_the_number_of_tables_is_even() -> None:
    for pairs in SIZES:
        places = east_west_places(schedule(MITCHELL, 2 * pairs))
        here = len(places[0])
        steps = [{(after[pair] - before[pair]) % here for pair in before} for before, after in pairwise(places)]
        skips = [number for number, step in enumerate(steps, start=1) if step != {1}]
        assert skips == ([] if here % 2 or here == 2 else [here // 2]), pairs
        assert all(steps[number - 1] == {2} for number in skips), pairs


@pytest.mark.parametrize("even_tables", ["skip", "relay"])
def test_no_pair_plays_a_set_of_boards_twice(even_tables: str) -> None:
    for pairs in SIZES:
        event = schedule(MITCHELL, 2 * pairs, options=MITCHELL.options(even_tables))
        played = Counter(
            (pair, sets)
            for of_round, boards in zip(event.rounds, event.boards, strict=True)
            for two, sets in zip(tables(of_round), boards, strict=True)
            for pair in two
        )
        assert set(played.values()) == {1}, pairs


@pytest.mark.parametrize("number", [2, 4, 6, 8, 20])
def test_with_relay_and_share_every_pair_meets_all_of_the_other_direction(number: int) -> None:
    """A set rests between the number in the middle, the first and the last table share; boards go down a station."""
    event = schedule(MITCHELL, 4 * number, options=MITCHELL.options("relay"))
    expected = {
        frozenset((first, number + second)) for first in range(1, number + 1) for second in range(1, number + 1)
    }
    assert meetings(event) == dict.fromkeys(expected, 1)
    stations = [[*boards[: number // 2], None, *boards[number // 2 :]] for boards in event.boards]
    for boards in stations:
        assert boards[0] == boards[-1]
        boards[number // 2] = next(iter(set(range(number)) - set(boards)))
    for before, after in pairwise(stations):
        assert after[:-1] == before[1:]


def test_directions_are_nearly_balanced_whenever_the_event_ends() -> None:
    for pairs in SIZES:
        balance = dict.fromkeys(range(1, pairs + 1), 0)
        for of_round in schedule(FORMATS["round-robin"], 2 * pairs).rounds:
            for north_south, east_west in tables(of_round):
                balance[north_south] += 1
                balance[east_west] -= 1
            assert max(map(abs, balance.values())) <= 2, pairs
