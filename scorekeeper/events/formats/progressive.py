"""Progressive movements: after a round, those who won or lost go on to other tables.

Tables are in a circle: after the last one comes table 1. Players who find no place where they would go take the next
free one in their direction, and those who sat out or came late fill the gaps.

In a **progressive** drive everybody changes partners. The commonest custom: ladies who lose go up a table, gentlemen
who lose go down one, and the winners stay. In a semi-partner drive the winners stay partners; in a progressive one they
part as well. Where the whole pair moves in one direction, it parts when it arrives. With two groups, a pair is one of
each: the first group sits first. Of unequal groups, some of the larger one play as the other one. Those who have
played most sit out; of equals, one of the group that is larger then.

In **progressive pairs** partners stay together, and the pair that lost, or won, goes on. North–South are those who
stayed. Pairs may meet again, as in any drive that goes by results.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..drawing import GROUPS, EventRound, Member, Pair, Pairs, PlayedTable, Result, RoundDraw, ordered
from ..even_draws import History, partners
from ..scorings import Scores
from .base import Format, NoTrumpEvery, Trumps

UP, DOWN = 1, -1


@dataclass(frozen=True)
class Options:
    partners: Literal["change", "semi"] = "change"  # "semi": those who stay remain partners
    movers: Literal["losers", "winners", "rotation"] = "losers"  # "rotation": East–West, whatever the result
    direction: Literal["apart", "up", "down"] = "apart"  # "apart": the first one up, the second one down; so in "semi"
    head_table: bool = False  # the last table on the way: movers stay there, stayers go to the first; see `find_moves`
    groups: bool = False  # partners are one of each group, the first group first
    ties: Literal["cut", "first"] = "cut"  # the draw cuts the cards, or the first pair, North–South, counts as winners
    trumps: Trumps = "rotation"
    no_trump_every: NoTrumpEvery = 0


@dataclass(frozen=True)
class PairsOptions:
    movers: Literal["losers", "winners", "rotation"] = "losers"
    direction: Literal["up", "down"] = "up"
    head_table: bool = False
    ties: Literal["cut", "first"] = "cut"
    trumps: Trumps = "rotation"
    no_trump_every: NoTrumpEvery = 0


_STEPS = {"apart": (UP, DOWN), "up": (UP, UP), "down": (DOWN, DOWN)}


# --- who moves where ---------------------------------------------------------------------------------------


class Destination(NamedTuple):
    """Where somebody goes, and in which direction: 1 up, -1 down, 0 for those who stay."""

    table: int
    step: int


def find_moves(draw: RoundDraw, stationary: Collection[int]) -> dict[int, Destination]:
    """Return where those go who had a table in the last round, of which all results are known."""
    tables, options = draw.earlier[-1].tables if draw.earlier else (), draw.options
    is_semi = isinstance(options, Options) and options.partners == "semi"
    steps = _STEPS["apart" if is_semi else options.direction]
    # At the head table, who stays and who moves is exchanged. If losers move down, table 1 is the head: its losers
    # stay, and its winners go to the last table.
    has_head = options.head_table and options.movers != "rotation"
    head = {(UP, UP): len(tables), (DOWN, DOWN): 1}.get(steps) if has_head else None
    moves = {}
    for table in tables:
        staying, moving = _split(table, draw)
        if table.number == head:
            staying, moving = moving, staying
        for pair, is_moving in ((staying, False), (moving, True)):
            for number, direction in zip(pair, steps, strict=True):
                step = direction if is_moving and number not in stationary else 0
                moves[number] = Destination((table.number - 1 + step) % len(tables) + 1, step)
    return moves


def _split(table: PlayedTable, draw: RoundDraw) -> tuple[Pair, Pair]:
    """Return the two who stay, and the two who move."""
    if draw.options.movers == "rotation":
        return table.pairs
    tie = Result((0,) * len(table.parties))  # also the result of a table that did not play
    result = table.result if table.result is not None and table.result.is_played else tie
    scores = (result.negated() if draw.lowest_wins else result).scores
    winners, losers = (_rank_alone if table.plays_alone else _rank_pairs)(table, scores, draw)
    return (losers, winners) if draw.options.movers == "winners" else (winners, losers)


def _rank_pairs(table: PlayedTable, scores: Scores, draw: RoundDraw) -> tuple[Pair, Pair]:
    """Return the pair that has won, and the other; after a tie, the one that wins the cut."""
    first, second = scores
    is_cut = first == second and draw.options.ties != "first"
    is_second = draw.random(table.number).randrange(2) == 1 if is_cut else first < second
    return table.pairs[::-1] if is_second else table.pairs


def _rank_alone(table: PlayedTable, scores: Scores, draw: RoundDraw) -> tuple[Pair, Pair]:
    """Return the two who have more, and the two who have less, each in the order of their seats."""
    seats = [number for (number,) in table.parties]
    by_cut = seats if draw.options.ties == "first" else draw.random(table.number).sample(seats, len(seats))
    ranked = sorted(by_cut, key=lambda number: -scores[seats.index(number)])
    (one, other), (third, last) = (sorted(two, key=seats.index) for two in (ranked[:2], ranked[2:]))
    return (one, other), (third, last)


def fill_tables(
    numbers: Sequence[int], moves: Mapping[int, Destination], tables: int, seats: int, stationary: Collection[int]
) -> list[list[int]]:
    """Return who is at each table, each with so many seats; those who find none choose in order of `numbers`."""

    def rank(number: int) -> tuple[bool, bool, bool]:
        """Stationary ones come first, then those who stay, those who move, and the others."""
        move = moves.get(number)
        return number not in stationary, move is None, move is not None and move.step != 0

    seated: list[list[int]] = [[] for _ in range(tables)]
    others = []
    for number in sorted(numbers, key=rank):
        move = moves.get(number)
        if move is not None and move.table <= tables and len(seated[move.table - 1]) < seats:
            seated[move.table - 1].append(number)
        else:
            others.append(number)
    for number in others:
        table, step = moves.get(number) or Destination(1, UP)
        free = (index for index in range(tables) if len(seated[index]) < seats)
        seated[min(free, key=lambda index: (index + 1 - table) * (step or UP) % tables)].append(number)
    return seated


# --- progressive -------------------------------------------------------------------------------------------


def draw_round(draw: RoundDraw) -> EventRound:
    options: Options = draw.options
    random, history = draw.random(), History(draw.earlier)
    moves = find_moves(draw, draw.stationary)
    last_partners = {ordered(pair) for table in draw.earlier[-1].tables for pair in table.pairs} if draw.earlier else ()

    def rank(table: Pairs) -> tuple[int, int]:
        """Return how bad these partners are: what the custom does not want, and how often they were partners."""
        again = [pair for pair in table if ordered(pair) in last_partners]
        times = sum(history.partners[ordered(pair)] ** 2 for pair in table)
        if options.partners == "semi":
            return -sum(all(number in moves and not moves[number].step for number in pair) for pair in again), times
        return len(again), times

    playing = random.sample(draw.present, len(draw.present))
    sits_out = []
    for _ in range(len(playing) % 4):
        larger = _find_larger_group(playing) if options.groups else None
        out = min(playing, key=lambda member: (*history.rank_to_sit_out(member.number), member.group != larger))
        playing.remove(out)
        sits_out.append(out.number)
    lanes = _split_lanes(playing, history) if options.groups else [[member.number for member in playing]]
    count = len(playing) // 4
    seated = [fill_tables(lane, moves, count, len(lane) // count, draw.stationary) for lane in lanes]
    tables = []
    for numbers in zip(*seated, strict=True):
        if options.groups:  # each pair is one of each group, the first group first
            (a, b), (c, d) = numbers
            possible = [((a, c), (b, d)), ((a, d), (b, c))]
        else:
            a, b, c, d = random.sample(numbers[0], 4)
            possible = [((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c))]
        first, second = min(possible, key=rank)
        tables.append((first, second) if random.randrange(2) else (second, first))
    return EventRound(tuple(tables), tuple(sorted(sits_out)))


def _find_larger_group(members: Sequence[Member]) -> str:
    return max(GROUPS, key=lambda group: sum(member.group == group for member in members))


def _split_lanes(playing: Sequence[Member], history: History) -> list[list[int]]:
    """Return half of the players for each group.

    Of the larger one, some play as the other: members without a group, then those who did so before, and so on.
    """
    larger = _find_larger_group(playing)
    seat = GROUPS.index(larger)  # in a pair, of those who play as the larger group
    ranks = {larger: 2, "": 1}  # the other group comes first

    def key(member: Member) -> tuple[int, bool, int]:
        return ranks.get(member.group, 0), history.last_seat.get(member.number, seat) == seat, -member.number

    others = {member.number for member in sorted(playing, key=key)[: len(playing) // 2]}
    lanes = [[m.number for m in playing if (m.number in others) is is_other] for is_other in (False, True)]
    return lanes if seat == 0 else lanes[::-1]


# --- progressive pairs -------------------------------------------------------------------------------------


def draw_pairs(draw: RoundDraw) -> EventRound:
    """Return the next round of pairs: all, or all but one of those who have played most. Raises UnschedulableError."""
    history = History(draw.earlier)
    stationary = {each for number in draw.stationary for each in partners((number + 1) // 2)}
    pairs = draw.pairs
    draw.random().shuffle(pairs)
    pairs.sort(key=lambda pair: (history.rounds_played[2 * pair], -history.last_sat_out.get(2 * pair, 0)))
    playing = [2 * pair for pair in (pairs[:-1] if len(pairs) % 2 else pairs)]  # the second one of each pair
    moves = find_moves(draw, stationary)
    at_tables = fill_tables(playing, moves, len(playing) // 2, 2, stationary)
    tables = tuple((partners(first // 2), partners(second // 2)) for first, second in at_tables)
    sits_out = (each.number for each in draw.present if each.number + each.number % 2 not in playing)
    return EventRound(tables, tuple(sits_out))


_SCORINGS = ("tricks", "difference", "total", "parties")
FORMAT = Format("progressive", draw_round, options=Options, has_groups=True, scorings=_SCORINGS)
PAIRS = Format("progressive-pairs", draw_pairs, options=PairsOptions, team_size=2, scorings=_SCORINGS)
