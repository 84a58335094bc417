"""A schedule says who sits with whom in each round of an event. Players are numbered from 1."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from itertools import product
from typing import Any, NamedTuple

from ..scoring.problems import Problem

Pair = tuple[int, int]  # partners
Table = tuple[Pair, Pair]  # two pairs, who are opponents
Party = tuple[int, ...]  # who have one score at a table: two partners, or somebody who plays alone


def list_parties(pairs: Table, *, plays_alone: bool) -> tuple[Party, ...]:
    """Return the parties at a table: its two pairs; or everybody, North, East, South and West, if each plays alone."""
    if not plays_alone:
        return pairs
    (north, south), (east, west) = pairs
    return (north,), (east,), (south,), (west,)


class UnschedulableError(ValueError):
    """There is no such schedule.

    `key` selects the message `schedule.<key>`, which says why in one line. `params` are its parameters.
    """

    def __init__(self, key: str, **params: Any) -> None:
        super().__init__(key, params)
        self.problem = Problem("", f"schedule.{key}", params)


class EventRound(NamedTuple):
    """The tables of one round, and the players who sit out."""

    tables: tuple[Table, ...]
    sits_out: tuple[int, ...] = ()

    def with_numbers(self, numbers: Sequence[int], others: Iterable[int] = ()) -> EventRound:
        """Return the round of the numbers that have these places in the schedule; the others sit out, too."""
        named = [0, *numbers]
        return EventRound(
            tuple(((named[a], named[b]), (named[c], named[d])) for (a, b), (c, d) in self.tables),
            tuple(sorted([*(named[place] for place in self.sits_out), *others])),
        )


class Meetings(NamedTuple):
    """How often every two players who met were partners, and opponents. The keys are pairs, the lower number first."""

    partners: Counter[Pair]
    opponents: Counter[Pair]


def count_meetings(tables: Iterable[Table]) -> Meetings:
    """Count who meets whom at these tables."""
    partners: Counter[Pair] = Counter()
    opponents: Counter[Pair] = Counter()
    for first, second in tables:
        partners.update((ordered(first), ordered(second)))
        opponents.update(ordered(pair) for pair in product(first, second))
    return Meetings(partners, opponents)


Boards = tuple[tuple[int, ...], ...]  # for each round, the set of boards of each table; sets are counted from 0


class Schedule(NamedTuple):
    """All rounds of an event of so many players; `boards` is empty if the movement has none."""

    players: int
    rounds: tuple[EventRound, ...]
    boards: Boards = ()


def ordered(pair: Pair) -> Pair:
    """Return the two numbers, the lower one first."""
    first, second = pair
    return (first, second) if first < second else (second, first)


LEAST, MOST = 4, 200  # players


class NotStoredError(UnschedulableError):
    """There is no schedule for so many: rounds are drawn from those so far."""

    def __init__(self, players: int) -> None:
        super().__init__("players", players=players, least=LEAST, most=MOST)


def find_stored(format_slug: str, number: int, players: int) -> Any:
    """Return what is stored for this number. Raises NotStoredError."""
    found = _read().get(format_slug, {}).get(str(number))
    if found is None:
        raise NotStoredError(players)
    return found


def parse_tables(text: str) -> list[list[int]]:
    """Return the numbers of each table."""
    return [[int(number) for number in table.split("-")] for table in text.split()]


@cache
def _read() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(
        resources.files(__package__).joinpath("schedules.json").read_text(encoding="utf-8")
    )
    return found
