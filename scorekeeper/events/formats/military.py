"""Military: forts of four. Two of each fort stay at home, the other two travel and play at other forts.

Fort k is players 4k − 3 to 4k, and its table is table k. In round r the travellers of each fort visit the fort r
tables further on, so that with n forts, in n − 1 rounds, each visits each of the others once, and is visited by it
once; in the first half of the rounds no two forts meet twice. The pair at home sits North–South.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..drawing import EventRound, Pair, PlayedRound, RoundDraw, Schedule, UnschedulableError, list_tables, ordered
from ..even_draws import match, seat_at_homes
from .base import Format, NoTrumpEvery, Trumps

AGAIN = 10**6  # what it costs that a fort is visited by the same fort again; that they meet again the other way costs 1
NEVER = 10**12

Visits = dict[int, int]  # from the fort of the travellers to the one that they visit


@dataclass(frozen=True)
class Options:
    travellers: Literal["same", "alternate"] = "same"  # the same two always travel, or they take turns, round by round
    trumps: Trumps = "rotation"
    no_trump_every: NoTrumpEvery = 0


def build(players: int, rounds: int, _options: Options) -> Schedule:
    forts = range(1, players // 4 + 1)
    shifts = range(1, min(rounds, len(forts) - 1) + 1 if players % 4 == 0 else 1)
    return Schedule(tuple(_round(forts, _shift(forts, shift), lambda _: 0, ()) for shift in shifts))


def draw_round(draw: RoundDraw) -> EventRound:
    """Return the next round of the forts of which all four are there. Raises UnschedulableError."""
    numbers = sorted(member.number for member in draw.present)
    counted = Counter(map(_find_fort, numbers))
    forts = [fort for fort in sorted(counted) if counted[fort] == 4]
    if len(forts) < 2:
        raise UnschedulableError("too-few-forts", forts=len(forts))
    at_home = draw.stationary

    def home_half(fort: int) -> int:
        """Return which two stay: those of whom one is stationary, else those whose turn it is."""
        halves = [not at_home.isdisjoint(_half(fort, half)) for half in (0, 1)]
        if halves[0] != halves[1]:
            return halves.index(True)
        return int(draw.options.travellers == "alternate" and draw.number % 2 == 0)

    # Each fort keeps its table, and gaps are filled from the end.
    last = {_find_fort(table.pairs[0][0]): table.number for played in draw.earlier for table in played.tables}
    kept = {last[fort]: fort for fort in forts if last.get(fort, len(forts) + 1) <= len(forts)}
    sits_out = [number for number in numbers if _find_fort(number) not in forts]
    return _round(seat_at_homes(forts, kept), _visits(forts, draw.earlier), home_half, sits_out)


def _round(
    forts: Sequence[int], visits: Visits, home_half: Callable[[int], int], sits_out: Sequence[int]
) -> EventRound:
    visitors = {host: fort for fort, host in visits.items()}
    tables = ((_half(fort, home_half(fort)), _half(visitors[fort], 1 - home_half(visitors[fort]))) for fort in forts)
    return EventRound(tuple(tables), tuple(sits_out))


def _find_fort(number: int) -> int:
    return (number + 3) // 4


def _half(fort: int, half: int) -> Pair:
    first = 4 * fort - 3 + 2 * half
    return first, first + 1


def _shift(forts: Sequence[int], shift: int) -> Visits:
    """Return the visits at which all travel this number of forts further."""
    return {fort: forts[(place + shift) % len(forts)] for place, fort in enumerate(forts)}


def _visits(forts: Sequence[int], earlier: Sequence[PlayedRound]) -> Visits:
    """Return visits with as few repetitions as possible; if there are none, all travel equally far."""
    done = Counter((_find_fort(away[0]), _find_fort(home[0])) for home, away in list_tables(earlier))
    met = Counter(ordered(two) for two in done.elements())

    def cost(fort: int, host: int) -> int:
        return NEVER if fort == host else AGAIN * done[fort, host] ** 2 + met[ordered((fort, host))]

    def total_cost(visits: Visits) -> int:
        return sum(cost(*visit) for visit in visits.items())

    def signed_cost(first: int, second: int) -> int:
        """Hosts are numbered below 0."""
        return NEVER if (first > 0) == (second > 0) else cost(max(first, second), -min(first, second))

    best = min((_shift(forts, shift) for shift in range(1, len(forts))), key=total_cost)
    if total_cost(best) < AGAIN:
        return best
    matched = match([sign * fort for fort in forts for sign in (1, -1)], signed_cost, AGAIN)
    return min(best, {max(two): -min(two) for two in matched}, key=total_cost)


FORMAT = Format("military", draw_round, build, options=Options, team_size=4, scorings=("flags", "tricks", "total"))
