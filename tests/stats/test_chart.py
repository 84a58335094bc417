"""Charts: runs, points left out of long lines, coordinates, positions of names."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.sheet import Sheet, load
from scorekeeper.scoring.standing import Standing
from scorekeeper.scoring.statement import balances_in_unit, settlement_unit
from scorekeeper.stats import chart

from ..benchmarks.scoring import a_sheet
from ..cases import sheets


def played(slug: str, deals: int) -> Standing:
    read = load(a_sheet(games()[slug], deals, random.Random(1)), games())  # noqa: S311  # drawn, not secret
    assert isinstance(read, Sheet)
    standing = read.open()
    assert fold(read.game, standing, read.deals) is None
    return standing


def numbers(stroke: str) -> list[tuple[int, int]]:
    """Return the points of a polyline, in tenths."""
    pairs = (pair.split(",") for pair in stroke.split())
    return [(int(x.replace(".", "")), int(y.replace(".", ""))) for x, y in pairs]


def test_every_manche_begins_a_line_of_its_own_at_nought() -> None:
    standing = played("whist", 30)
    course = chart.scores(standing, 0, 30)
    closing = [row.number for row in standing.rows if row.closings]
    assert closing
    assert [run[0].deal for run in course.runs] == [0, *(deal for deal in closing if deal < 30)]
    assert all(not any(run[0].amounts.values()) for run in course.runs)
    assert [end.deal for end in course.ends] == closing
    drawn = chart.draw(course, 4)
    assert {len(line.strokes) for line in drawn.lines} == {len(course.runs)}


def test_a_part_of_a_sheet_begins_where_the_deal_before_it_left_the_scores() -> None:
    standing = played("joffre", 30)
    course = chart.scores(standing, 12, 20)
    assert [point.deal for point in course.runs[0]] == list(range(12, 21))
    assert course.runs[0][0].amounts == standing.rows[11].scores


@pytest.mark.parametrize("slug", sorted(games()))
def test_balances_after_the_last_deal_are_those_of_the_sheet_at_every_length(slug: str) -> None:
    game = games()[slug]
    for told in sheets(slug):
        read = load(told, games())
        assert isinstance(read, Sheet)
        standing = read.open()
        fold(game, standing, read.deals)
        after = chart.running_balances(game, standing)
        assert len(after) == len(read.deals) + 1
        assert after[-1] == balances_in_unit(standing.balances, settlement_unit(game))


def test_a_line_of_three_thousand_deals_is_drawn_from_a_few_and_ends_where_it_ends() -> None:
    standing = played("whist", 3000)
    course = chart.balances(games()["whist"], standing)
    (points,) = course.runs
    assert len(points) <= chart.MAX_POINTS_PER_LINE + 1
    assert course.every == 26
    assert points[-1].deal == 3000
    drawn = chart.draw(course, 8)
    assert all(len(line.marks) <= 2 * chart.MAX_MARKS_PER_LINE for line in drawn.lines)
    assert not drawn.ends  # too many to be told apart


@pytest.mark.parametrize("deals", [0, 1, 2])
def test_a_sheet_of_hardly_a_deal_can_be_drawn(deals: int) -> None:
    standing = played("francion", deals)
    drawn = chart.draw(chart.scores(standing, 0, deals), 8)
    assert len(drawn.lines) == 4
    assert all(len(numbers(line.strokes[0])) == deals + 1 for line in drawn.lines)
    assert all(line.marks for line in drawn.lines)


def test_everything_drawn_lies_within_the_drawing_and_names_keep_their_distance() -> None:
    standing = played("francion", 40)
    for course in (chart.scores(standing, 0, 40), chart.balances(games()["francion"], standing)):
        drawn = chart.draw(course, 8)
        for line in drawn.lines:
            for stroke in line.strokes:
                assert all(0 <= x <= chart.WIDTH and chart.TOP <= y <= chart.BOTTOM for x, y in numbers(stroke))
        at = sorted(int(line.name_at.y.replace(".", "")) for line in drawn.lines)
        assert all(below - above >= chart.LINE for above, below in pairwise(at))
        assert at[-1] <= chart.BOTTOM


def test_higher_is_more() -> None:
    zero, ten = {"a": 0}, {"a": 10}
    course = chart.ChartData(("a",), [[chart.ScorePoint(0, zero), chart.ScorePoint(1, ten)]], [])
    ((_, low), (_, high)) = numbers(chart.draw(course, 1).lines[0].strokes[0])
    assert high < low


@pytest.mark.parametrize("high", [0, 1, 3, 7, 11, 40, 99, 150, 12345, 10**18])
def test_an_axis_has_few_round_numbers_and_reaches_beyond_what_is_drawn(high: int) -> None:
    course = chart.ChartData(("a",), [[chart.ScorePoint(0, {"a": -high // 3}), chart.ScorePoint(1, {"a": high})]], [])
    values = [tick.value for tick in chart.draw(course, 1).ys]
    assert values[0] <= -high // 3
    assert values[-1] >= high
    assert 2 <= len(values) <= 7
    step = values[1] - values[0]
    assert str(step).rstrip("0") in ("1", "2", "5")


# --- worked by hand ----------------------------------------------------------------------------------------


def course(*amounts: tuple[int, ...], first: int = 0, ends: tuple[chart.End, ...] = ()) -> chart.ChartData:
    """Return one run of the parties a, b, … with these amounts after each deal, from deal `first`."""
    parties = "abcdefgh"[: len(amounts[0])]
    points = [chart.ScorePoint(deal, dict(zip(parties, each, strict=True))) for deal, each in enumerate(amounts, first)]
    return chart.ChartData(tuple(parties), [points], list(ends))


def test_a_short_course_is_drawn_where_it_was_worked_out_by_hand() -> None:
    # 90 beside the drawing and a letter of 78: 168 to the left; 90 and four letters: 3600 − 402 = 3198 to the right.
    # 2030 − 290 = 1740 over four points: 435 each.
    drawn = chart.draw(
        course((0, 0), (2, 0), (2, 4), ends=(chart.End(2, "partie", "b"), chart.End(1, "manche", "z"))), 4
    )
    assert drawn == chart.Chart(
        width="360.0",
        height="240.0",
        left="16.8",
        right="319.8",
        top="29.0",
        bottom="203.0",
        winners="21.5",
        nought="203.0",
        ys=[chart.Tick(at, value) for value, at in enumerate(("203.0", "159.5", "116.0", "72.5", "29.0"))],
        xs=[chart.Tick("16.8", 0), chart.Tick("168.3", 1), chart.Tick("319.8", 2)],
        lines=[
            chart.ChartLine(
                party="a",
                place=0,
                strokes=["16.8,203.0 168.3,116.0 319.8,116.0"],
                marks=[chart.Spot("168.3", "116.0"), chart.Spot("319.8", "116.0")],
                name_at=chart.Spot("325.8", "116.0"),
            ),
            chart.ChartLine(
                party="b",
                place=1,
                strokes=["16.8,203.0 168.3,203.0 319.8,29.0"],
                marks=[chart.Spot("168.3", "203.0"), chart.Spot("319.8", "29.0")],
                name_at=chart.Spot("325.8", "29.0"),
            ),
        ],
        ends=[chart.DrawnEnd("319.8", "partie", 1), chart.DrawnEnd("168.3", "manche", None)],
    )


def test_a_course_below_nought_from_a_later_deal_is_drawn_where_it_was_worked_out_by_hand() -> None:
    # From −50 to 150 by 50: 1740 / 200 = 8.7 a point. Amounts of five letters: 90 + 5 × 78 = 480 to the left.
    drawn = chart.draw(course((0,), (-30,), (120,), first=5), 2, tell=lambda amount: f"{amount:+05}")
    assert [(tick.at, tick.value) for tick in drawn.ys] == [
        *(("203.0", -50), ("159.5", 0), ("116.0", 50), ("72.5", 100)),
        ("29.0", 150),
    ]
    assert (drawn.left, drawn.right, drawn.nought) == ("48.0", "335.4", "159.5")
    assert [(tick.at, tick.value) for tick in drawn.xs] == [("48.0", 5), ("191.7", 6), ("335.4", 7)]
    assert drawn.lines[0].strokes == ["48.0,159.5 191.7,185.6 335.4,55.1"]


@pytest.mark.parametrize(
    ("low", "high", "values"),
    [
        (0, 0, [0, 1]),
        (-1, 0, [-1, 0]),
        (0, 5, [0, 1, 2, 3, 4, 5]),
        (0, 6, [0, 2, 4, 6]),
        (-1, 5, [-2, 0, 2, 4, 6]),
        (0, 10, [0, 2, 4, 6, 8, 10]),
        (0, 11, [0, 5, 10, 15]),
        (0, 25, [0, 5, 10, 15, 20, 25]),
        (0, 26, [0, 10, 20, 30]),
        (0, 50, [0, 10, 20, 30, 40, 50]),
        (0, 52, [0, 20, 40, 60]),
        (0, 500, [0, 100, 200, 300, 400, 500]),
        (0, 501, [0, 200, 400, 600]),
    ],
)
def test_an_axis_goes_by_one_two_or_five_at_most_five_steps(low: int, high: int, values: list[int]) -> None:
    assert [tick.value for tick in chart.draw(course((0,), (low,), (high,)), 1).ys] == values


@pytest.mark.parametrize(
    ("first", "last", "deals"),
    [
        (0, 6, [0, 1, 2, 3, 4, 5, 6]),
        (0, 7, [0, 2, 4, 6]),
        (3, 13, [4, 6, 8, 10, 12]),
        (5, 40, [10, 20, 30, 40]),
        (0, 1, [0, 1]),
    ],
)
def test_deals_are_counted_along_the_drawing_in_at_most_six_steps(first: int, last: int, deals: list[int]) -> None:
    drawn = chart.draw(course(*[(0,)] * (last - first + 1), first=first), 1)
    assert [tick.value for tick in drawn.xs] == deals


def test_a_sheet_without_a_deal_has_room_for_one() -> None:
    drawn = chart.draw(course((0,)), 1)
    assert [tick.value for tick in drawn.xs] == [0, 1]
    assert drawn.lines[0].marks == [chart.Spot(drawn.left, drawn.bottom)]


def names_at(*amounts: int) -> list[int]:
    drawn = chart.draw(course(tuple(0 for _ in amounts), amounts), 1)
    return [int(line.name_at.y.replace(".", "")) for line in drawn.lines]


def test_names_that_would_lie_upon_each_other_are_moved_apart_in_their_order() -> None:
    assert names_at(4, 4, 4, 0) == [290, 440, 590, 2030]
    assert names_at(0, 0, 4) == [1880, 2030, 290]
    assert names_at(0, 4, 0, 0) == [1730, 290, 1880, 2030]
    # A hundredth of 1740 apart, so that the lower one moves: 290 + 17 against 290 + 150.
    assert names_at(99, 100) == [440, 290]
    assert names_at(50, 100) == [1160, 290]


def marks(parties: int, *runs: int) -> list[list[int]]:
    """Return, by party, the indexes of the points that are marked, counted across runs."""
    zero = dict.fromkeys("abcdefgh"[:parties], 0)
    points, deal = [], 0
    for length in runs:
        points.append([chart.ScorePoint(deal + at, zero) for at in range(length + 1)])
        deal += length
    drawn = chart.draw(chart.ChartData(tuple(zero), points, []), 1)
    at = [spot for stroke in drawn.lines[0].strokes for spot in stroke.split()[1:]]
    return [[at.index(f"{mark.x},{mark.y}") for mark in line.marks] for line in drawn.lines]


def test_a_long_line_carries_its_shape_at_every_second_or_third_point_and_at_its_end() -> None:
    assert marks(1, 9) == [list(range(9))]
    assert marks(2, 10) == [[0, 2, 4, 6, 8, 9], [1, 3, 5, 7, 9]]
    assert marks(3, 20) == [[0, 3, 6, 9, 12, 15, 18, 19], [2, 5, 8, 11, 14, 17, 19], [1, 4, 7, 10, 13, 16, 19]]


def test_each_run_ends_with_a_shape_unless_there_are_too_many() -> None:
    assert marks(1, 5, 5, 5) == [[0, 2, 4, 6, 8, 9, 10, 12, 14]]
    assert marks(1, *[3] * 9) == [sorted([*range(0, 27, 3), *range(2, 27, 3)])]
    assert marks(1, *[3] * 10) == [[*range(0, 30, 4), 29]]


def after(slug: str, *deals: dict[str, object]) -> Standing:
    game = games()[slug]
    standing = game.open(("1", "2", "3", "4")[: game.player_counts[0]], "1", game.options())
    assert fold(game, standing, deals) is None
    return standing


OUT = {"adjustment": {"to": "ns", "points": 10}}
WINS = {"adjustment": {"to": "1", "points": 6}}


@pytest.mark.parametrize(
    ("deals", "every", "drawn"),
    [(119, 1, [*range(120)]), (120, 2, [*range(0, 121, 2)]), (121, 2, [*range(0, 121, 2), 121])],
)
def test_of_more_than_a_hundred_and_twenty_balances_every_second_is_drawn(
    deals: int, every: int, drawn: list[int]
) -> None:
    data = chart.balances(games()["whist"], after("whist", *[{"misdeal": True}] * deals))
    assert data.every == every
    assert [point.deal for point in data.runs[0]] == drawn


def test_forty_ends_are_shown_and_no_more() -> None:
    francion = games()["francion"]
    assert len(chart.balances(francion, after("francion", *[WINS] * 40)).ends) == 40
    assert chart.balances(francion, after("francion", *[WINS] * 41)).ends == []


def test_the_greatest_of_what_ended_with_a_deal_is_shown() -> None:
    standing = after("whist", OUT, OUT, {"misdeal": True})
    assert chart.scores(standing, 0, 3).ends == [chart.End(1, "manche", "ns"), chart.End(2, "robre", "ns")]
    assert chart.scores(standing, 1, 3).ends == [chart.End(2, "robre", "ns")]


def test_scores_start_at_nought_where_a_manche_had_just_ended() -> None:
    seven = {"tricks": {"ns": 7}}
    standing = after("whist", seven, OUT, seven, OUT)
    zero = {"ns": 0, "ew": 0}
    assert chart.scores(standing, 2, 3).runs == [[chart.ScorePoint(2, zero), chart.ScorePoint(3, {"ns": 1, "ew": 0})]]
    assert [len(run) for run in chart.scores(standing, 0, 4).runs] == [3, 3]
    assert chart.scores(standing, 0, 0).runs == [[chart.ScorePoint(0, zero)]]
    assert chart.scores(standing, 0, 4).every == 1
    assert chart.scores(standing, 0, 4).parties == ("ns", "ew")


def test_balances_run_in_jetons_where_there_are_any() -> None:
    deal = {"tricks": {"1": 4, "2": 3, "3": 2}, "welche": {"event": "hidden"}}
    data = chart.running_balances(games()["francion"], after("francion", deal, WINS))
    # The dealer stakes nine. Two losers without a point pay twelve fiches each; the one of the deal has 1 and pays 5.
    assert data[:2] == [{"1": 0, "2": 0, "3": 0}, {"1": -5, "2": 3, "3": 2}]
    assert data[2] == {"1": -5 + 9 * 24, "2": 3 - 9 * 12, "3": 2 - 9 * 12}
