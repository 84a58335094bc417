"""The course of a sheet as a drawing: scores and balances, deal by deal. Geometry alone; a page adds words and colours.

Lengths are reckoned in tenths of the drawing's unit and written out with their decimal: nothing here is a float.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from .scoring.game import Game
from .scoring.ledger import POT
from .scoring.standing import MANCHE, Row, Standing
from .scoring.statement import settling_unit, totals

WIDTH, HEIGHT = 3600, 2400  # tenths, as all that follows
WINNERS, TOP, BOTTOM, SPACE, BESIDE = 215, 290, 2030, 60, 90
LETTER = 78  # about the width of a letter in a chart
LINE = 150  # the least distance of two names from each other
MOST_POINTS = 120  # drawn of a line; of a longer one every second, every third … point is
MOST_MARKS = 9  # on a line between its ends: shapes that touch tell nothing apart
MOST_ENDS = 40  # of manches, robres and parties, in a drawing

Amounts = Mapping[str, int]


class Point(NamedTuple):
    """What the parties had after a deal; deal 0 is before the first."""

    deal: int
    amounts: Amounts


class End(NamedTuple):
    """A manche, robre or partie that ended with a deal: the greatest of those that did."""

    deal: int
    kind: str
    winner: str


@dataclass(frozen=True)
class Course:
    """What is to be drawn. Where all start again at 0 a new run begins, so that no line joins what is apart.

    `every` is 2 where only every second deal is in it, and so on.
    """

    parties: Sequence[str]
    runs: list[list[Point]]
    ends: list[End]
    every: int = 1


def scores(standing: Standing, first: int, last: int) -> Course:
    """The scores from deal `first` (as they stood after it) to deal `last`."""
    nought = dict.fromkeys(standing.parties, 0)
    before = standing.rows[first - 1] if first else None
    runs = [[Point(first, nought if before is None or _clears(before) else before.scores)]]
    for row in standing.rows[first:last]:
        runs[-1].append(Point(row.number, row.scores))
        if _clears(row):
            runs.append([Point(row.number, nought)])
    if len(runs) > 1 and len(runs[-1]) == 1:
        runs.pop()  # nothing is played in it yet
    return Course(standing.parties, runs, _ends(standing.rows[first:last]))


def balances(game: Game, standing: Standing) -> Course:
    """The balances of the whole sheet, in the unit the game is settled in."""
    after = running_balances(game, standing)
    every = -(-len(after) // MOST_POINTS)
    points = [Point(deal, amounts) for deal, amounts in enumerate(after)]
    kept = points[::every]
    if kept[-1] is not points[-1]:
        kept.append(points[-1])
    return Course(standing.players, [kept], _ends(standing.rows), every)


def running_balances(game: Game, standing: Standing) -> list[dict[str, int]]:
    """The players' balances before the first deal, after it, after the second, …"""
    held = {player: dict.fromkeys(game.units, 0) for player in standing.players}
    unit = settling_unit(game)
    after = [totals(held, unit)]
    for row in standing.rows:
        for entry in row.entries:
            if entry.is_payment:
                if entry.giver is not POT:
                    held[entry.giver][entry.unit] -= entry.amount
                if entry.taker is not POT:
                    held[entry.taker][entry.unit] += entry.amount
        after.append(totals(held, unit))
    return after


def _clears(row: Row) -> bool:
    return any(closing.kind == MANCHE for closing in row.closings)


def _ends(rows: Iterable[Row]) -> list[End]:
    ends = [End(row.number, row.closings[-1].kind, row.closings[-1].winner) for row in rows if row.closings]
    return ends if len(ends) <= MOST_ENDS else []


# --- drawing -----------------------------------------------------------------------------------------------


class Tick(NamedTuple):
    at: str
    value: int


class Spot(NamedTuple):
    x: str
    y: str


class DrawnEnd(NamedTuple):
    x: str
    kind: str
    place: int | None  # of the winner among the parties; None where he has no line of his own


@dataclass(frozen=True)
class Line:
    """A party's line: `place` is his among the parties and says which dash and shape are his."""

    party: str
    place: int
    strokes: list[str]
    marks: list[Spot]
    name_at: Spot


@dataclass(frozen=True)
class Chart:
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
    lines: list[Line]
    ends: list[DrawnEnd]


def draw(course: Course, names: int, tell: Callable[[int], str] = str) -> Chart:
    """The drawing, with room for so many letters of a name beside each line, and for amounts as they are told."""
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


def _place(course: Course, party: str) -> int | None:
    return course.parties.index(party) if party in course.parties else None


def _scale(low: int, high: int, most: int) -> tuple[int, int, int]:
    """A step of 1, 2 or 5 (times ten, a hundred …) that goes at most so often from one to the other; both rounded."""
    tens, wide = 1, high - low
    while wide > 10 * tens * most:
        tens *= 10
    step = next(tens * times for times in (1, 2, 5, 10) if wide <= tens * times * most)
    low = low // step * step
    return step, low, max(-(-high // step) * step, low + step)


def _lines(course: Course, x: Callable[[int], int], y: Callable[[int], int], right: int) -> list[Line]:
    ends = _apart([y(course.runs[-1][-1].amounts[party]) for party in course.parties])
    return [
        Line(
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


def _marked(runs: Sequence[Sequence[Point]], place: int) -> list[Point]:
    """The points that carry the party's shape: the last of each run, and some between, not those of the line beside."""
    points = [point for run in runs for point in run[1:]] or [runs[0][0]]
    every = -(-len(points) // MOST_MARKS)
    last = {id(run[-1]) for run in (runs if len(runs) <= MOST_MARKS else runs[-1:])}
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
