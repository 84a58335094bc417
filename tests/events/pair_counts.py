"""Read a schedule of pairs back as pair numbers, from the players alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from scorekeeper.events.drawing import EventRound, Pair, Schedule

SIZES = range(2, 41)  # pairs


def pair_number(players: tuple[int, int]) -> int:
    """Return k for players 2k − 1 and 2k, who are the only partners there are."""
    first, second = players
    assert first % 2 == 1, players
    assert second == first + 1, players
    return second // 2


def tables(of_round: EventRound) -> list[Pair]:
    """Return who sits North-South and East-West at each table."""
    return [(pair_number(north_south), pair_number(east_west)) for north_south, east_west in of_round.tables]


def sitting_out(of_round: EventRound) -> list[int]:
    """Return the pairs that sit out."""
    idle = of_round.sits_out
    return [pair_number(pair) for pair in zip(idle[::2], idle[1::2], strict=True)]


def meetings(schedule: Schedule) -> Counter[frozenset[int]]:
    """Count how often every two pairs that met did so."""
    return Counter(frozenset(pairs) for of_round in schedule.rounds for pairs in tables(of_round))


def every_two(number: int) -> Iterator[Pair]:
    """Yield every two of so many pairs, or of so many players."""
    return combinations(range(1, number + 1), 2)
