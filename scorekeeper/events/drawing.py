"""What a round of an event is, and what it is drawn from: who plays, and the rounds so far.

Players are numbered from 1; partners of a pair event have 2k - 1 and 2k.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from random import Random
from typing import Any, NamedTuple

from ..scoring.problems import Problem

DIRECTIONS = ("north", "east", "south", "west")
GROUPS = ("a", "b")  # such as ladies and gentlemen; what they are called is the event's own

Pair = tuple[int, int]  # partners
Pairs = tuple[Pair, Pair]  # two pairs, who are opponents
Party = tuple[int, ...]  # who have one score at a table: two partners, or somebody who plays alone
Boards = tuple[tuple[int, ...], ...]  # for each round, the set of boards of each table; sets are counted from 0


class UnschedulableError(ValueError):
    """There is no such round; `schedule.<key>` is the message that says why."""

    def __init__(self, key: str, **params: Any) -> None:
        super().__init__(key, params)
        self.problem = Problem("", f"schedule.{key}", params)


def ordered(pair: Pair) -> Pair:
    return min(pair), max(pair)


class EventRound(NamedTuple):
    tables: tuple[Pairs, ...]
    sits_out: tuple[int, ...] = ()

    def with_numbers(self, numbers: Sequence[int], others: Iterable[int] = ()) -> EventRound:
        """Put numbers in the places of a schedule; the others sit out, too."""
        named = [0, *numbers]
        return EventRound(
            tuple(((named[a], named[b]), (named[c], named[d])) for (a, b), (c, d) in self.tables),
            tuple(sorted([*(named[place] for place in self.sits_out), *others])),
        )


class Schedule(NamedTuple):
    """The rounds of an event, none if this number of players has no schedule; `boards`: empty if it has none."""

    rounds: tuple[EventRound, ...]
    boards: Boards = ()


class Member(NamedTuple):
    """Who plays under a number; no draw depends on who that is."""

    number: int
    group: str = ""  # one of GROUPS in an event with groups
    is_stationary: bool = False  # the member keeps their table
    first_round: int = 1
    last_round: int | None = None  # None: the member plays until the end
    player_id: int = 0
    name: str = ""

    def plays_in(self, round_number: int) -> bool:
        return self.first_round <= round_number and not self.has_left(round_number - 1)

    def has_left(self, round_number: int) -> bool:
        """Return whether the member plays in no round after this one."""
        return self.last_round is not None and self.last_round <= round_number


class Result(NamedTuple):
    """What each party scored at a table in a round, in the order of `PlayedTable.parties`, and their slams."""

    scores: tuple[int, ...]  # tricks, points, or games or deals won, as the event's scoring says; may be below 0
    slams: tuple[int, ...] = (0, 0)
    boards: tuple[tuple[int, ...], ...] = ()  # what they scored on each board; adds up to `scores`; empty if not known

    @property
    def is_played(self) -> bool:
        return bool(self.scores)

    def negated(self) -> Result:
        boards = tuple(tuple(-score for score in scores) for scores in self.boards)
        return Result(tuple(-score for score in self.scores), self.slams, boards)


NOT_PLAYED = Result((), ())  # of a table that did not play, so that nobody waits for its result


class PlayedTable(NamedTuple):
    number: int
    pairs: Pairs
    result: Result | None = None
    plays_alone: bool = False

    @property
    def parties(self) -> tuple[Party, ...]:
        """The two pairs; or North, East, South and West, if each plays alone."""
        return tuple((number,) for number in self.seats.values()) if self.plays_alone else self.pairs

    @property
    def seats(self) -> dict[str, int]:
        """Who sits where, clockwise; the first pair sits North–South."""
        (north, south), (east, west) = self.pairs
        return dict(zip(DIRECTIONS, (north, east, south, west), strict=True))


class PlayedRound(NamedTuple):
    number: int
    tables: tuple[PlayedTable, ...]
    sits_out: tuple[int, ...] = ()

    def as_drawn(self) -> EventRound:
        return EventRound(tuple(table.pairs for table in self.tables), tuple(sorted(self.sits_out)))


class RoundDraw(NamedTuple):
    """All that the next round depends on."""

    number: int  # of the round to draw
    rounds: int  # how many are planned
    members: tuple[Member, ...]  # in order of their numbers; some may have left, or come later
    earlier: tuple[PlayedRound, ...]
    options: Any  # the format's own dataclass
    seed: int  # makes what is drawn at random repeatable
    scoring: str  # the slug of the event's, for formats that go by the standings
    sitting_out: str  # what a round that is sat out counts
    lowest_wins: bool  # the lower score of a table is the better one

    @property
    def present(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.plays_in(self.number))

    @property
    def pairs(self) -> list[int]:
        """The pairs who are both there. Raises UnschedulableError if they are too few to play."""
        numbers = {member.number for member in self.present}
        pairs = [number // 2 for number in sorted(numbers) if number % 2 == 0 and number - 1 in numbers]
        if len(pairs) < 2:
            raise UnschedulableError("too-few-pairs", pairs=len(pairs))
        return pairs

    @property
    def stationary(self) -> set[int]:
        return {member.number for member in self.present if member.is_stationary}

    def random(self, *parts: int) -> Random:
        """The generator is the same for the same event, round and `parts`."""
        return Random(" ".join(map(str, (self.seed, self.number, *parts))))  # noqa: S311  # not a secret


def list_tables(rounds: Iterable[PlayedRound]) -> list[Pairs]:
    return [table.pairs for played in rounds for table in played.tables]


def count_meetings(tables: Iterable[Pairs]) -> tuple[Counter[Pair], Counter[Pair]]:
    """Count how often every two players were partners, and opponents. The keys are `ordered`."""
    tables = list(tables)
    partners = Counter(ordered(pair) for table in tables for pair in table)
    opponents = Counter(ordered(two) for table in tables for two in product(*table))
    return partners, opponents


def board_numbers(boards: int, length: int) -> range:
    return range(boards * length + 1, (boards + 1) * length + 1)
