"""Evenings of events, drawn round by round as at a hall, with results made up from a seed."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from hypothesis import settings

from scorekeeper.events.drawing import EventRound, Member, PlayedRound, PlayedTable, Result, RoundDraw, Schedule
from scorekeeper.events.formats import Format
from scorekeeper.events.scorings import SCORINGS

FEW = settings(max_examples=30)


def schedule(of_format: Format, players: int, rounds: int = 1_000, options: Any = None) -> Schedule:
    assert of_format.build is not None
    return of_format.build(players, rounds, options or of_format.options())


def everybody(players: int, **changes: Any) -> tuple[Member, ...]:
    return tuple(Member(number, **changes) for number in range(1, players + 1))


def play(number: int, drawn: EventRound, seed: int = 0) -> PlayedRound:
    random = Random(f"{seed} {number}")  # noqa: S311  # made up, and not a secret
    tables = []
    for table, pairs in enumerate(drawn.tables, start=1):
        tricks = random.randrange(14)
        tables.append(PlayedTable(table, pairs, Result((tricks, 13 - tricks))))
    return PlayedRound(number, tuple(tables), drawn.sits_out)


def draw_next(
    of_format: Format,
    members: tuple[Member, ...],
    earlier: tuple[PlayedRound, ...] = (),
    rounds: int = 24,
    options: Any = None,
    seed: int = 0,
    lowest_wins: bool = False,
) -> EventRound:
    """Draw the round after these with the format's usual scoring, and its usual options unless others are given."""
    number, chosen, scoring = len(earlier) + 1, options or of_format.options(), of_format.scorings[0]
    sitting_out = SCORINGS[scoring].sitting_out
    draw = RoundDraw(number, rounds, members, earlier, chosen, seed, scoring, sitting_out, lowest_wins)
    return of_format.draw(draw)


def evening(
    of_format: Format,
    members: tuple[Member, ...],
    rounds: int,
    options: Any = None,
    seed: int = 0,
) -> tuple[PlayedRound, ...]:
    earlier: tuple[PlayedRound, ...] = ()
    for number in range(1, rounds + 1):
        drawn = draw_next(of_format, members, earlier, rounds, options, seed)
        assert_everybody_has_a_place(drawn, members, number)
        earlier = (*earlier, play(number, drawn, seed))
    return earlier


def assert_everybody_has_a_place(drawn: EventRound, members: Iterable[Member], number: int) -> None:
    """Everybody who is there is at one seat of one table, or sits out; nobody else is."""
    seated = [player for table in drawn.tables for pair in table for player in pair]
    assert sorted([*seated, *drawn.sits_out]) == [member.number for member in members if member.plays_in(number)]
    assert list(drawn.sits_out) == sorted(drawn.sits_out)


def table_of(number: int, of_round: PlayedRound) -> int | None:
    return next((table.number for table in of_round.tables if any(number in pair for pair in table.pairs)), None)
