"""Line charts of a sheet's scores and balances. This module computes coordinates; templates add words and colours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ..scoring.game import AnyGame
from ..scoring.sheet import running_balances
from ..scoring.standing import MANCHE, AnyStanding, Row

# Lengths are in the SVG's own units, of which a phone is 3,600 wide.
WIDTH, HEIGHT = 3600, 2400
TOP, BOTTOM = 220, 1960  # of the lines
MARGIN = 90
LANE_GAP, LANES = 34, 102  # between lines with equal amounts, and of all these: more would look like other amounts
LEADER = 90  # from the end of a line to its label
CHARACTER_WIDTH = 78  # approximate
LABEL_HEIGHT = 150  # minimum distance of two labels

MAX_ENDS = 40  # manches, robres and parties in a chart: more cannot be distinguished
MAX_Y_STEPS, MAX_X_STEPS = 5, 6  # between the labels of an axis


class ScorePoint(NamedTuple):
    """The parties' scores or balances after a deal, or after what follows it. Deal 0 means before the first."""

    deal: int
    amounts: Mapping[str, int]


@dataclass(frozen=True)
class ChartData:
    """The points of a chart, before scaling."""

    parties: Sequence[str]  # sides or players, in the order in which they are drawn
    segments: list[list[ScorePoint]]  # one begins where all scores return to 0, and no line joins two
    ends: Mapping[int, str]  # by deal, the largest that ended with it: a manche, robre or partie


def scores(standing: AnyStanding, first: int, last: int) -> ChartData:
    """Return the scores after each row from `first` to `last`; they return to 0 where a manche ends.

    A line is a side's or a chair's, no matter who sat there.
    """
    zeros = dict.fromkeys(standing.parties, 0)

    def by_party(row: Row) -> dict[str, int]:
        return dict(zip(standing.parties, row.scores.values(), strict=True))

    before = standing.rows[first - 1] if first else None
    start = zeros if before is None or _ends_manche(before) else by_party(before)
    segments = [[ScorePoint(before.deal_count if before is not None else 0, start)]]
    for row in standing.rows[first:last]:
        segments[-1].append(ScorePoint(row.deal_count, by_party(row)))
        if _ends_manche(row):
            segments.append([ScorePoint(row.deal_count, zeros)])
    if len(segments) > 1 and len(segments[-1]) == 1:
        segments.pop()  # no deal has been played in it
    return ChartData(standing.parties, segments, _ends(standing.rows[first:last]))


def balances(game: AnyGame, standing: AnyStanding, first: int, last: int) -> ChartData:
    """Return the balances after each row from `first` to `last`, in the unit in which the game is settled."""
    deals = [0, *(row.deal_count for row in standing.rows)]
    points = list(map(ScorePoint, deals, running_balances(game, standing)))
    return ChartData(tuple(standing.balances), [points[first : last + 1]], _ends(standing.rows[first:last]))


def _ends_manche(row: Row) -> bool:
    return any(closing.kind == MANCHE for closing in row.closings)


def _ends(rows: Iterable[Row]) -> dict[int, str]:
    ends = {row.deal_count: row.closings[-1].kind for row in rows if row.closings}
    return ends if len(ends) <= MAX_ENDS else {}


# --- drawing -----------------------------------------------------------------------------------------------


class Tick(NamedTuple):
    """An axis label: its coordinate, and the amount or the number of the deal."""

    position: int
    value: int


@dataclass(frozen=True)
class ChartLine:
    """A party's line, from whose end a leader goes to the party's label."""

    party: str
    strokes: list[str]  # the points of each segment
    end: int  # y coordinate
    label: int  # y coordinate


@dataclass(frozen=True)
class Chart:
    """A chart with all coordinates."""

    left: int
    right: int
    zero: int  # y coordinate of the amount 0
    ys: list[Tick]
    xs: list[Tick]
    lines: list[ChartLine]
    ends: list[tuple[int, str]]  # the x coordinate and the kind of what ended
    width: int = WIDTH
    height: int = HEIGHT
    top: int = TOP
    bottom: int = BOTTOM
    leader: int = LEADER


def draw(data: ChartData, label_length: int, format_amount: Callable[[int], str] = str) -> Chart:
    """Scale the points to a chart, with room for so many characters beside each line."""
    amounts = [amount for segment in data.segments for point in segment for amount in point.amounts.values()]
    step, low, high = _scale(min(0, *amounts), max(0, *amounts), MAX_Y_STEPS)
    ticks = range(low, high + 1, step)
    left = MARGIN + CHARACTER_WIDTH * max(len(format_amount(tick)) for tick in ticks)
    right = WIDTH - MARGIN - CHARACTER_WIDTH * label_length - LEADER
    first = data.segments[0][0].deal
    last = max(data.segments[-1][-1].deal, first + 1)

    def x(deal: int) -> int:
        return left + (right - left) * (deal - first) // (last - first)

    def y(amount: int) -> int:
        return TOP + (BOTTOM - TOP) * (high - amount) // (high - low)

    deal_step, first_tick, _ = _scale(first, last, MAX_X_STEPS)
    return Chart(
        left=left,
        right=right,
        zero=y(0),
        ys=[Tick(y(tick), tick) for tick in ticks],
        xs=[Tick(x(deal), deal) for deal in range(first_tick, last + 1, deal_step) if deal >= first],
        lines=_lines(data, x, y),
        ends=[(x(deal), kind) for deal, kind in data.ends.items()],
    )


def _scale(low: int, high: int, max_steps: int) -> tuple[int, int, int]:
    """Return the step between the labels of an axis, and both limits rounded outwards to multiples of it.

    It is 1, 2 or 5 times a power of ten. At most `max_steps` steps fit between the original limits.
    """
    power, length = 1, high - low
    while length > 10 * power * max_steps:
        power *= 10
    step = next(power * factor for factor in (1, 2, 5, 10) if length <= power * factor * max_steps)
    low = low // step * step
    return step, low, max(-(-high // step) * step, low + step)


def _lines(data: ChartData, x: Callable[[int], int], y: Callable[[int], int]) -> list[ChartLine]:
    # Each line is moved down by its own distance, so that lines with equal amounts run side by side.
    gap = min(LANE_GAP, LANES // len(data.parties))
    moved = {party: gap * index - gap * (len(data.parties) - 1) // 2 for index, party in enumerate(data.parties)}
    final = data.segments[-1][-1].amounts
    ends = [y(final[party]) + moved[party] for party in data.parties]

    def stroke(segment: Iterable[ScorePoint], party: str) -> str:
        return " ".join(f"{x(point.deal)},{y(point.amounts[party]) + moved[party]}" for point in segment)

    return [
        ChartLine(party, [stroke(segment, party) for segment in data.segments], end, label)
        for party, end, label in zip(data.parties, ends, _spread(ends), strict=True)
    ]


def _spread(ys: Sequence[int]) -> list[int]:
    """Move labels apart that would overlap, as little as possible and without changing their order."""
    order = sorted(range(len(ys)), key=lambda index: (ys[index], index))
    result = list(ys)
    for above, below in pairwise(order):
        result[below] = max(result[below], result[above] + LABEL_HEIGHT)
    lowest = BOTTOM
    for index in reversed(order):
        result[index] = min(result[index], lowest)
        lowest = result[index] - LABEL_HEIGHT
    return result
