"""A round of pairs, drawn so that nobody meets the same pair again, or as few as possible do.

Pair k is players 2k − 1 and 2k. A pair plays if both are there. With an odd number of pairs, one that has played as
often as any other sits out. What matters most comes first: sitting out evenly, keeping the tables of those who keep
them, meeting others, and then what the format adds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .drawing import Member, RoundDraw
from .history import NORTH_SOUTH, History
from .matching import match
from .schedule import EventRound, Pair, Table, UnschedulableError, ordered

AGAIN = 10**12  # what it costs that two pairs meet again; more than all that formats add
MOVED = 10**18  # that one of them leaves the table that it keeps
UNEVEN = 10**24  # that a pair sits out which has played less than others
NEVER = 10**27  # that two meet whose meeting is ruled out
NOBODY = 0  # whoever meets it sits out

FormatCost = Callable[[int, int], int]


def partners(pair: int) -> Pair:
    """Return the two players of a pair."""
    return 2 * pair - 1, 2 * pair


def pairs_present(members: tuple[Member, ...]) -> list[int]:
    """Return the pairs of which both are there."""
    numbers = {member.number for member in members}
    pairs = [number // 2 for number in sorted(numbers) if number % 2 == 0 and number - 1 in numbers]
    if len(pairs) < 2:
        raise UnschedulableError("too-few-pairs", pairs=len(pairs))
    return pairs


class PairDraw:
    """A draw of a round of pairs."""

    def __init__(self, draw: RoundDraw, keeps_directions: bool = False) -> None:
        """Read the rounds so far.

        keeps_directions: pairs stay North–South, at their tables, or East–West, as far as the numbers allow.
        """
        self.pairs = pairs_present(draw.present)
        self.history = History(draw.earlier)
        self.random = draw.random()
        self._number, self._rounds_to_come = draw.number, draw.rounds - draw.number
        self._numbers = [member.number for member in draw.present]
        self._keeps_directions = keeps_directions
        self._stationary = {(number + 1) // 2 for number in draw.stationary}
        homes = self.history.homes((2 * pair for pair in self._keeping_tables()), len(self.pairs) // 2)
        self._homes = {number // 2: table for number, table in homes.items()}
        self._most_played = max(self.history.played[2 * pair] for pair in self.pairs)

    def _keeping_tables(self) -> list[int]:
        """Return the pairs that keep their tables, first those that need it."""
        north_south = [pair for pair in self.pairs if self._keeps_directions and self.side(pair) == NORTH_SOUTH]
        return sorted({*self._stationary, *north_south}, key=lambda pair: (pair not in self._stationary, pair))

    def side(self, pair: int) -> int | None:
        """Return where a pair sat last, None if it has not played."""
        return self.history.last_side.get(2 * pair)

    def times_met(self, first: int, second: int) -> int:
        """Return in how many rounds two pairs have met."""
        return self.history.opponents[ordered((2 * first, 2 * second))]

    def round(self, order: list[int], cost: FormatCost, sitting_out_cost: Callable[[int], int]) -> EventRound:
        """Return the round; tables come in this order of the pairs.

        Costs of the format are below AGAIN, even all together.
        """

        def whole_cost(first: int, second: int) -> int:
            if second == NOBODY:
                return UNEVEN * (self._most_played - self.history.played[2 * first]) + sitting_out_cost(first)
            return (
                MOVED * self._keep_apart(first, second)
                + AGAIN * self.times_met(first, second) ** 2
                + cost(first, second)
            )

        places = [*order, *([NOBODY] if len(order) % 2 else [])]
        matched = match(places, whole_cost, AGAIN)
        if self._is_tight(len(places)):
            matched = self._with_others_in_mind(places, matched, whole_cost)
        return self._seated([two for two in matched if NOBODY not in two])

    def _is_tight(self, places: int) -> bool:
        """Return whether there may be too few rounds left in which nobody meets again, unless one looks ahead."""
        return self._rounds_to_come > 0 and self._number + self._rounds_to_come > places // 2 and places <= MOST

    def _with_others_in_mind(self, places: list[int], matched: list[Pair], cost: FormatCost) -> list[Pair]:
        """Return a round after which those to come are possible, the one with the least cost that is found soon."""
        possible = {one: {other for other in places if one != other and self._may_meet(one, other)} for one in places}
        rounds = min(self._rounds_to_come, min(map(len, possible.values())) - 1)

        def fits(candidate: list[Pair]) -> bool:
            is_new = all(other in possible[one] for one, other in candidate)
            return is_new and find_rounds(leave_out(possible, candidate), rounds) is not None

        def whole(candidate: list[Pair]) -> int:
            return sum(cost(*_nobody_last(two)) for two in candidate)

        try:
            if fits(matched):
                return matched
            others = sorted((_match_without(places, two, cost) for two in matched), key=whole)
            planned = find_rounds(possible, rounds + 1) or [matched]
            return next(filter(fits, others), None) or min(planned, key=whole)
        except UndecidedError:
            return matched

    def _may_meet(self, first: int, second: int) -> bool:
        if NOBODY in (first, second):
            return self.history.played[2 * max(first, second)] == self._most_played
        return not self.times_met(first, second) and not self._keep_apart(first, second)

    def _keep_apart(self, first: int, second: int) -> bool:
        """Return whether both keep their tables."""
        return all(pair in self._homes and pair in self._stationary for pair in (first, second))

    def _seated(self, matched: list[tuple[int, int]]) -> EventRound:
        """Give each two pairs a table."""
        homes: dict[int, tuple[int, int]] = {}
        for pair, table in self._homes.items():
            two = next((two for two in matched if pair in two and two not in homes.values()), None)
            if two is not None:
                homes[table] = two
        others = (two for two in matched if two not in homes.values())
        at_tables = [homes[table] if table in homes else next(others) for table in range(1, len(matched) + 1)]
        tables = tuple(self._table(*two) for two in at_tables)
        seated = {number for table in tables for pair in table for number in pair}
        return EventRound(tables, tuple(number for number in self._numbers if number not in seated))

    def _table(self, first: int, second: int) -> Table:
        """Return a table. At North–South is the pair that has been there less, or more if pairs stay there."""
        directions = self.history.directions
        difference = directions[2 * first] - directions[2 * second]
        if self._keeps_directions:
            difference = -difference
        if difference > 0 or (difference == 0 and self.random.randrange(2)):
            first, second = second, first
        return partners(first), partners(second)


def _nobody_last(two: Pair) -> Pair:
    return two if two[1] == NOBODY else (max(two), min(two)) if NOBODY in two else two


def _match_without(places: list[int], two: Pair, cost: FormatCost) -> list[Pair]:
    """Return the round with the least cost in which these two do not meet."""
    return match(places, lambda one, other: NEVER if {one, other} == {*two} else cost(one, other), AGAIN)


def draw_pairs_evenly(draw: RoundDraw) -> EventRound:
    """Draw a round in which nobody meets the same pair again, if that is possible."""
    pairs = PairDraw(draw)
    order = pairs.random.sample(pairs.pairs, len(pairs.pairs))
    return pairs.round(order, lambda _first, _second: 0, lambda _pair: 0)


def draw_between_directions(draw: RoundDraw) -> EventRound:
    """Draw a round in which pairs stay North–South, at their tables, or East–West, as far as the numbers allow."""
    pairs = PairDraw(draw, keeps_directions=True)
    order = pairs.random.sample(pairs.pairs, len(pairs.pairs))

    def cost(first: int, second: int) -> int:
        return int(pairs.side(first) is not None and pairs.side(first) == pairs.side(second))

    return pairs.round(order, cost, lambda _pair: 0)


MOST = 24  # pairs, counting the place to sit out at; with more, nobody plans so many rounds
STEPS = 3_000  # of a search, before it gives up

Possible = Mapping[int, set[int]]  # for each pair those that it has not met


class UndecidedError(Exception):
    """The search has reached its limit."""


def find_rounds(possible: Possible, rounds: int) -> list[list[Pair]] | None:
    """Return this number of rounds in which all meet others, None if there are none. Raises UndecidedError."""
    search = _RoundsSearch(possible)
    return search.found if search.find(rounds) else None


def leave_out(possible: Possible, matched: Sequence[Pair]) -> dict[int, set[int]]:
    """Return the pairs that have still not met after these rounds."""
    partner = {one: other for two in matched for one, other in (two, two[::-1])}
    return {pair: others - {partner.get(pair, pair)} for pair, others in possible.items()}


class _RoundsSearch:
    """A depth-first search, round by round, that begins with those who have least choice."""

    def __init__(self, possible: Possible) -> None:
        self._possible = {pair: set(others) for pair, others in possible.items()}
        self._steps = 0
        self.found: list[list[Pair]] = []

    def find(self, rounds: int) -> bool:
        if rounds == 0:
            return True
        if any(len(others) < rounds for others in self._possible.values()):
            return False
        self.found.append([])
        if self._pair_up(set(self._possible), rounds):
            return True
        self.found.pop()
        return False

    def _pair_up(self, free: set[int], rounds: int) -> bool:
        """Complete the round that was begun, and find those after it."""
        if not free:
            return self.find(rounds - 1)
        self._steps += 1
        if self._steps > STEPS:
            raise UndecidedError
        first = min(free, key=lambda pair: (len(self._possible[pair] & free), pair))
        for second in sorted(self._possible[first] & free):
            self._meet(first, second)
            if self._pair_up(free - {first, second}, rounds):
                return True
            self._part(first, second)
        return False

    def _meet(self, first: int, second: int) -> None:
        self._possible[first].discard(second)
        self._possible[second].discard(first)
        self.found[-1].append((first, second))

    def _part(self, first: int, second: int) -> None:
        self._possible[first].add(second)
        self._possible[second].add(first)
        self.found[-1].pop()
