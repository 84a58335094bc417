"""Charts as geometry: where lines begin again, what is left out of long ones, and where names stand."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from scorekeeper import chart
from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.sheet import Sheet, load
from scorekeeper.scoring.standing import Standing
from scorekeeper.scoring.statement import settling_unit, totals

from .benchmarks.scoring import a_sheet
from .cases import sheets


def played(slug: str, deals: int) -> Standing:
    read = load(a_sheet(games()[slug], deals, random.Random(1)), games())  # noqa: S311  # drawn, not secret
    assert isinstance(read, Sheet)
    standing = read.open()
    assert fold(read.game, standing, read.deals) is None
    return standing


def numbers(stroke: str) -> list[tuple[int, int]]:
    """The points of a stroke, in tenths."""
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
        assert after[-1] == totals(standing.balances, settling_unit(game))


def test_a_line_of_three_thousand_deals_is_drawn_from_a_few_and_ends_where_it_ends() -> None:
    standing = played("whist", 3000)
    course = chart.balances(games()["whist"], standing)
    (points,) = course.runs
    assert len(points) <= chart.MOST_POINTS + 1
    assert course.every == 26
    assert points[-1].deal == 3000
    drawn = chart.draw(course, 8)
    assert all(len(line.marks) <= 2 * chart.MOST_MARKS for line in drawn.lines)
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
    nought, ten = {"a": 0}, {"a": 10}
    course = chart.Course(("a",), [[chart.Point(0, nought), chart.Point(1, ten)]], [])
    ((_, low), (_, high)) = numbers(chart.draw(course, 1).lines[0].strokes[0])
    assert high < low


@pytest.mark.parametrize("high", [0, 1, 3, 7, 11, 40, 99, 150, 12345, 10**18])
def test_an_axis_has_few_round_numbers_and_reaches_beyond_what_is_drawn(high: int) -> None:
    course = chart.Course(("a",), [[chart.Point(0, {"a": -high // 3}), chart.Point(1, {"a": high})]], [])
    values = [tick.value for tick in chart.draw(course, 1).ys]
    assert values[0] <= -high // 3
    assert values[-1] >= high
    assert 2 <= len(values) <= 7
    step = values[1] - values[0]
    assert str(step).rstrip("0") in ("1", "2", "5")
