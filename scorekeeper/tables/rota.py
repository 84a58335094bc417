"""Whose turn it is to play, and to sit out, where more people are here than can play.

A turn is a table that was played or, where people take turns more often, a deal, a manche or a robre. Those who have
sat out the fewest turns sit out next. A newcomer begins with a count between the lowest and the highest of the others,
so that nobody owes turns, or is owed any, from a time when they were not there. So no counts are ever more than one
apart. People are ids here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

PAIRINGS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2))  # partners sit opposite each other


class Turn(NamedTuple):
    """A turn that was played or is being played: who played, who waited, and which pairs were partners."""

    players: frozenset[int]
    waiting: frozenset[int] = frozenset()
    partners: frozenset[frozenset[int]] = frozenset()


class Lineup(NamedTuple):
    players: tuple[int, ...]  # in order of arrival
    waiting: tuple[int, ...]  # in order of arrival


def next_lineup(turns: Iterable[Turn], present: Mapping[int, datetime], seats: int) -> Lineup:
    """Return who plays next; `present` are those who are here, at least as many as seats, with their arrivals.

    Those sit out who have done so least; of these, who has played longest without a break; and then who came last.
    """
    waiting = set(_next_to_sit_out(turns, present)[: len(present) - seats])
    arrived = sorted(present, key=lambda person: (present[person], person))
    players = tuple(person for person in arrived if person not in waiting)
    return Lineup(players, tuple(person for person in arrived if person in waiting))


def count_turns(turns: Iterable[Turn]) -> tuple[dict[int, int], Counter[int]]:
    """Return by person the turns sat out, counted as this module explains, and those played since the last of these."""
    counts: dict[int, int] = {}
    in_a_row: Counter[int] = Counter()
    before: frozenset[int] = frozenset()
    for turn in turns:
        there = turn.players | turn.waiting
        staying = [counts[person] for person in there & before]
        least, most = min(staying, default=0), max(staying, default=0)
        for person in there - before:
            counts[person] = min(max(counts.get(person, 0), least), most)
        before = there
        in_a_row.update(turn.players)
        for person in turn.waiting:
            counts[person] += 1
            in_a_row[person] = 0
    return counts, in_a_row


def _next_to_sit_out(turns: Iterable[Turn], present: Mapping[int, datetime]) -> list[int]:
    counts, in_a_row = count_turns([*turns, Turn(frozenset(present))])  # the last is the one that begins now
    last_first = sorted(present, key=lambda person: (present[person], person), reverse=True)
    return sorted(last_first, key=lambda person: (counts[person], -in_a_row[person]))


def next_swaps(turns: Iterable[Turn], present: Mapping[int, datetime], seated: Sequence[int]) -> list[tuple[int, int]]:
    """Return who leaves a table, each with who comes in, so that those sit there who play next; nobody else moves.

    Who is seated and not `present` has left: their seats are taken first. While there are too few others, they keep
    them.
    """
    order = _next_to_sit_out(turns, present)
    waiting = set(order[: max(len(present) - len(seated), 0)])
    left = [person for person in seated if person not in present]
    leaving = left + [person for person in order if person in waiting and person in seated]
    coming = [person for person in reversed(order) if person not in waiting and person not in seated]
    return [*zip(leaving, coming, strict=False)]


def seated_as_before(players: Sequence[int], before: Sequence[int]) -> tuple[int, ...]:
    """Seat the players: who sat at the table `before` stays there, others fill the gaps."""
    if len(players) != len(before):
        return tuple(players)
    others = iter([person for person in players if person not in before])
    return tuple(person if person in players else next(others) for person in before)


def with_new_partners(four: Sequence[int], turns: Iterable[Turn]) -> tuple[int, ...]:
    """Return four players in order of their seats, so that those are partners who were least often so far.

    If several seatings are as good, the first of `PAIRINGS` is taken, which keeps as many as possible where they are.
    """
    together = Counter(pair for turn in turns for pair in turn.partners)

    def cost(order: Sequence[int]) -> tuple[int, int]:
        counts = [together[frozenset((four[order[at]], four[order[at + 2]]))] for at in (0, 1)]
        return sum(counts), max(counts)

    return tuple(four[place] for place in min(PAIRINGS, key=cost))
