"""Rows of an event as they are read: entrants, substitutes, tables and their results, and who sits where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from ...events.drawing import Member, PlayedTable, Result
from ...events.schedule import Table

NOT_PLAYED = Result((), ())  # a table's result that is none: nothing for either side
_LATER_GAME = re.compile(r"(.+)/game-([0-9]{1,3})", re.DOTALL)
DIRECTIONS = ("north", "east", "south", "west")


class EntrantRow(NamedTuple):
    """An entrant, with the person who has the number."""

    number: int
    player_id: int
    name: str
    group: str
    first_round: int
    last_round: int | None
    is_stationary: bool

    @property
    def member(self) -> Member:
        """The entrant as formats and standings know them."""
        return Member(self.number, self.group, self.is_stationary, self.first_round, self.last_round)

    def has_left(self, current_round: int) -> bool:
        """Return whether the entrant does not play again after the current round."""
        return self.last_round is not None and self.last_round <= current_round


class SubstituteRow(NamedTuple):
    """Who plays under a number from a round on."""

    number: int
    round: int
    player_id: int
    name: str


class RoundTableRow(NamedTuple):
    """A table of a round, with its last result and call: the columns of `models.RoundTable`."""

    round: int
    number: int
    pairs: list[list[int]]
    table_id: int | None
    result: int
    scores: dict[str, Any] | None
    is_confirmed: bool
    calls: int = 0
    called_at: datetime | None = None
    coming_id: int | None = None

    @property
    def seats(self) -> dict[str, int]:
        """The number of the entrant in each direction."""
        (north, south), (east, west) = self.pairs
        return dict(zip(DIRECTIONS, (north, east, south, west), strict=True))

    @property
    def seated(self) -> Table:
        """The two pairs, as schedules know them."""
        (north, south), (east, west) = self.pairs
        return (north, south), (east, west)

    def played(self, *, plays_alone: bool) -> PlayedTable:
        """Return the table as formats and standings know it."""
        result = None if self.is_unplayed else read_result(self.scores)
        return PlayedTable(self.number, self.seated, result, plays_alone, self.is_unplayed)

    @property
    def is_unplayed(self) -> bool:
        """Whether the director has said that the table was not played."""
        return read_result(self.scores) == NOT_PLAYED


class EventSeat(NamedTuple):
    """Where an entrant sits in a round; who plays alone has no partner, but `others`."""

    table: int
    direction: str
    partner: int
    opponents: tuple[int, int]

    @property
    def others(self) -> tuple[int, int, int]:
        """All others at the table, the one opposite in the middle."""
        return self.opponents[0], self.partner, self.opponents[1]


def read_result(scores: Mapping[str, Any] | None) -> Result | None:
    """Return a stored result."""
    if scores is None:
        return None
    made = tuple(scores["scores"])
    slams = tuple(scores.get("slams", [0] * len(made)))
    return Result(made, slams, tuple(tuple(of_board) for of_board in scores.get("boards", ())))


def as_json(result: Result) -> dict[str, Any]:
    """Return a result as it is stored."""
    stored: dict[str, Any] = {"scores": list(result.scores)}
    if any(result.slams):
        stored["slams"] = list(result.slams)
    if result.boards:
        stored["boards"] = [list(scores) for scores in result.boards]
    return stored


def list_seats(row: RoundTableRow) -> Iterator[tuple[int, EventSeat]]:
    """Yield the numbers of those at a table, and where each sits."""
    pairs = row.pairs
    for side, pair in enumerate(pairs):
        first, second = pairs[1 - side]
        for place, number in enumerate(pair):
            direction = DIRECTIONS[side + 2 * place]
            yield number, EventSeat(row.number, direction, pair[1 - place], (first, second))


def split_game_key(key: str | None) -> tuple[str, int]:
    """Return the entry key of the table of a round's first game, and which of its games is at the one with this key."""
    found = _LATER_GAME.fullmatch(key or "")
    return (key or "", 1) if found is None else (found[1], int(found[2]))
