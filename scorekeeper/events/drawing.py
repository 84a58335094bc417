"""What a round is drawn from: who plays, and the rounds so far."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from .schedule import EventRound, Pair, Party, Table, list_parties

GROUPS = ("a", "b")  # such as ladies and gentlemen; what they are called is the event's own


class Member(NamedTuple):
    """Who plays under a number. Numbers begin with 1; partners of a pair event have 2k - 1 and 2k.

    Attributes:
        group: one of GROUPS, or "" in an event without groups.
        is_stationary: the member keeps their table.
        first_round: the first round in which the member plays.
        last_round: the last one; None if the member stays until the end.
    """

    number: int
    group: str = ""
    is_stationary: bool = False
    first_round: int = 1
    last_round: int | None = None

    @property
    def is_partly_there(self) -> bool:
        """Whether the member comes late, or leaves before the end."""
        return self.first_round > 1 or self.last_round is not None

    def plays_in(self, round_number: int) -> bool:
        """Return whether the member is there in this round."""
        return self.first_round <= round_number and (self.last_round is None or round_number <= self.last_round)


class Result(NamedTuple):
    """What each party scored at a table in a round, in the order of `PlayedTable.parties`, and their slams.

    A score is a number of tricks, of points or of parties won, as the event's scoring says. It may be below 0. `boards`
    is what they scored on each board, in order, and adds up to `scores`; empty if that is not known.
    """

    scores: tuple[int, ...]
    slams: tuple[int, ...] = (0, 0)
    boards: tuple[tuple[int, ...], ...] = ()

    def negated(self) -> Result:
        """Return the result with the signs of all scores changed."""
        boards = tuple(tuple(-score for score in scores) for scores in self.boards)
        return Result(tuple(-score for score in self.scores), self.slams, boards)


class PlayedTable(NamedTuple):
    """A table of a round; `result` is None while it has none; `plays_alone`: each of the four is a party.

    `is_unplayed`: it was not played and will have no result, so that nobody waits for one.
    """

    number: int
    pairs: Table
    result: Result | None = None
    plays_alone: bool = False
    is_unplayed: bool = False

    @property
    def parties(self) -> tuple[Party, ...]:
        """Those who have one score each."""
        return list_parties(self.pairs, plays_alone=self.plays_alone)


class PlayedRound(NamedTuple):
    """A round that was drawn, its tables in order, and the numbers of those who sat out."""

    number: int
    tables: tuple[PlayedTable, ...]
    sits_out: tuple[int, ...] = ()

    def as_drawn(self) -> EventRound:
        """Return the round without its results."""
        return EventRound(tuple(table.pairs for table in self.tables), tuple(sorted(self.sits_out)))


class RoundDraw(NamedTuple):
    """All that the next round depends on.

    Attributes:
        number: the number of the round to draw.
        rounds: how many are planned.
        members: everybody, in order of their numbers; some may have left, or come later.
        earlier: the rounds so far.
        options: the format's own dataclass.
        seed: makes what is drawn at random repeatable.
        scoring: the slug of the event's scoring, for formats that go by the standings; "": the format's default.
        sitting_out: what a round that is sat out counts; "": the scoring's default.
        lowest_wins: whether the lower score of a table is the better one.
    """

    number: int
    rounds: int
    members: tuple[Member, ...]
    earlier: tuple[PlayedRound, ...] = ()
    options: Any = None
    seed: int = 0
    scoring: str = ""
    sitting_out: str = ""
    lowest_wins: bool = False

    @property
    def present(self) -> tuple[Member, ...]:
        """Those who are there in the round to draw."""
        return tuple(member for member in self.members if member.plays_in(self.number))

    @property
    def stationary(self) -> frozenset[int]:
        """The numbers of those who are there and keep their tables."""
        return frozenset(member.number for member in self.present if member.is_stationary)

    def random(self, *parts: int) -> Random:
        """Return what decides by chance: always the same in the same round, and for the same further numbers."""
        return Random(" ".join(map(str, (self.seed, self.number, *parts))))  # noqa: S311  # not a secret


def list_pairs(rounds: tuple[PlayedRound, ...]) -> Iterator[tuple[Pair, Pair]]:
    """Yield the two pairs of every table of these rounds."""
    return (table.pairs for played in rounds for table in played.tables)
