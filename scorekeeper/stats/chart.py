"""Line charts of a sheet's scores and balances. This module computes coordinates; templates add words and colours.

Lengths are integers in tenths of an SVG user unit, and are formatted with one decimal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ..scoring.entries import POT
from ..scoring.game import Game
from ..scoring.standing import MANCHE, Row, Standing
from ..scoring.statement import balances_in_unit, settlement_unit

WIDTH, HEIGHT = 3600, 2400  # tenths, as all that follows
WINNERS, TOP, BOTTOM, SPACE, BESIDE = 215, 290, 2030, 60, 90
LETTER = 78  # about the width of a letter in a chart
LINE = 150  # the least distance of two names from each other
MAX_POINTS_PER_LINE = 120  # drawn of a line; of a longer one every second, every third … point is
MAX_MARKS_PER_LINE = 9  # on a line between its ends: shapes that touch tell nothing apart
MAX_SECTION_ENDS = 40  # of manches, robres and parties, in a drawing

Amounts = Mapping[str, int]


class ScorePoint(NamedTuple):
    """The parties' scores or balances after a deal. Deal 0 means before the first."""

    deal: int
    amounts: Amounts


class End(NamedTuple):
    """A manche, robre or partie that ended with a deal. If several did, the largest unit."""

    deal: int
    kind: str
    winner: str


@dataclass(frozen=True)
class ChartData:
    """The points of a chart, before scaling.

    Attributes:
        parties: sides or players, in the order in which they are drawn.
        runs: consecutive points. A new run begins where all scores return to 0, and no line joins two runs.
        ends: manches, robres and parties that ended.
        every: the step between two points in deals; 2 means that every second deal is left out.
    """

    parties: Sequence[str]
    runs: list[list[ScorePoint]]
    ends: list[End]
    every: int = 1


def scores(standing: Standing, first: int, last: int) -> ChartData:
    """Return the scores after each deal from `first` to `last`."""
    nought = dict.fromkeys(standing.parties, 0)
    before = standing.rows[first - 1] if first else None
    runs = [[ScorePoint(first, nought if before is None or _clears(before) else before.scores)]]
    for row in standing.rows[first:last]:
        runs[-1].append(ScorePoint(row.number, row.scores))
        if _clears(row):
            runs.append([ScorePoint(row.number, nought)])
    if len(runs) > 1 and len(runs[-1]) == 1:
        runs.pop()  # nothing is played in it yet
    return ChartData(standing.parties, runs, _ends(standing.rows[first:last]))


def balances(game: Game, standing: Standing) -> ChartData:
    """Return the balances of the whole sheet, in the unit in which the game is settled."""
    after = running_balances(game, standing)
    every = -(-len(after) // MAX_POINTS_PER_LINE)
    points = [ScorePoint(deal, amounts) for deal, amounts in enumerate(after)]
    kept = points[::every]
    if kept[-1] is not points[-1]:
        kept.append(points[-1])
    return ChartData(standing.players, [kept], _ends(standing.rows), every)


def running_balances(game: Game, standing: Standing) -> list[dict[str, int]]:
    """Return the players' balances before the first deal, then after each deal."""
    held = {player: dict.fromkeys(game.units, 0) for player in standing.players}
    unit = settlement_unit(game)
    after = [balances_in_unit(held, unit)]
    for row in standing.rows:
        for entry in row.entries:
            if entry.is_payment:
                if entry.giver is not POT:
                    held[entry.giver][entry.unit] -= entry.amount
                if entry.taker is not POT:
                    held[entry.taker][entry.unit] += entry.amount
        after.append(balances_in_unit(held, unit))
    return after


def _clears(row: Row) -> bool:
    return any(closing.kind == MANCHE for closing in row.closings)


def _ends(rows: Iterable[Row]) -> list[End]:
    ends = [End(row.number, row.closings[-1].kind, row.closings[-1].winner) for row in rows if row.closings]
    return ends if len(ends) <= MAX_SECTION_ENDS else []


# --- drawing -----------------------------------------------------------------------------------------------


class Tick(NamedTuple):
    """An axis label: its coordinate, and the amount or the number of the deal."""

    at: str
    value: int


class Spot(NamedTuple):
    """The coordinates of a point."""

    x: str
    y: str


class DrawnEnd(NamedTuple):
    x: str
    kind: str
    place: int | None  # of the winner among the parties; None where he has no line of his own


@dataclass(frozen=True)
class ChartLine:
    """A party's line: `place` is his among the parties and says which dash and shape are his."""

    party: str
    place: int
    strokes: list[str]
    marks: list[Spot]
    name_at: Spot


@dataclass(frozen=True)
class Chart:
    """A chart with all coordinates formatted for SVG."""

    width: str
    height: str
    left: str
    right: str
    top: str
    bottom: str
    winners: str  # where those stand who won what ended
    nought: str
    ys: list[Tick]
    xs: list[Tick]
    lines: list[ChartLine]
    ends: list[DrawnEnd]


def draw(course: ChartData, names: int, tell: Callable[[int], str] = str) -> Chart:
    """Scale the points to a chart.

    Args:
        label_length: the number of characters to leave room for beside each line.
        format_amount: formats the labels of the vertical axis.
    """
    amounts = [amount for run in course.runs for point in run for amount in point.amounts.values()]
    step, low, high = _scale(min(0, *amounts), max(0, *amounts), 5)
    ticks = range(low, high + 1, step)
    left = BESIDE + LETTER * max(len(tell(tick)) for tick in ticks)
    right = WIDTH - BESIDE - LETTER * names
    first, last = course.runs[0][0].deal, max(course.runs[-1][-1].deal, course.runs[0][0].deal + 1)

    def x(deal: int) -> int:
        return left + (right - left) * (deal - first) // (last - first)

    def y(amount: int) -> int:
        return TOP + (BOTTOM - TOP) * (high - amount) // (high - low)

    deals, from_, _ = _scale(first, last, 6)
    return Chart(
        width=_told(WIDTH),
        height=_told(HEIGHT),
        left=_told(left),
        right=_told(right),
        top=_told(TOP),
        bottom=_told(BOTTOM),
        winners=_told(WINNERS),
        nought=_told(y(0)),
        ys=[Tick(_told(y(tick)), tick) for tick in ticks],
        xs=[Tick(_told(x(deal)), deal) for deal in range(from_, last + 1, deals) if deal >= first],
        lines=_lines(course, x, y, right),
        ends=[DrawnEnd(_told(x(end.deal)), end.kind, _place(course, end.winner)) for end in course.ends],
    )


def _place(course: ChartData, party: str) -> int | None:
    return course.parties.index(party) if party in course.parties else None


def _scale(low: int, high: int, most: int) -> tuple[int, int, int]:
    """A step of 1, 2 or 5 (times ten, a hundred …) that goes at most so often from one to the other; both rounded."""
    tens, wide = 1, high - low
    while wide > 10 * tens * most:
        tens *= 10
    step = next(tens * times for times in (1, 2, 5, 10) if wide <= tens * times * most)
    low = low // step * step
    return step, low, max(-(-high // step) * step, low + step)


def _lines(course: ChartData, x: Callable[[int], int], y: Callable[[int], int], right: int) -> list[ChartLine]:
    ends = _apart([y(course.runs[-1][-1].amounts[party]) for party in course.parties])
    return [
        ChartLine(
            party,
            place,
            strokes=[
                " ".join(f"{_told(x(point.deal))},{_told(y(point.amounts[party]))}" for point in run)
                for run in course.runs
            ],
            marks=[Spot(_told(x(point.deal)), _told(y(point.amounts[party]))) for point in _marked(course.runs, place)],
            name_at=Spot(_told(right + SPACE), _told(at)),
        )
        for place, (party, at) in enumerate(zip(course.parties, ends, strict=True))
    ]


def _marked(runs: Sequence[Sequence[ScorePoint]], place: int) -> list[ScorePoint]:
    """The points that carry the party's shape: the last of each run, and some between, not those of the line beside."""
    points = [point for run in runs for point in run[1:]] or [runs[0][0]]
    every = -(-len(points) // MAX_MARKS_PER_LINE)
    last = {id(run[-1]) for run in (runs if len(runs) <= MAX_MARKS_PER_LINE else runs[-1:])}
    return [point for at, point in enumerate(points) if (at + place) % every == 0 or id(point) in last]


def _apart(ys: Sequence[int]) -> list[int]:
    """Where the names stand, each as near to the end of its line as the others let it, and in the same order."""
    order = sorted(range(len(ys)), key=lambda place: (ys[place], place))
    at = list(ys)
    for above, below in pairwise(order):
        at[below] = max(at[below], at[above] + LINE)
    lowest = BOTTOM
    for place in reversed(order):
        at[place] = min(at[place], lowest)
        lowest = at[place] - LINE
    return at


def _told(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10}"
