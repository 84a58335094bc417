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

from ..drawing import PlayedRound, RoundDraw
from ..matching import match
from ..progression import NoTrumpEvery, Trumps, find_trump
from ..schedule import EventRound, Pair, Schedule, UnschedulableError, ordered
from . import Format, limit_rounds

AGAIN = 10**6  # what it costs that a fort is visited by the same fort again; that they meet again the other way costs 1
NEVER = 10**12

Visits = dict[int, int]  # from the fort of the travellers to the one that they visit


@dataclass(frozen=True)
class Options:
    """A hall's custom.

    Attributes:
        travellers: "same": the same two always travel; "alternate": they take turns, round by round.
    """

    travellers: Literal["same", "alternate"] = "same"
    trumps: Trumps = "rotation"
    no_trump_every: NoTrumpEvery = 0


def build(players: int, rounds: int | None) -> Schedule:
    """Return the schedule of so many players, of whom the same two always travel. Raises UnschedulableError."""
    if players % 4 or players < 8:
        fitting = max(8, players - players % 4)
        raise UnschedulableError("not-forts", players=players, fitting=fitting, more=fitting + 4)
    forts = list(range(1, players // 4 + 1))
    number = limit_rounds(players, rounds, max_rounds(players))
    return Schedule(
        players,
        tuple(_round(forts, _shifted(forts, shift), lambda _: 0, ()) for shift in range(1, number + 1)),
    )


def max_rounds(players: int) -> int:
    """Return in how many rounds each fort visits each other one."""
    return max(players // 4 - 1, 1)


def draw_round(draw: RoundDraw) -> EventRound:
    """Return the next round of the forts of which all four are there. Raises UnschedulableError."""
    numbers = {member.number for member in draw.present}
    forts = [number // 4 for number in sorted(numbers) if number % 4 == 0 and {*_players(number // 4)} <= numbers]
    if len(forts) < 2:
        raise UnschedulableError("too-few-forts", forts=len(forts))
    at_home = draw.stationary

    def home_half(fort: int) -> int:
        """Return which two stay: those of whom one is stationary, else those whose turn it is."""
        halves = [bool(at_home & {*_half(fort, half)}) for half in (0, 1)]
        if halves[0] != halves[1]:
            return halves.index(True)
        return int(draw.options.travellers == "alternate" and draw.number % 2 == 0)

    sits_out = tuple(number for number in sorted(numbers) if (number + 3) // 4 not in forts)
    return _round(_at_tables(forts, draw.earlier), _visits(forts, draw.earlier), home_half, sits_out)


def _round(
    forts: Sequence[int], visits: Visits, home_half: Callable[[int], int], sits_out: Sequence[int]
) -> EventRound:
    """Return the round of forts, in the order of their tables."""
    visitors = {host: fort for fort, host in visits.items()}
    tables = ((_half(fort, home_half(fort)), _travellers(visitors[fort], home_half)) for fort in forts)
    return EventRound(tuple(tables), tuple(sits_out))


def _travellers(fort: int, home_half: Callable[[int], int]) -> Pair:
    return _half(fort, 1 - home_half(fort))


def _players(fort: int) -> range:
    return range(4 * fort - 3, 4 * fort + 1)


def _half(fort: int, half: int) -> Pair:
    first, second = _players(fort)[2 * half : 2 * half + 2]
    return first, second


def _at_tables(forts: Sequence[int], earlier: Sequence[PlayedRound]) -> list[int]:
    """Return the forts in the order of their tables: each keeps its own, and gaps are filled from the end."""
    last = {(table.pairs[0][0] + 3) // 4: table.number for played in earlier for table in played.tables}
    kept = {last[fort]: fort for fort in forts if last.get(fort, len(forts) + 1) <= len(forts)}
    others = iter([fort for fort in forts if fort not in kept.values()])
    return [kept[table] if table in kept else next(others) for table in range(1, len(forts) + 1)]


def _shifted(forts: Sequence[int], shift: int) -> Visits:
    """Return the visits at which all travel so many forts further."""
    return {fort: forts[(place + shift) % len(forts)] for place, fort in enumerate(forts)}


def _visits(forts: Sequence[int], earlier: Sequence[PlayedRound]) -> Visits:
    """Return visits with as few repetitions as possible; if there are none, all travel equally far."""
    done = Counter(
        ((table.pairs[1][0] + 3) // 4, (table.pairs[0][0] + 3) // 4) for played in earlier for table in played.tables
    )
    met = Counter(ordered(two) for two in done.elements())

    def cost(fort: int, host: int) -> int:
        return NEVER if fort == host else AGAIN * done[fort, host] ** 2 + met[ordered((fort, host))]

    def whole(visits: Visits) -> int:
        return sum(cost(*visit) for visit in visits.items())

    best = min((_shifted(forts, shift) for shift in range(1, len(forts))), key=whole)
    return best if whole(best) < AGAIN else min(best, _matched(forts, cost), key=whole)


def _matched(forts: Sequence[int], cost: Callable[[int, int], int]) -> Visits:
    """Return the visits that cost least. Hosts are numbered below 0."""

    def signed_cost(first: int, second: int) -> int:
        return NEVER if (first > 0) == (second > 0) else cost(max(first, second), -min(first, second))

    matched = match([sign * fort for fort in forts for sign in (1, -1)], signed_cost, AGAIN)
    return {max(two): -min(two) for two in matched}


FORMAT = Format(
    "military",
    build,
    draw_round,
    options=Options,
    members=4,
    max_rounds=max_rounds,
    scorings=("flags", "tricks", "total"),
    trump_of=find_trump,
)
