"""Progressive pairs: partners stay together, and after each round the pair that lost, or won, goes on to another table.

North–South are those who stayed. Pairs may meet again, as in any drive that goes by results.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from ..drawing import RoundDraw
from ..even_pairs import pairs_present, partners
from ..history import History
from ..progression import NoTrumpEvery, Trumps, Unit, fill_tables, find_moves, find_trump
from ..schedule import EventRound, Table
from . import Format


@dataclass(frozen=True)
class Options:
    """A hall's custom; see `progressive`."""

    movers: Literal["losers", "winners", "rotation"] = "losers"
    direction: Literal["up", "down"] = "up"
    head_table: bool = False
    ties: Literal["cut", "first"] = "cut"
    trumps: Trumps = "rotation"
    no_trump_every: NoTrumpEvery = 0


def draw_round(draw: RoundDraw) -> EventRound:
    """Return the next round. Raises UnschedulableError."""
    random = draw.random()
    options: Options = draw.options
    step = 1 if options.direction == "up" else -1
    moves = find_moves(draw, options, (step, step))
    stationary = draw.stationary
    for number in list(moves):  # partners stay together if one of them is stationary
        partner = number + 1 if number % 2 else number - 1
        if number in stationary and partner in moves:
            moves[partner] = moves[number]
    units = _playing(draw, random)
    seated = fill_tables(units, moves, len(units) // 2, 2, stationary)
    tables = tuple(_table(at_table) for at_table in seated)
    playing = {number for table in tables for pair in table for number in pair}
    return EventRound(tables, tuple(m.number for m in draw.present if m.number not in playing))


def _playing(draw: RoundDraw, random: Random) -> list[Unit]:
    """Return the pairs that play: all, or all but one of those who have played most."""
    history = History(draw.earlier)
    pairs = pairs_present(draw.present)
    random.shuffle(pairs)
    pairs.sort(key=lambda pair: (history.played[2 * pair], -history.last_sat_out.get(2 * pair, 0)))
    return [partners(pair) for pair in (pairs[:-1] if len(pairs) % 2 else pairs)]


def _table(at_table: list[Unit]) -> Table:
    (a, b), (c, d) = at_table
    return (a, b), (c, d)


FORMAT = Format(
    "progressive-pairs",
    draw_round=draw_round,
    options=Options,
    members=2,
    scorings=("tricks", "difference", "total", "parties"),
    trump_of=find_trump,
)
