"""The laws of the Howell movement."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise, product

import pytest

from scorekeeper.events.formats.howell import FORMAT, Options, movement
from scorekeeper.events.formats.howell_starters import starter
from scorekeeper.events.formats.pairs import Movement, rounds_to_meet

from .pair_counts import SIZES, directions, every_two, meetings, tables

EVEN, ODD = SIZES[::2], SIZES[1::2]
BALANCED = (8, 12, 16, 20, 24, 32, 36)
LARGE = (41, 42, 44, 52, 64, 76, 99, 100, 130)  # their starters are searched, not stored


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


@pytest.mark.parametrize("sizes", [SIZES[5:], LARGE])
def test_from_seven_pairs_on_a_set_of_boards_is_at_one_table_only_in_a_round(sizes: range) -> None:
    for pairs in sizes:
        for encounters in whole(pairs):
            assert len({encounter.boards for encounter in encounters}) == len(encounters), pairs


@pytest.mark.parametrize("pairs", [3, 4, 5, 6])
def test_up_to_six_pairs_all_tables_play_the_boards_of_the_round(pairs: int) -> None:
    for number, encounters in enumerate(whole(pairs)):
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
            assert after == [(boards + 1) % rounds_to_meet(pairs) for boards in before], pairs


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


def test_table_1_begins_with_the_first_set_of_boards() -> None:
    for pairs in SIZES:
        assert whole(pairs)[0][0].boards == 0, pairs


@pytest.mark.parametrize("pairs", [7, 8, 9, 10])
def test_from_seven_to_ten_pairs_two_layouts_have_each_set_at_one_table_only(pairs: int) -> None:
    """These and no others, up to the order of the sets: tried are all."""
    moving = rounds_to_meet(pairs)
    tables = starter(moving)
    found = set()
    for others in product(range(1, moving), repeat=len(tables) - 1):
        sets = (0, *others)
        differences = {
            (pair - boards) % moving for table, boards in zip(tables, sets, strict=True) for pair in table[:2]
        }
        if len(set(sets)) == len(tables) and len(differences) == 2 * len(tables):
            found.add(sets)
    layouts = [[table.boards for table in whole(pairs, layout)[0]][-len(tables) :] for layout in ("usual", "other")]
    assert found == {tuple((boards - layout[0]) % moving for boards in layout) for layout in layouts}
    assert len(found) == 2


@pytest.mark.parametrize("pairs", [3, 4, 11, 12])
def test_elsewhere_the_other_layout_is_the_same(pairs: int) -> None:
    assert FORMAT.under(Options("other")).schedule(2 * pairs) == FORMAT.schedule(2 * pairs)


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


@pytest.mark.parametrize("pairs", [7, 8])
def test_the_usual_layout_of_four_tables_has_the_same_sets_in_play_as_the_published_one(pairs: int) -> None:
    ours = [{each.boards for each in of_round} for of_round in whole(pairs)]
    theirs = [{boards for _, boards in of_round} for of_round in published(pairs)]
    shift = next(by for by in range(7) if {(each + by) % 7 for each in ours[0]} == theirs[0])
    assert [{(each + shift) % 7 for each in of_round} for of_round in ours] == theirs
    assert ours[0] == {7: {0, 2, 3}, 8: {0, 3, 5, 6}}[pairs]


@pytest.mark.parametrize("pairs", [5, 6])
def test_the_other_layout_of_three_tables_is_the_published_one_with_a_relay(pairs: int) -> None:
    for past, (ours, sets) in enumerate(zip(whole(pairs, "other"), PUBLISHED_RELAY, strict=True)):
        met = [[(pair - 1 + past) % 5 + 1 if pair < 6 else 6 for pair in two] for two in ((6, 1), (4, 3), (2, 5))]
        theirs = {(frozenset(two), boards) for two, boards in zip(met, sets, strict=True) if max(two) <= pairs}
        assert {(frozenset(each[:2]), each.boards) for each in ours} == theirs
