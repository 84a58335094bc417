"""Progressive movements: after a round, those who won or lost go on to other tables.

Tables are in a circle: after the last one comes table 1. Who finds no place where they would go takes the next free one
in their direction, and gaps are filled by those who sat out or came late.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, Protocol

from ..scoring.values import Range
from .drawing import PlayedTable, Result, RoundDraw
from .schedule import Pair, UnschedulableError
from .scoring import Scores

Unit = tuple[int, ...]  # who moves together: one player, or a pair


class Destination(NamedTuple):
    """Where somebody goes, and in which direction: 1 up, -1 down, 0 for those who stay."""

    table: int
    step: int


class MoveOptions(Protocol):
    """The options that say who moves where. See `formats.progressive`."""

    @property
    def movers(self) -> str: ...

    @property
    def ties(self) -> str: ...

    @property
    def head_table(self) -> bool: ...


def find_moves(draw: RoundDraw, options: MoveOptions, steps: tuple[int, int]) -> dict[int, Destination]:
    """Return where those go who had a table in the last round.

    steps: the directions of the first and of the second one of a pair that moves.

    Raises:
        UnschedulableError: they move by results, and some are missing.
    """
    tables = draw.earlier[-1].tables if draw.earlier else ()
    stationary = draw.stationary
    head = _head_table(options, steps, len(tables))
    if options.movers != "rotation":
        _require_results(tables)
    moves = {}
    for table in tables:
        staying, moving = _split(table, options, draw)
        if table.number == head:
            staying, moving = moving, staying
        for pair, is_moving in ((staying, False), (moving, True)):
            for number, direction in zip(pair, steps, strict=True):
                step = direction if is_moving and number not in stationary else 0
                moves[number] = Destination((table.number - 1 + step) % len(tables) + 1, step)
    return moves


def _head_table(options: MoveOptions, steps: tuple[int, int], tables: int) -> int | None:
    """Return the table at the end of the way, where the others move on: back to its beginning."""
    if not options.head_table or options.movers == "rotation" or steps[0] != steps[1]:
        return None
    return tables if steps[0] > 0 else 1


def _require_results(tables: Sequence[PlayedTable]) -> None:
    missing = [table.number for table in tables if table.result is None and not table.is_unplayed]
    if missing:
        raise UnschedulableError("results-missing", count=len(missing), table=missing[0])


def _split(table: PlayedTable, options: MoveOptions, draw: RoundDraw) -> tuple[Pair, Pair]:
    """Return the two who stay at a table, and the two who move."""
    if options.movers == "rotation":
        return table.pairs
    result = table.result or Result((0,) * len(table.parties))  # a table that was not played: as after a tie
    scores = (result.negated() if draw.lowest_wins else result).scores
    rank = _rank_alone if table.plays_alone else _rank_pairs
    winners, losers = rank(table, scores, options, draw)
    return (losers, winners) if options.movers == "winners" else (winners, losers)


def _rank_pairs(table: PlayedTable, scores: Scores, options: MoveOptions, draw: RoundDraw) -> tuple[Pair, Pair]:
    """Return the pair that has won, and the other; after a tie, the one that wins the cut."""
    first, second = scores
    is_cut = first == second and options.ties != "first"
    is_second = draw.random(table.number).randrange(2) == 1 if is_cut else first < second
    return table.pairs[::-1] if is_second else table.pairs


def _rank_alone(table: PlayedTable, scores: Scores, options: MoveOptions, draw: RoundDraw) -> tuple[Pair, Pair]:
    """Return the two who have more, and the two who have less, each in the order of their seats."""
    seats = [number for (number,) in table.parties]
    by_cut = seats if options.ties == "first" else draw.random(table.number).sample(seats, len(seats))
    ranked = sorted(by_cut, key=lambda number: -scores[seats.index(number)])
    (one, other), (third, last) = (sorted(two, key=seats.index) for two in (ranked[:2], ranked[2:]))
    return (one, other), (third, last)


def fill_tables(
    units: Sequence[Unit], moves: Mapping[int, Destination], tables: int, places: int, stationary: Collection[int]
) -> list[list[Unit]]:
    """Return who is at each table.

    units: as many as there are places; where they find no place, the earlier ones choose first.
    places: how many units a table has.
    """
    seated: list[list[Unit]] = [[] for _ in range(tables)]
    others = []
    for unit in sorted(units, key=lambda unit: _priority(unit, moves, stationary)):
        move = moves.get(unit[0])
        if move is not None and move.table <= tables and len(seated[move.table - 1]) < places:
            seated[move.table - 1].append(unit)
        else:
            others.append(unit)
    for unit in others:
        table, step = moves.get(unit[0]) or Destination(1, 1)
        free = (place for place in range(tables) if len(seated[place]) < places)
        seated[min(free, key=lambda place: (place + 1 - table) * (step or 1) % tables)].append(unit)
    return seated


def _priority(unit: Unit, moves: Mapping[int, Destination], stationary: Collection[int]) -> tuple[bool, bool, bool]:
    """Return the key by which units are seated: stationary ones, those who stay, those who move, and the others."""
    move = moves.get(unit[0])
    return not any(number in stationary for number in unit), move is None, move is not None and move.step != 0


ROTATION = ("hearts", "clubs", "diamonds", "spades")  # as printed on score cards
NO_TRUMP = "no-trump"

Trumps = Literal["rotation", "game"]
NoTrumpEvery = Annotated[int, Range(0, 24)]


class TrumpOptions(Protocol):
    """The options of a format that has a say in trumps.

    Attributes:
        trumps: "rotation", or "game" if the game says what is trumps.
        no_trump_every: each round whose number is divisible by this has no trumps; 0: none.
    """

    @property
    def trumps(self) -> Trumps: ...

    @property
    def no_trump_every(self) -> int: ...


def find_trump(round_number: int, options: TrumpOptions) -> str | None:
    """Return the trumps of a round, None if the game says. A round without trumps takes no suit's turn."""
    if options.trumps == "game":
        return None
    every = options.no_trump_every
    if every and round_number % every == 0:
        return NO_TRUMP
    without = round_number // every if every else 0
    return ROTATION[(round_number - without - 1) % len(ROTATION)]
