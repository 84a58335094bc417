"""Boards that go from table to table: which tables played the same deals."""

from __future__ import annotations

from collections.abc import Sequence

from .drawing import PlayedRound
from .formats import Format
from .schedule import EventRound, UnschedulableError
from .standings import BoardsOf


def boards_of(format_: Format, rounds: Sequence[PlayedRound]) -> BoardsOf | None:
    """Return what says which set of boards a table had in a round; None if all tables of a round had the same.

    The boards follow the schedule for as long as the rounds do. From then on all tables of a round have the same deals,
    as there is no movement of boards for rounds that are drawn otherwise.
    """
    if format_.boards is None or not rounds:
        return None
    numbers = _whole_pairs(rounds[0])
    followed = _followed(format_, rounds, numbers)
    if not followed:
        return None
    boards = format_.boards(len(numbers), followed)

    def find(round_number: int, table: int) -> tuple[str, int]:
        if round_number <= followed:
            return "boards", boards[round_number - 1][table - 1]
        return "round", round_number

    return find


def _whole_pairs(played: PlayedRound) -> list[int]:
    """Return the numbers that are there in a round, together with their partners."""
    present = {each for table in played.tables for pair in table.pairs for each in pair} | set(played.sits_out)
    return sorted(number for number in present if number + (1 if number % 2 else -1) in present)


def _followed(format_: Format, rounds: Sequence[PlayedRound], numbers: list[int]) -> int:
    """Return how many of the rounds are those of the schedule."""
    try:
        scheduled = format_.schedule(len(numbers), len(rounds)).rounds
    except UnschedulableError:
        try:
            scheduled = format_.schedule(len(numbers)).rounds  # more were played than it has
        except UnschedulableError:
            return 0
    followed = 0
    for played, of_round in zip(rounds, scheduled, strict=False):
        if [table.pairs for table in played.tables] != _named(of_round, numbers):
            break
        followed += 1
    return followed


def _named(of_round: EventRound, numbers: list[int]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the tables of a scheduled round with the numbers that have these places."""
    named = [0, *numbers]
    return [((named[a], named[b]), (named[c], named[d])) for (a, b), (c, d) in of_round.tables]
