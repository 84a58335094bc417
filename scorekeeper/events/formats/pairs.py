"""What the formats for pairs share. Pair k is players 2k − 1 and 2k, and a table is two pairs, North-South first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..drawing import RoundDraw
from ..schedule import EventRound, Pair, Schedule, UnschedulableError
from ..scheduled_draw import draw_scheduled
from . import Format, NoOptions, limit_rounds


class Encounter(NamedTuple):
    """Two pairs at one table in one round, and the set of boards that they play there.

    Pairs are numbered from 1, sets of boards from 0.
    """

    north_south: int
    east_west: int
    boards: int


Movement = tuple[tuple[Encounter, ...], ...]  # for each round the encounters, in the order of the tables


def pairs_format(
    slug: str,
    max_rounds: Callable[[int], int],
    movement: Callable[[int, int], Movement],
    keeps_directions: bool = False,
    options: type = NoOptions,
    variant: Callable[[Any], Format] | None = None,
) -> Format:
    """Return a format for pairs.

    max_rounds: returns how many rounds so many pairs can play.
    movement: returns so many rounds of so many pairs. What it returns for fewer rounds is the beginning of the whole.
    keeps_directions: half of the pairs are North–South in all rounds.
    options, variant: as `Format` has them.
    """

    def build(players: int, rounds: int | None) -> Schedule:
        if players % 2:
            raise UnschedulableError("odd-pairs", players=players)
        pairs = players // 2
        number = limit_rounds(players, rounds, max_rounds(pairs))
        encounters = movement(pairs, number)
        boards = tuple(tuple(each.boards for each in tables) for tables in encounters)
        return Schedule(players, tuple(_round(tables, pairs) for tables in encounters), boards)

    def draw_round(draw: RoundDraw) -> EventRound:
        return draw_scheduled(build, 2, draw, keeps_directions)

    return Format(
        slug,
        build,
        draw_round,
        options,
        members=2,
        max_rounds=lambda players: max_rounds(players // 2),
        scorings=("difference", "total", "tricks", "parties", "matchpoints"),
        variant=variant,
    )


def rounds_to_meet(pairs: int) -> int:
    """Return the number of rounds in which every two pairs meet, if all of them play, or all but one."""
    return pairs - 1 + pairs % 2


def _round(encounters: tuple[Encounter, ...], pairs: int) -> EventRound:
    """Return a round of the players of these pairs; who is not at a table sits out."""
    at_tables = {pair for encounter in encounters for pair in encounter[:2]}
    idle = [pair for pair in range(1, pairs + 1) if pair not in at_tables]
    return EventRound(
        tuple((_players(encounter.north_south), _players(encounter.east_west)) for encounter in encounters),
        tuple(player for pair in idle for player in _players(pair)),
    )


def _players(pair: int) -> Pair:
    return 2 * pair - 1, 2 * pair


def movement(pairs: int, rounds: int) -> Movement:
    """Return the first rounds of the circle method."""
    return tuple(_encounters(pairs, place) for place in range(rounds))


def _encounters(pairs: int, place: int) -> tuple[Encounter, ...]:
    """Return the tables of the round in which the circle turns on one place, counted from 0."""
    circle = rounds_to_meet(pairs)
    on_circle = [
        ((place + distance) % circle + 1, (place - distance) % circle + 1) for distance in range(1, (circle + 1) // 2)
    ]
    tables = [pair if distance % 2 else pair[::-1] for distance, pair in enumerate(on_circle, start=1)]
    if pairs % 2 == 0:
        tables.insert(0, (pairs, place + 1) if place % 2 == 0 else (place + 1, pairs))
    return tuple(Encounter(north_south, east_west, place) for north_south, east_west in tables)


FORMAT = pairs_format("round-robin", rounds_to_meet, movement)
