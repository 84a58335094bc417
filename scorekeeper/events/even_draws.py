"""Rounds that are drawn evenly from those so far, where a format has no schedule or its schedule does not hold.

As long as those who play are the same and nobody keeps a table, a round is the schedule's. Once members come late or
leave early, and where there are more players than a schedule is stored for, it is drawn here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any, TypeVar

from .drawing import EventRound, Pair, Pairs, PlayedRound, RoundDraw, Schedule, count_meetings, list_tables, ordered

NORTH_SOUTH = 0  # the side of a table; East–West is 1


class History:
    """The rounds so far, counted by numbers, or by pairs of numbers, the lower one first."""

    def __init__(self, earlier: Sequence[PlayedRound]) -> None:
        self.partners, self.opponents = count_meetings(list_tables(earlier))
        self.rounds_played: Counter[int] = Counter()
        self.sat_out: Counter[int] = Counter()
        self.last_sat_out: dict[int, int] = {}  # the round
        self.directions: Counter[int] = Counter()  # how many times more North–South than East–West
        self.last_table: dict[int, int] = {}
        self.last_side: dict[int, int] = {}
        self.last_seat: dict[int, int] = {}  # in the pair, 0 or 1
        for played in earlier:
            self.sat_out.update(played.sits_out)
            self.last_sat_out |= dict.fromkeys(played.sits_out, played.number)
            for table, side, seat in product(played.tables, (0, 1), (0, 1)):
                number = table.pairs[side][seat]
                self.rounds_played[number] += 1
                self.directions[number] += 1 if side == NORTH_SOUTH else -1
                self.last_table[number], self.last_side[number], self.last_seat[number] = table.number, side, seat

    def homes(self, stationary: Iterable[int], tables: int) -> dict[int, int]:
        """Return the table of each of those who keep theirs.

        Of two with the same table the first keeps it. The other one moves, as does one whose table is not needed now.
        """
        homes: dict[int, int] = {}
        for number in stationary:
            table = self.last_table.get(number, 0)
            if 0 < table <= tables and table not in homes.values():
                homes[number] = table
        return homes

    def rank_to_sit_out(self, number: int) -> tuple[int, int]:
        """Rank first those who have played most, of these the ones who sat out longest ago."""
        return -self.rounds_played[number], self.last_sat_out.get(number, 0)


def draw_scheduled(
    build: Callable[[int, int, Any], Schedule],
    draw: RoundDraw,
    *,
    in_pairs: bool = False,
    keeps_directions: bool = False,
) -> EventRound:
    """Return the schedule's next round, if the rounds so far were the schedule's; otherwise draw one evenly.

    Raises UnschedulableError. keeps_directions: pairs stay North–South, at their tables, or East–West, as far as the
    numbers allow.
    """
    numbers = present = [member.number for member in draw.present]
    if in_pairs:
        numbers = [number for pair in draw.pairs for number in partners(pair)]
    rounds = build(len(numbers), draw.number, draw.options).rounds
    if len(rounds) == draw.number and not draw.stationary:
        others = [number for number in present if number not in numbers]
        numbered = [of_round.with_numbers(numbers, others) for of_round in rounds]
        if numbered[:-1] == [played.as_drawn() for played in draw.earlier]:
            return numbered[-1]
    return draw_pairs_evenly(draw, keeps_directions) if in_pairs else draw_evenly(draw)


# --- who meets whom ----------------------------------------------------------------------------------------
# Anybody could meet anybody, but a matching of all with all takes minutes for a thousand. So those who are near each
# other in the given order are matched first, and more are added only while the search finds no good matching.

NEAR = 20  # so far apart in the order are those who are matched at first
FURTHER = 5  # times further at each further try

T = TypeVar("T", bound=Hashable)


def match(players: Sequence[T], cost: Callable[[T, T], int], high_cost: int) -> list[tuple[T, T]]:
    """Match an even number of players, or of pairs or forts; return the meetings in order of the first of each.

    cost: the cost of a meeting, 0 or more. The sum is the least possible, at least among those near each other.
    high_cost: the cost of a meeting from which on those further away are tried, too; the sum is then the least of all.
    """
    import networkx  # noqa: PLC0415  # takes a tenth of a second, and few requests draw a round

    near, last = NEAR, len(players) - 1
    while True:
        costs = {
            (first, second): cost(players[first], players[second])
            for first in range(last)
            for second in (*range(first + 1, min(first + near + 1, last)), last)  # the last one is near to all
        }
        graph, most = networkx.Graph(), max(costs.values()) + 1
        graph.add_weighted_edges_from((first, second, most - each) for (first, second), each in costs.items())
        matching = networkx.max_weight_matching(graph, maxcardinality=True)
        matched = sorted((min(meeting), max(meeting)) for meeting in matching)
        is_whole = 2 * len(matched) == len(players) and all(costs[meeting] < high_cost for meeting in matched)
        if is_whole or near >= len(players):
            return [(players[first], players[second]) for first, second in matched]
        near *= FURTHER


def seat_at_homes(parties: Sequence[T], homes: Mapping[int, T]) -> list[T]:
    """Return who is at each table, from the first: those who have a home there, and the others in their order."""
    others = (party for party in parties if party not in homes.values())
    return [homes[table] if table in homes else next(others) for table in range(1, len(parties) + 1)]


# --- single players ----------------------------------------------------------------------------------------
# First everybody gets a partner and then every pair its opponents, each time at the least cost. Then players change
# seats as long as this makes opponents more even and partners no worse.

AGAIN = 10**9  # what it costs that two are partners again; more than all opponents together
APART = 10**15  # that two are at one table who both keep another one
EXCHANGES = 4_000  # tried at most: with many tables there is little to gain
_EXCHANGES_OF_TABLES = 16  # tried for each two tables, as often as they have two seats
_SEATS = ((0, 0), (0, 1), (1, 0), (1, 1))


def draw_evenly(draw: RoundDraw) -> EventRound:
    """Draw a round of single players; of those who have played most, the remainder of the division by 4 sits out."""
    history, random = History(draw.earlier), draw.random()
    numbers = [member.number for member in draw.present]
    random.shuffle(numbers)
    sits_out = set(sorted(numbers, key=history.rank_to_sit_out)[: len(numbers) % 4])
    playing = [number for number in numbers if number not in sits_out]
    homes = history.homes(sorted(draw.stationary - sits_out), len(playing) // 4)
    tables = _seat_evenly(playing, history, homes, random)
    kept = {homes[number]: table for table in tables for pair in table for number in pair if number in homes}
    return EventRound(tuple(seat_at_homes(tables, kept)), tuple(sorted(sits_out)))


def _seat_evenly(numbers: list[int], history: History, homes: Mapping[int, int], random: Random) -> list[Pairs]:
    def cost_apart(*numbers: int) -> int:
        return APART * (sum(number in homes for number in numbers) > 1)

    def cost_again(pair: Pair) -> int:
        return AGAIN * history.partners[ordered(pair)] ** 2

    def cost_opponents(first: Pair, second: Pair) -> int:
        return cost_apart(*first, *second) + sum(history.opponents[ordered(two)] ** 2 for two in product(first, second))

    def cost(table: Pairs) -> int:
        return cost_opponents(*table) + sum(map(cost_again, table))

    pairs = match(numbers, lambda one, other: cost_apart(one, other) + cost_again((one, other)), AGAIN)
    random.shuffle(pairs)
    tables = match(pairs, cost_opponents, APART)
    costs = [cost(table) for table in tables]
    for _ in range(min(EXCHANGES, _EXCHANGES_OF_TABLES * len(tables) * (len(tables) - 1))):
        first, second = random.sample(range(len(tables)), 2)
        if not costs[first] + costs[second]:
            continue
        new = _exchange(tables[first], tables[second], random.choice(_SEATS), random.choice(_SEATS))
        new_costs = [cost(table) for table in new]
        if sum(new_costs) < costs[first] + costs[second]:
            tables[first], tables[second] = new
            costs[first], costs[second] = new_costs
    return tables


def _exchange(first: Pairs, second: Pairs, seat: Pair, other: Pair) -> tuple[Pairs, Pairs]:
    """Return two tables after one player of each, who have these seats, has taken the other's."""
    one, two = first[seat[0]][seat[1]], second[other[0]][other[1]]
    swapped = {one: two, two: one}
    (a, b), (c, d), (e, f), (g, h) = (tuple(swapped.get(who, who) for who in pair) for pair in (*first, *second))
    return ((a, b), (c, d)), ((e, f), (g, h))


# --- pairs -------------------------------------------------------------------------------------------------
# Pair k is players 2k − 1 and 2k. A pair plays if both are there. With an odd number of pairs, one that has played as
# often as any other sits out. What matters most comes first: sitting out evenly, keeping the tables of those who keep
# them, meeting others, and then what the format adds.

MEET_AGAIN = 10**12  # what it costs that two pairs meet again; more than all that formats add
MOVED = 10**18  # that one of them leaves the table that it keeps
UNEVEN = 10**24  # that a pair sits out which has played less than others
NEVER = 10**27  # that two meet whose meeting is ruled out
NOBODY = 0  # in place of a pair: the other one sits out
MAX_PLACES = 24  # pairs, counting the place to sit out at; with more, no event has rounds enough
MAX_STEPS = 3_000  # of a search for the rounds to come, before it gives up

FormatCost = Callable[[int, int], int]


def partners(pair: int) -> Pair:
    return 2 * pair - 1, 2 * pair


def draw_pairs_evenly(draw: RoundDraw, keeps_directions: bool) -> EventRound:
    """Draw a round in which nobody meets the same pair again, if that is possible."""
    pairs = PairDraw(draw, keeps_directions)
    order = pairs.random.sample(pairs.pairs, len(pairs.pairs))
    sides = {pair: pairs.history.last_side.get(2 * pair, -pair) for pair in pairs.pairs}  # below 0: none yet
    return pairs.draw(order, lambda one, other: int(keeps_directions and sides[one] == sides[other]), lambda _: 0)


class PairDraw:
    """The pairs of a round that is to be drawn, and what the rounds so far say about them."""

    def __init__(self, draw: RoundDraw, keeps_directions: bool = False) -> None:
        self.pairs = draw.pairs
        self.history = History(draw.earlier)
        self.random = draw.random()
        self._draw, self._keeps_directions = draw, keeps_directions
        self._stationary = {(number + 1) // 2 for number in draw.stationary}
        sides = self.history.last_side
        north_south = [pair for pair in self.pairs if keeps_directions and sides.get(2 * pair) == NORTH_SOUTH]
        # First those that need their tables.
        keeping = sorted({*self._stationary, *north_south}, key=lambda pair: (pair not in self._stationary, pair))
        homes = self.history.homes((2 * pair for pair in keeping), len(self.pairs) // 2)
        self._homes = {number // 2: table for number, table in homes.items()}
        self._most_played = max(self.history.rounds_played[2 * pair] for pair in self.pairs)

    def draw(self, order: list[int], cost: FormatCost, sitting_out_cost: Callable[[int], int]) -> EventRound:
        """Return the round; tables come in this order of the pairs.

        Costs of the format are below MEET_AGAIN, even all together.
        """

        def whole_cost(first: int, second: int) -> int:
            if NOBODY in (first, second):
                pair = max(first, second)
                return UNEVEN * (self._most_played - self.history.rounds_played[2 * pair]) + sitting_out_cost(pair)
            again = MEET_AGAIN * self._count_met(first, second) ** 2
            return MOVED * self._both_keep_tables(first, second) + again + cost(first, second)

        places = [*order, *([NOBODY] if len(order) % 2 else [])]
        matched = match(places, whole_cost, MEET_AGAIN)
        # There may be too few rounds left in which nobody meets again, unless one looks ahead.
        is_last = self._draw.number >= self._draw.rounds
        if not is_last and len(places) // 2 < self._draw.rounds and len(places) <= MAX_PLACES:
            matched = self._look_ahead(places, matched, whole_cost)
        return self._seated([two for two in matched if NOBODY not in two])

    def _count_met(self, first: int, second: int) -> int:
        return self.history.opponents[ordered((2 * first, 2 * second))]

    def _both_keep_tables(self, first: int, second: int) -> bool:
        return all(pair in self._homes and pair in self._stationary for pair in (first, second))

    def _may_meet(self, first: int, second: int) -> bool:
        if NOBODY in (first, second):
            return self.history.rounds_played[2 * max(first, second)] == self._most_played
        return not self._count_met(first, second) and not self._both_keep_tables(first, second)

    def _look_ahead(self, places: list[int], matched: list[Pair], cost: FormatCost) -> list[Pair]:
        """Return the first of these rounds after which the later ones are possible without rematches.

        They are `matched`, the cheapest one; the cheapest ones without one of its meetings; and one of a plan for all
        rounds. If the search for later rounds takes too long, it is `matched`.
        """
        possible = {one: {other for other in places if one != other and self._may_meet(one, other)} for one in places}
        rounds = min(self._draw.rounds - self._draw.number, min(map(len, possible.values())) - 1)

        def leaves_rounds(candidate: list[Pair]) -> bool:
            partner = {one: other for two in candidate for one, other in (two, two[::-1])}
            left = {pair: others - {partner.get(pair, pair)} for pair, others in possible.items()}
            is_new = all(other in possible[one] for one, other in candidate)
            return is_new and find_rounds(left, rounds) is not None

        def match_without(two: Pair) -> list[Pair]:
            return match(places, lambda one, other: NEVER if {one, other} == {*two} else cost(one, other), MEET_AGAIN)

        def total_cost(candidate: list[Pair]) -> int:
            return sum(cost(*two) for two in candidate)

        try:
            if leaves_rounds(matched):
                return matched
            others = sorted(map(match_without, matched), key=total_cost)
            planned = find_rounds(possible, rounds + 1) or [matched]
            return next(filter(leaves_rounds, others), None) or min(planned, key=total_cost)
        except UndecidedError:
            return matched

    def _seated(self, matched: list[Pair]) -> EventRound:
        homes: dict[int, Pair] = {}
        for pair, table in self._homes.items():
            two = next((two for two in matched if pair in two and two not in homes.values()), None)
            if two is not None:
                homes[table] = two
        tables = tuple(self._table(*two) for two in seat_at_homes(matched, homes))
        seated = {number for table in tables for pair in table for number in pair}
        return EventRound(tables, tuple(each.number for each in self._draw.present if each.number not in seated))

    def _table(self, first: int, second: int) -> Pairs:
        """Seat two pairs: at North–South the one that has been there less, or more if pairs stay there."""
        difference = self.history.directions[2 * first] - self.history.directions[2 * second]
        if self._keeps_directions:
            difference = -difference
        if difference > 0 or (difference == 0 and self.random.randrange(2)):
            first, second = second, first
        return partners(first), partners(second)


class UndecidedError(Exception):
    """The search has reached its limit."""


def find_rounds(not_met: Mapping[int, set[int]], rounds: int) -> list[list[Pair]] | None:
    """Search for this number of rounds in which all meet others that they have not met; None if there are none.

    Raises UndecidedError.
    """
    search = _RoundSearch(not_met)
    return search.found if search.find_rounds(rounds) else None


class _RoundSearch:
    """A search that completes round by round, beginning with those who have least choice, and goes back if it fails."""

    def __init__(self, not_met: Mapping[int, set[int]]) -> None:
        self.found: list[list[Pair]] = []  # the last one may not be complete
        self._possible = {pair: set(others) for pair, others in not_met.items()}
        self._steps = 0

    def find_rounds(self, rounds: int) -> bool:
        """Add this number of rounds to those found; return whether that is possible."""
        if rounds == 0:
            return True
        if any(len(others) < rounds for others in self._possible.values()):
            return False
        self.found.append([])
        if self._complete_round(set(self._possible), rounds - 1):
            return True
        self.found.pop()
        return False

    def _complete_round(self, free: set[int], later: int) -> bool:
        """Match those who are free in the last round, and add this number of later rounds."""
        if not free:
            return self.find_rounds(later)
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise UndecidedError
        first = min(free, key=lambda pair: (len(self._possible[pair] & free), pair))
        for second in sorted(self._possible[first] & free):
            self._possible[first].discard(second)
            self._possible[second].discard(first)
            self.found[-1].append((first, second))
            if self._complete_round(free - {first, second}, later):
                return True
            self.found[-1].pop()
            self._possible[first].add(second)
            self._possible[second].add(first)
        return False
