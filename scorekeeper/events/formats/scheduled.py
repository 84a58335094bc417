"""Formats with a schedule: individual, and round robin, Howell and Mitchell for pairs; and Swiss."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from math import gcd
from typing import Any, Literal

from ..drawing import EventRound, RoundDraw, Schedule
from ..even_draws import PairDraw, draw_scheduled, partners
from ..ranking import standings
from ..scorings import SCORINGS
from .base import Format, NoOptions


@cache
def read_stored() -> Any:
    return json.loads(resources.files(__package__).joinpath("schedules.json").read_text(encoding="utf-8"))


def parse_tables(text: str) -> list[list[int]]:
    return [[int(number) for number in table.split("-")] for table in text.split()]


# --- individual --------------------------------------------------------------------------------------------
# Partners and opponents change each round. The rounds follow from stored ones, by adding 1, 2, … to every point. The
# points are 0, 1, …, m − 1, counted modulo m; for 4n players there is one more, ∞, which stays where it is. Where
# several rounds are stored, each is moved by as many points at once as there are such rounds: of two, by 2, 4, …
# docs/schedules.md says how even they are.


def build_individual(players: int, rounds: int, _options: NoOptions) -> Schedule:
    """Return the schedule; nobody sits out a second time before everybody has once."""
    m = players if players % 4 else players - 1  # the point ∞ has this number
    starters = [parse_tables(text) for text in read_stored()["individual"].get(str(players), ())]
    # Those who sit out together walk around all points without a gap.
    step = max(players % 4, 1)
    walks = gcd(step, m)
    shifts = [(start + step * walked) % m for start in range(walks) for walked in range(m // walks)]
    found: list[EventRound] = []
    for starter in starters:
        sits_out = set(range(m)).difference(*starter)
        for shift in shifts:
            if shift % len(starters) == 0 and len(found) < rounds:
                moved = [*((point + shift) % m + 1 for point in range(m)), players]
                tables = tuple(((moved[a], moved[b]), (moved[c], moved[d])) for a, b, c, d in starter)
                found.append(EventRound(tables, tuple(sorted(moved[point] for point in sits_out))))
    return Schedule(tuple(found))


INDIVIDUAL = Format("individual", partial(draw_scheduled, build_individual), build_individual)


# --- pairs -------------------------------------------------------------------------------------------------

Encounter = tuple[int, int, int]  # the pairs North-South and East-West at a table, and their set of boards, from 0


def pairs_format(
    slug: str,
    max_rounds: Callable[[int, Any], int],
    meet: Callable[[int, int, Any], list[Encounter]],
    keeps_directions: bool = False,
    options: type = NoOptions,
) -> Format:
    """Return a format for pairs.

    max_rounds: returns how many rounds a number of pairs can play with these options, 0 if there is no schedule.
    meet: returns the encounters of a number of pairs, in the order of the tables, after a number of rounds.
    keeps_directions: half of the pairs are North–South in all rounds.
    """

    def build(players: int, rounds: int, chosen: Any) -> Schedule:
        pairs = players // 2
        count = min(rounds, max_rounds(pairs, chosen)) if players % 2 == 0 else 0
        movement = [meet(pairs, past, chosen) for past in range(count)]
        boards = tuple(tuple(at_table for _, _, at_table in encounters) for encounters in movement)
        return Schedule(tuple(_round(encounters, pairs) for encounters in movement), boards)

    def draw_round(draw: RoundDraw) -> EventRound:
        return draw_scheduled(build, draw, in_pairs=True, keeps_directions=keeps_directions)

    scorings = ("difference", "total", "tricks", "parties", "matchpoints")
    return Format(slug, draw_round, build, options, team_size=2, scorings=scorings)


def rounds_to_meet(pairs: int) -> int:
    """Return the number of rounds in which every two pairs meet, if all of them play, or all but one."""
    return pairs - 1 + pairs % 2


def _round(encounters: list[Encounter], pairs: int) -> EventRound:
    at_tables = {pair for encounter in encounters for pair in encounter[:2]}
    idle = [pair for pair in range(1, pairs + 1) if pair not in at_tables]
    return EventRound(
        tuple((partners(north_south), partners(east_west)) for north_south, east_west, _ in encounters),
        tuple(player for pair in idle for player in partners(pair)),
    )


# --- round robin -------------------------------------------------------------------------------------------
# Every two pairs meet once, by the circle method; all tables play the same boards in a round.


def _meet_on_circle(pairs: int, past: int, _options: NoOptions) -> list[Encounter]:
    circle = rounds_to_meet(pairs)
    tables = [(pairs, past + 1) if past % 2 == 0 else (past + 1, pairs)] if pairs % 2 == 0 else []
    for distance in range(1, (circle + 1) // 2):
        two = (past + distance) % circle + 1, (past - distance) % circle + 1
        tables.append(two if distance % 2 else two[::-1])
    return [(north_south, east_west, past) for north_south, east_west in tables]


ROUND_ROBIN = pairs_format("round-robin", lambda pairs, _options: rounds_to_meet(pairs), _meet_on_circle)


# --- Howell ------------------------------------------------------------------------------------------------
# A movement of duplicate bridge: every two pairs meet, and every pair plays every set of boards exactly once. Of n
# pairs, n even, the highest stays North–South at table 1. The others sit down where the pair one number lower sat
# (pair 1 where pair n − 1 sat), and a table's boards go up by one. So the first round says everything; there are n −
# 1 rounds and sets. Rounds, boards and pairs form a Room square, and the first round is a starter of it with its
# adder: of m pairs that move, each of 1 … m − 1 sits at a table once, each of 1 … m // 2 is once the difference of
# two who meet, and each of 1 … m − 1 once a pair minus its boards, modulo m. There is none of side 3 or 5: with up to
# 6 pairs, all tables play the same boards in a round. Of an odd number of pairs, the one that would stay is missing;
# each of the others sits out once. Up to 40 pairs the starters were chosen so that every two pairs hold the same cards
# as often, or nearly as often, as any other two.

_MIN_ROOM_SQUARE = 7


def _list_starts(pairs: int) -> tuple[Encounter, ...]:
    """Return the tables of the first round, modulo the number of pairs that move; that of the stationary pair first."""
    moving = rounds_to_meet(pairs)
    if moving < _MIN_ROOM_SQUARE:
        tables = [(pair, moving - pair, 0) for pair in range(1, moving // 2 + 1)]
    else:
        stored = parse_tables(read_stored()["howell"][str(moving)])
        tables = [(first, second, boards) for first, second, boards in stored]
    return (*(() if moving == pairs else ((0, 0, 0),)), *tables)


def _meet_in_howell(pairs: int, past: int, _options: NoOptions) -> list[Encounter]:
    moving, starts = rounds_to_meet(pairs), _list_starts(pairs)
    first_boards = starts[0][2]
    return [
        (
            pairs if first == second else (first + past) % moving + 1,
            (second + past) % moving + 1,
            (boards - first_boards + past) % moving,
        )
        for first, second, boards in starts
    ]


def _count_howell_rounds(pairs: int, _options: NoOptions) -> int:
    moving = rounds_to_meet(pairs)
    return moving if moving < _MIN_ROOM_SQUARE or str(moving) in read_stored()["howell"] else 0


HOWELL = pairs_format("howell", _count_howell_rounds, _meet_in_howell)


# --- Mitchell ----------------------------------------------------------------------------------------------
# As handbooks for directors of duplicate bridge describe it, pair k of one half stays North–South at table k. Each
# round East–West move to the next higher table and boards to the next lower one. With an even number of tables t, a
# pair would come back to boards that it has played after t/2 rounds. So East–West then skip a table, once, and there
# are t − 1 rounds; or there are a relay and sharing, as the rules of events say. Of an odd number of pairs, one more
# is East–West: the highest table has no North–South pair, and the pair that comes there sits out.


@dataclass(frozen=True)
class MitchellOptions:
    even_tables: Literal["skip", "relay"] = "skip"  # what keeps East-West from boards that they have played


def _meet_in_mitchell(pairs: int, past: int, options: MitchellOptions) -> list[Encounter]:
    """Return the tables after East-West have moved `past` times; each of them is at one place in a round."""
    north_south = pairs // 2
    places = pairs - north_south
    is_relay = places % 2 == 0 and options.even_tables == "relay"
    skipped = 1 if places % 2 == 0 and not is_relay and past >= places // 2 else 0
    return [
        (
            table + 1,
            north_south + (table - past - skipped) % places + 1,
            (table + past + (is_relay and table >= places // 2)) % places,
        )
        for table in range(north_south)
    ]


def _count_mitchell_rounds(pairs: int, options: MitchellOptions) -> int:
    """Return the number of tables, counting the one to sit out at, or one less where a table is skipped."""
    places = pairs - pairs // 2
    return places - (places % 2 == 0 and options.even_tables == "skip")


MITCHELL = pairs_format("mitchell", _count_mitchell_rounds, _meet_in_mitchell, True, MitchellOptions)


# --- Swiss -------------------------------------------------------------------------------------------------
# The round is one without rematches whose opponents are closest in rank: with the least sum of squared differences.
# Pairs with equal scores have equal ranks; chance orders them.

LOWEST = 10**8  # what it costs that a better pair sits out; more than any distance between those who meet


def draw_swiss(draw: RoundDraw) -> EventRound:
    pairs = PairDraw(draw)
    places = _places(draw, pairs.pairs)
    order = sorted(pairs.random.sample(pairs.pairs, len(pairs.pairs)), key=places.__getitem__)
    return pairs.draw(
        order,
        lambda first, second: (places[first] - places[second]) ** 2,
        lambda pair: LOWEST * (len(order) - places[pair]),
    )


def _places(draw: RoundDraw, pairs: list[int]) -> dict[int, int]:
    """Return for each pair how many others have a better score."""
    scoring = SCORINGS[draw.scoring].under(draw.lowest_wins)
    rows = standings(draw.members, draw.earlier, scoring, 2, sitting_out=draw.sitting_out)
    scores = {
        (row.numbers[0] + 1) // 2: scoring.flip_score(row.score) if row.share is None else row.share for row in rows
    }
    ranked = sorted((scores.get(pair, 0) for pair in pairs), reverse=True)
    return {pair: ranked.index(scores.get(pair, 0)) for pair in pairs}


SWISS = Format("swiss", draw_swiss, team_size=2, scorings=("parties", "difference", "total", "tricks", "matchpoints"))
