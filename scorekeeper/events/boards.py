"""Boards that go from table to table: which set of deals each table has in each round, and their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from .drawing import PlayedRound
from .formats import Format
from .schedule import Boards, UnschedulableError

EMPTY: Boards = ()


def board_sets(format_: Format, rounds: Sequence[PlayedRound]) -> Boards:
    """Return the set of boards of each table in each of these rounds; empty if boards do not go from table to table.

    The boards follow the schedule for as long as the rounds do. From then on all tables of a round have the same deals,
    a new set in each round, as there is no movement of boards for rounds that are drawn otherwise.
    """
    if format_.build is None or not rounds:
        return EMPTY
    numbers = _whole_pairs(rounds[0])
    try:
        schedule = format_.schedule(len(numbers), len(rounds))
    except UnschedulableError:
        try:
            schedule = format_.schedule(len(numbers))  # more were played than it has
        except UnschedulableError:
            return EMPTY
    if not schedule.boards:
        return EMPTY
    sets: list[tuple[int, ...]] = []
    for played, of_round, boards in zip(rounds, schedule.rounds, schedule.boards, strict=False):
        if played.as_drawn().tables != of_round.with_numbers(numbers).tables:
            break
        sets.append(boards)
    unused = 1 + max((each for boards in sets for each in boards), default=-1)
    for number, played in enumerate(rounds[len(sets) :], start=unused):
        sets.append((number,) * len(played.tables))
    return tuple(sets)


def board_numbers(boards: int, length: int) -> range:
    """Return the numbers of a set's boards, of which a round has so many."""
    return range(boards * length + 1, (boards + 1) * length + 1)


def _whole_pairs(played: PlayedRound) -> list[int]:
    """Return the numbers that are there in a round, together with their partners."""
    present = {each for table in played.tables for pair in table.pairs for each in pair} | set(played.sits_out)
    return sorted(number for number in present if number + (1 if number % 2 else -1) in present)
