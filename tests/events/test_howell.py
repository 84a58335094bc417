"""The laws of the Howell movement."""

from __future__ import annotations

from collections import Counter

import pytest

from scorekeeper.events.formats.howell import FORMAT, movement
from scorekeeper.events.formats.pairs import Movement, rounds_to_meet

from .pair_counts import SIZES, every_two, meetings, tables

EVEN, ODD = SIZES[::2], SIZES[1::2]
LARGE = (41, 42, 44, 52, 64, 76, 99, 100)


def whole(pairs: int, layout: str = "usual") -> Movement:
    return movement(pairs, rounds_to_meet(pairs), layout)


@pytest.mark.parametrize("sizes", [SIZES, LARGE])
def test_every_two_pairs_meet_exactly_once(sizes: range) -> None:
    for pairs in sizes:
        assert meetings(FORMAT.schedule(2 * pairs)) == dict.fromkeys(map(frozenset, every_two(pairs)), 1), pairs


@pytest.mark.parametrize(("sizes", "layout"), [(SIZES, "usual"), (LARGE, "usual"), (range(2, 14), "other")])
def test_every_pair_plays_every_set_of_boards_exactly_once(sizes: range, layout: str) -> None:
    """But the one that it would have played when it sits out."""
    for pairs in sizes:
        played = Counter(
            (pair, encounter.boards)
            for encounters in whole(pairs, layout)
            for encounter in encounters
            for pair in (encounter.north_south, encounter.east_west)
        )
        assert set(played.values()) == {1}, pairs
        assert {boards for _, boards in played} == set(range(rounds_to_meet(pairs))), pairs
        assert Counter(pair for pair, _ in played) == dict.fromkeys(range(1, pairs + 1), pairs - 1), pairs


def test_one_pair_of_an_even_number_stays_north_south_at_table_1() -> None:
    for pairs in EVEN:
        assert {tables(of_round)[0][0] for of_round in FORMAT.schedule(2 * pairs).rounds} == {pairs}


# --- published movements ---------------------------------------------------------------------------------------

# First rounds as github.com/thebridsk/bridgescorer has them, a scorer for duplicate bridge: North-South, East-West and
# boards. A pair follows the pair one number lower, boards go up by one.
PUBLISHED = {
    8: "8-1-0 3-6-3 2-7-5 5-4-6",
    10: "7-3-0 5-2-1 10-1-2 9-8-3 4-6-4",
    12: "12-1-0 6-7-3 11-4-5 3-9-7 2-5-8 10-8-10",
    14: "5-12-0 2-4-1 9-10-2 14-1-3 8-13-4 7-11-5 6-3-6",
}
# All rounds for 6 pairs, with a relay: the sets of the tables 6-1, 4-3 and 2-5 and those that follow them there.
PUBLISHED_RELAY = ((0, 1, 3), (1, 2, 3), (2, 1, 0), (3, 2, 0), (4, 4, 4))


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
@pytest.mark.parametrize("layout", ["usual", "other"])
def test_boards_are_shared_out_as_in_published_movements(pairs: int, layout: str) -> None:
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

    ours = [{(frozenset(each[:2]), each.boards) for each in of_round} for of_round in whole(pairs, layout)]
    assert laws(ours) == laws(published(pairs))


@pytest.mark.parametrize("pairs", [5, 6])
def test_the_other_layout_of_three_tables_is_the_published_one_with_a_relay(pairs: int) -> None:
    for past, (ours, sets) in enumerate(zip(whole(pairs, "other"), PUBLISHED_RELAY, strict=True)):
        met = [[(pair - 1 + past) % 5 + 1 if pair < 6 else 6 for pair in two] for two in ((6, 1), (4, 3), (2, 5))]
        theirs = {(frozenset(two), boards) for two, boards in zip(met, sets, strict=True) if max(two) <= pairs}
        assert {(frozenset(each[:2]), each.boards) for each in ours} == theirs
