"""Progressive: after each round those who lost, or who won, move on to other tables and change partners.

These are the customs of drives. The commonest: ladies who lose go up a table, gentlemen who lose go down one,
and the winners stay. In a semi-partner drive the winners stay partners; in a progressive one they part as well. Where
the whole pair moves in one direction, it parts when it arrives.

With two groups, a pair is one of each: the first group sits first. Of unequal groups, some of the larger one play as
the other one. Who has played most sits out; of equals, one of the larger group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..drawing import GROUPS, Member, RoundDraw
from ..even_individuals import sitting_out
from ..history import History
from ..progression import Destination, NoTrumpEvery, Trumps, fill_tables, find_moves, find_trump
from ..schedule import EventRound, Pair, Table, ordered
from . import Format

UP, DOWN = 1, -1


@dataclass(frozen=True)
class Options:
    """A hall's custom.

    Attributes:
        partners: "change": everybody gets a new partner each round; "semi": those who stay remain partners.
        movers: "losers" or "winners" move, or by "rotation" East–West, whatever the result.
        direction: of the two who move, the first one goes up a table and the second one down ("apart"), or both go
            "up" or "down". With "semi", always apart.
        head_table: at the table where the way ends, those stay who move elsewhere; the others go back to its beginning.
        groups: partners are one of each group; with "apart", the first group goes up and the second one down.
        ties: after a tie the cards are "cut" (the draw does it), or the "first" pair, North–South, counts as winners.
    """

    partners: Literal["change", "semi"] = "change"
    movers: Literal["losers", "winners", "rotation"] = "losers"
    direction: Literal["apart", "up", "down"] = "apart"
    head_table: bool = False
    groups: bool = False
    ties: Literal["cut", "first"] = "cut"
    trumps: Trumps = "rotation"
    no_trump_every: NoTrumpEvery = 0

    @property
    def steps(self) -> tuple[int, int]:
        """The directions of the first and of the second one of a pair that moves."""
        if self.partners == "semi":
            return UP, DOWN
        return {"apart": (UP, DOWN), "up": (UP, UP), "down": (DOWN, DOWN)}[self.direction]


def draw_round(draw: RoundDraw) -> EventRound:
    """Return the next round. Raises UnschedulableError."""
    return _Drive(draw).round()


class _Drive:
    """A round of a drive that is drawn."""

    def __init__(self, draw: RoundDraw) -> None:
        self._draw = draw
        self._options: Options = draw.options
        self._random = draw.random()
        self._history = History(draw.earlier)
        self._moves = find_moves(draw, self._options, self._options.steps)
        self._stationary = draw.stationary

    def round(self) -> EventRound:
        members = self._random.sample(self._draw.present, len(self._draw.present))
        if self._options.groups:
            larger = _larger_group(members)
            members.sort(key=lambda member: member.group != larger)
        sits_out = sitting_out([member.number for member in members], self._history)
        playing = [member for member in members if member.number not in sits_out]
        lanes = _lanes(playing, self._history) if self._options.groups else [[member.number for member in playing]]
        tables = len(playing) // 4
        seated = [self._fill(lane, tables) for lane in lanes]
        at_tables = zip(*seated, strict=True)
        return EventRound(tuple(self._table(list(parts)) for parts in at_tables), tuple(sorted(sits_out)))

    def _fill(self, lane: list[int], tables: int) -> list[list[int]]:
        """Return who of a lane is at each table."""
        units = [(number,) for number in lane]
        seated = fill_tables(units, self._moves, tables, len(lane) // tables, self._stationary)
        return [[number for (number,) in at_table] for at_table in seated]

    def _table(self, parts: list[list[int]]) -> Table:
        """Return the table of four players; in two parts if they are in groups."""
        tables = _tables_of_groups(*parts) if len(parts) > 1 else _make_tables(self._random.sample(parts[0], 4))
        first, second = min(tables, key=self._repeats)
        return (first, second) if self._random.randrange(2) else (second, first)

    def _repeats(self, table: Table) -> tuple[int, int]:
        """Return how bad these partners are: what the custom does not want, and how often they were partners."""
        stay = sum(self._stay_together(pair) for pair in table)
        times = sum(self._history.partners[ordered(pair)] ** 2 for pair in table)
        if self._options.partners == "semi":
            return -stay, times
        return sum(self._were_partners(pair) for pair in table), times

    def _were_partners(self, pair: Pair) -> bool:
        """Return whether the two were partners in the last round."""
        last = self._draw.earlier[-1].tables if self._draw.earlier else ()
        return any(ordered(pair) == ordered(each) for table in last for each in table.pairs)

    def _stay_together(self, pair: Pair) -> bool:
        first, second = (self._moves.get(number, Destination(0, 1)) for number in pair)
        return first.step == second.step == 0 and self._were_partners(pair)


def _make_tables(four: Sequence[int]) -> list[Table]:
    a, b, c, d = four
    return [((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c))]


def _tables_of_groups(first: Sequence[int], second: Sequence[int]) -> list[Table]:
    """Return the tables at which each pair is one of each group, the first group first."""
    (a, b), (c, d) = first, second
    return [((a, c), (b, d)), ((a, d), (b, c))]


def _larger_group(members: Sequence[Member]) -> str:
    return max(GROUPS, key=lambda group: sum(member.group == group for member in members))


def _lanes(playing: Sequence[Member], history: History) -> list[list[int]]:
    """Return half of the players for each group.

    Of the larger one, some play as the other: members without a group, then those who did so before, and so on.
    """
    larger = _larger_group(playing)
    seat = GROUPS.index(larger)  # in a pair, of those who play as the larger group
    ranks = {larger: 2, "": 1}  # the other group comes first

    def key(member: Member) -> tuple[int, bool, int]:
        return ranks.get(member.group, 0), history.last_seat.get(member.number, seat) == seat, -member.number

    others = {member.number for member in sorted(playing, key=key)[: len(playing) // 2]}
    lanes = [[m.number for m in playing if (m.number in others) is is_other] for is_other in (False, True)]
    return lanes if seat == 0 else lanes[::-1]


FORMAT = Format(
    "progressive",
    draw_round=draw_round,
    options=Options,
    has_groups=True,
    scorings=("tricks", "difference", "total", "parties"),
    trump_of=find_trump,
)
