"""A search with a limit for further rounds in which nobody meets anybody again.

In up to half as many rounds as there are pairs, there is always one more. After that, the pairs left over for each may
form groups of odd size, so that a round has to be drawn with those to come in mind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .schedule import Pair

MOST = 24  # pairs, counting the place to sit out at; with more, nobody plans so many rounds
STEPS = 3_000  # of a search, before it gives up

Possible = Mapping[int, set[int]]  # for each pair those that it has not met


class UndecidedError(Exception):
    """The search has reached its limit."""


def find_rounds(possible: Possible, rounds: int) -> list[list[Pair]] | None:
    """Return this number of rounds in which all meet others, None if there are none. Raises UndecidedError."""
    search = _RoundsSearch(possible)
    return search.found if search.find(rounds) else None


def leave_out(possible: Possible, matched: Sequence[Pair]) -> dict[int, set[int]]:
    """Return the pairs that have still not met after these rounds."""
    partner = {one: other for two in matched for one, other in (two, two[::-1])}
    return {pair: others - {partner.get(pair, pair)} for pair, others in possible.items()}


class _RoundsSearch:
    """A depth-first search, round by round, that begins with those who have least choice."""

    def __init__(self, possible: Possible) -> None:
        self._possible = {pair: set(others) for pair, others in possible.items()}
        self._steps = 0
        self.found: list[list[Pair]] = []

    def find(self, rounds: int) -> bool:
        if rounds == 0:
            return True
        if any(len(others) < rounds for others in self._possible.values()):
            return False
        self.found.append([])
        if self._pair_up(set(self._possible), rounds):
            return True
        self.found.pop()
        return False

    def _pair_up(self, free: set[int], rounds: int) -> bool:
        """Complete the round that was begun, and find those after it."""
        if not free:
            return self.find(rounds - 1)
        self._steps += 1
        if self._steps > STEPS:
            raise UndecidedError
        first = min(free, key=lambda pair: (len(self._possible[pair] & free), pair))
        for second in sorted(self._possible[first] & free):
            self._meet(first, second)
            if self._pair_up(free - {first, second}, rounds):
                return True
            self._part(first, second)
        return False

    def _meet(self, first: int, second: int) -> None:
        self._possible[first].discard(second)
        self._possible[second].discard(first)
        self.found[-1].append((first, second))

    def _part(self, first: int, second: int) -> None:
        self._possible[first].add(second)
        self._possible[second].add(first)
        self.found[-1].pop()
