"""Line charts of a sheet's scores and balances. This module computes coordinates; templates add words and colours.

Lengths are integers in tenths of an SVG user unit, and are formatted with one decimal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ..scoring.game import AnyGame
from ..scoring.sheet import running_balances
from ..scoring.standing import MANCHE, AnyStanding, Row

# Tenths of a user unit:
WIDTH, HEIGHT = 3600, 2470
WINNERS_Y = 215  # of the shapes of those who won what ended
TOP, BOTTOM = 290, 2030  # of the lines
MARGIN = 90
LANE_GAP, LANES = 34, 102  # between lines with equal amounts, and of all these: more would look like other amounts
LEADER = 90  # from the end of a line to the shape before its label
CHARACTER_WIDTH = 78  # approximate
LABEL_HEIGHT = 150  # minimum distance of two labels
SHAPE_WIDTH = 95  # minimum distance of the shapes of two winners

MAX_MARKS_PER_LINE = 9  # besides those at its ends; shapes that touch cannot be distinguished
MAX_ENDS = 40  # manches, robres and parties in a chart
MAX_Y_STEPS, MAX_X_STEPS = 5, 6  # between the labels of an axis


class ScorePoint(NamedTuple):
    """The parties' scores or balances after a deal, or after what follows it. Deal 0 means before the first."""

    deal: int
    amounts: Mapping[str, int]


class End(NamedTuple):
    """A manche, robre or partie that ended with a deal. If several did, the largest unit."""

    deal: int
    kind: str
    winner: str  # "" if several share it


@dataclass(frozen=True)
class ChartData:
    """The points of a chart, before scaling."""

    parties: Sequence[str]  # sides or players, in the order in which they are drawn
    # Consecutive points. A segment begins where all scores return to 0, and no line joins two segments.
    segments: list[list[ScorePoint]]
    ends: list[End]  # manches, robres and parties that ended


def scores(standing: AnyStanding, first: int, last: int) -> ChartData:
    """Return the scores after each deal from `first` to `last`; they return to 0 where a manche ends.

    A line is a side's or a chair's, no matter who sat there.
    """
    zeros = dict.fromkeys(standing.parties, 0)
    before = standing.rows[first - 1] if first else None
    start = zeros if before is None or _ends_manche(before) else _by_party(standing, before)
    segments = [[ScorePoint(before.deals if before is not None else 0, start)]]
    for row in standing.rows[first:last]:
        segments[-1].append(ScorePoint(row.deals, _by_party(standing, row)))
        if _ends_manche(row):
            segments.append([ScorePoint(row.deals, zeros)])
    if len(segments) > 1 and len(segments[-1]) == 1:
        segments.pop()  # no deal has been played in it
    return ChartData(standing.parties, segments, _ends(standing.rows[first:last]))


def _by_party(standing: AnyStanding, row: Row) -> Mapping[str, int]:
    """Return a row's scores by the parties of the standing, who sit where others may have sat in the row."""
    if row.players == standing.players:
        return row.scores
    return dict(zip(standing.parties, row.scores.values(), strict=True))


def balances(game: AnyGame, standing: AnyStanding, first: int = 0, last: int | None = None) -> ChartData:
    """Return the balances after each deal from `first` to `last`, in the unit in which the game is settled."""
    deals = [0, *(row.deals for row in standing.rows)]
    points = list(map(ScorePoint, deals, running_balances(game, standing)))
    stop = len(standing.rows) if last is None else last
    return ChartData(tuple(standing.balances), [points[first : stop + 1]], _ends(standing.rows[first:stop]))


def _ends_manche(row: Row) -> bool:
    return any(closing.kind == MANCHE for closing in row.closings)


def _ends(rows: Iterable[Row]) -> list[End]:
    last = [(row.deals, row.closings[-1]) for row in rows if row.closings]
    ends = [End(number, end.kind, "" if end.shared_with else end.winner) for number, end in last]
    return ends if len(ends) <= MAX_ENDS else []


# --- drawing -----------------------------------------------------------------------------------------------


def _format(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10}"


class Tick(NamedTuple):
    """An axis label: its coordinate, and the amount or the number of the deal."""

    position: str
    value: int


class Spot(NamedTuple):
    x: str
    y: str


class DrawnEnd(NamedTuple):
    """A manche, robre or partie that ended. `winner` is the index of the winner's line; None if there is none."""

    x: str
    kind: str
    winner: int | None


@dataclass(frozen=True)
class ChartLine:
    """A party's line."""

    party: str
    index: int  # the party's position among the parties, which selects the line's dash and shape
    strokes: list[str]  # the points of each segment
    marks: list[Spot]  # where the line carries its shape
    leader: str  # the points of a thin line from the end of the line to the shape before its label
    key: Spot  # where that shape stands


@dataclass(frozen=True)
class Chart:
    """A chart with all coordinates formatted for SVG."""

    left: str
    right: str
    zero: str  # y coordinate of the amount 0
    ys: list[Tick]
    xs: list[Tick]
    lines: list[ChartLine]
    ends: list[DrawnEnd]
    width: str = _format(WIDTH)
    height: str = _format(HEIGHT)
    top: str = _format(TOP)
    bottom: str = _format(BOTTOM)
    winners: str = _format(WINNERS_Y)  # y coordinate of the shapes of those who won what ended


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
    # The ends have their winners only if there is room for all shapes side by side.
    has_room = all(end - start >= SHAPE_WIDTH for start, end in pairwise(sorted({x(end.deal) for end in data.ends})))
    indexes = {party: index for index, party in enumerate(data.parties)} if has_room else {}
    return Chart(
        left=_format(left),
        right=_format(right),
        zero=_format(y(0)),
        ys=[Tick(_format(y(tick)), tick) for tick in ticks],
        xs=[Tick(_format(x(deal)), deal) for deal in range(first_tick, last + 1, deal_step) if deal >= first],
        lines=_lines(data, x, y, right),
        ends=[DrawnEnd(_format(x(end.deal)), end.kind, indexes.get(end.winner)) for end in data.ends],
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


def _lines(data: ChartData, x: Callable[[int], int], y: Callable[[int], int], right: int) -> list[ChartLine]:
    offsets = _offsets(data)
    ends = [y(data.segments[-1][-1].amounts[party]) + offsets[party] for party in data.parties]

    def spot(point: ScorePoint, party: str) -> Spot:
        return _spot(x(point.deal), y(point.amounts[party]) + offsets[party])

    return [
        ChartLine(
            party,
            index,
            strokes=[" ".join(",".join(spot(point, party)) for point in segment) for segment in data.segments],
            marks=[spot(point, party) for point in _marked(data, index)],
            leader=" ".join(",".join(at) for at in (_spot(right, end), _spot(right + LEADER, label))),
            key=_spot(right + LEADER, label),
        )
        for index, (party, end, label) in enumerate(zip(data.parties, ends, _spread(ends), strict=True))
    ]


def _offsets(data: ChartData) -> dict[str, int]:
    """Return how far each line is moved down, so that lines with equal amounts run side by side.

    Each line keeps its distance for the whole chart: it rises and falls only where its amounts do. All are 0 if no two
    lines coincide from one point to the next.
    """
    stretches = [pair for segment in data.segments for pair in pairwise(segment)]
    if all(
        len({(start.amounts[party], end.amounts[party]) for party in data.parties}) == len(data.parties)
        for start, end in stretches
    ):
        return dict.fromkeys(data.parties, 0)
    gap = min(LANE_GAP, LANES // (gaps := len(data.parties) - 1))
    return {party: gap * index - gap * gaps // 2 for index, party in enumerate(data.parties)}


def _spot(x: int, y: int) -> Spot:
    return Spot(_format(x), _format(y))


def _marked(data: ChartData, index: int) -> list[ScorePoint]:
    """Return the points of a line that carry its shape.

    These are the last point of each segment (only of the last segment if there are too many), and points at regular
    intervals that begin at another point for each line. Where amounts are equal, the lines take turns.
    """
    segments = data.segments
    points = [point for segment in segments for point in segment[1:]] or [segments[0][0]]
    interval = -(-len(points) // MAX_MARKS_PER_LINE)
    last = {id(segment[-1]) for segment in (segments if len(segments) <= MAX_MARKS_PER_LINE else segments[-1:])}
    party, marked = data.parties[index], []
    for i, point in enumerate(points):
        equal = [each for each in data.parties if point.amounts[each] == point.amounts[party]]
        is_in_turn = equal.index(party) == i // interval % len(equal)
        if is_in_turn and ((i + index) % interval == 0 or id(point) in last):
            marked.append(point)
    return marked


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
