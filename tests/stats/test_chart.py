"""Charts: segments, points left out of long lines, coordinates, positions of labels."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.pad_state import build_pad
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.scoring.statement import running_balances
from scorekeeper.stats import chart


def random_standing(slug: str, count: int) -> AnyStanding:
    """Return a standing after some deals that were tapped at random. Targets are so high that no partie ends."""
    game, rng = games()[slug], random.Random(1)  # noqa: S311  # drawn, not secret
    rules = {"target": 10**9} if "target" in game.options.__dataclass_fields__ else {}
    standing = game.open(("1", "2", "3", "4"), "1", replace(game.usual_options, **rules))
    played = 0
    while played < count:
        taps: dict[str, str] = {}
        while (pad := build_pad(game, standing, taps)).unanswered:
            group = pad.unanswered[0]
            ruled_out = pad.left_out | pad.ruled_out
            taps[group.name] = rng.choice([c.key for c in group.choices if (group.name, c.key) not in ruled_out])
        if pad.facts.get("contract", {}).get("points") != 12 and fold(game, standing, [pad.facts]) is None:
            played += 1
    return standing


def numbers(stroke: str) -> list[tuple[int, int]]:
    """Return the points of a polyline, in tenths."""
    pairs = (pair.split(",") for pair in stroke.split())
    return [(int(x.replace(".", "")), int(y.replace(".", ""))) for x, y in pairs]


def test_every_manche_begins_a_new_segment_at_zero() -> None:
    standing = random_standing("whist", 30)
    data = chart.scores(standing, 0, 30)
    closing = [row.number for row in standing.rows if row.closings]
    assert closing
    assert [segment[0].deal for segment in data.segments] == [0, *(deal for deal in closing if deal < 30)]
    assert all(not any(segment[0].amounts.values()) for segment in data.segments)
    assert [end.deal for end in data.ends] == closing
    drawn = chart.draw(data, 4)
    assert {len(line.strokes) for line in drawn.lines} == {len(data.segments)}


def test_a_part_of_a_sheet_begins_with_the_scores_after_the_deal_before_it() -> None:
    standing = random_standing("joffre", 30)
    data = chart.scores(standing, 12, 20)
    assert [point.deal for point in data.segments[0]] == list(range(12, 21))
    assert data.segments[0][0].amounts == standing.rows[11].scores


def test_a_line_of_three_thousand_deals_is_drawn_from_few_points_with_the_last_one() -> None:
    standing = random_standing("whist", 3000)
    data = chart.balances(games()["whist"], standing)
    (points,) = data.segments
    assert len(points) <= chart.MAX_POINTS_PER_LINE + 1
    assert data.step == 26
    assert points[-1].deal == 3000
    drawn = chart.draw(data, 8)
    assert all(len(line.marks) <= 2 * chart.MAX_MARKS_PER_LINE for line in drawn.lines)
    assert not drawn.ends  # too many to be distinguishable


@pytest.mark.parametrize("deals", [0, 1, 2])
def test_a_sheet_of_up_to_two_deals_can_be_drawn(deals: int) -> None:
    standing = random_standing("francion", deals)
    drawn = chart.draw(chart.scores(standing, 0, deals), 8)
    assert len(drawn.lines) == 4
    assert all(len(numbers(line.strokes[0])) == deals + 1 for line in drawn.lines)
    assert [line.key.y for line in drawn.lines] == [line.label.y for line in drawn.lines]


def test_all_coordinates_are_within_the_chart_and_labels_do_not_overlap() -> None:
    standing = random_standing("francion", 40)
    for data in (chart.scores(standing, 0, 40), chart.balances(games()["francion"], standing)):
        drawn = chart.draw(data, 8)
        for line in drawn.lines:
            for stroke in line.strokes:
                assert all(0 <= x <= chart.WIDTH and chart.WINNERS_Y < y < chart.HEIGHT for x, y in numbers(stroke))
        labels = sorted(int(line.label.y.replace(".", "")) for line in drawn.lines)
        assert all(below - above >= chart.LABEL_HEIGHT for above, below in pairwise(labels))
        assert labels[-1] <= chart.BOTTOM


def test_larger_amounts_are_higher() -> None:
    zero, ten = {"a": 0}, {"a": 10}
    data = chart.ChartData(("a",), [[chart.ScorePoint(0, zero), chart.ScorePoint(1, ten)]], [])
    ((_, low), (_, high)) = numbers(chart.draw(data, 1).lines[0].strokes[0])
    assert high < low


@pytest.mark.parametrize("high", [0, 1, 3, 7, 11, 40, 99, 150, 12345, 10**18])
def test_an_axis_has_few_round_numbers_and_includes_all_amounts(high: int) -> None:
    data = chart.ChartData(("a",), [[chart.ScorePoint(0, {"a": -high // 3}), chart.ScorePoint(1, {"a": high})]], [])
    values = [tick.value for tick in chart.draw(data, 1).ys]
    assert values[0] <= -high // 3
    assert values[-1] >= high
    assert 2 <= len(values) <= 7
    step = values[1] - values[0]
    assert str(step).rstrip("0") in ("1", "2", "5")


# --- worked by hand ----------------------------------------------------------------------------------------


def chart_data(*amounts: tuple[int, ...], first: int = 0, ends: tuple[chart.End, ...] = ()) -> chart.ChartData:
    """Return one segment of the parties a, b, … with these amounts after each deal, from deal `first`."""
    parties = "abcdefghijkl"[: len(amounts[0])]
    points = [chart.ScorePoint(deal, dict(zip(parties, each, strict=True))) for deal, each in enumerate(amounts, first)]
    return chart.ChartData(tuple(parties), [points], list(ends))


def test_a_short_line_has_the_coordinates_worked_out_by_hand() -> None:
    # 90 beside the drawing and a letter of 78: 168 to the left; 90, four letters, and 90 for the leader:
    # 3600 − 492 = 3108 to the right.
    # 2030 − 290 = 1740 over four points: 435 each.
    drawn = chart.draw(
        chart_data((0, 0), (2, 0), (2, 4), ends=(chart.End(2, "partie", "b"), chart.End(1, "manche", "z"))), 4
    )
    assert drawn == chart.Chart(
        width="360.0",
        height="247.0",
        left="16.8",
        right="310.8",
        top="29.0",
        bottom="203.0",
        winners="21.5",
        zero="203.0",
        ys=[chart.Tick(y, value) for value, y in enumerate(("203.0", "159.5", "116.0", "72.5", "29.0"))],
        xs=[chart.Tick("16.8", 0), chart.Tick("163.8", 1), chart.Tick("310.8", 2)],
        lines=[
            chart.ChartLine(
                party="a",
                index=0,
                strokes=["16.8,203.0 163.8,116.0 310.8,116.0"],
                marks=[chart.Spot("163.8", "116.0"), chart.Spot("310.8", "116.0")],
                leader="310.8,116.0 319.8,116.0",
                key=chart.Spot("319.8", "116.0"),
                label=chart.Spot("326.8", "116.0"),
            ),
            chart.ChartLine(
                party="b",
                index=1,
                strokes=["16.8,203.0 163.8,203.0 310.8,29.0"],
                marks=[chart.Spot("163.8", "203.0"), chart.Spot("310.8", "29.0")],
                leader="310.8,29.0 319.8,29.0",
                key=chart.Spot("319.8", "29.0"),
                label=chart.Spot("326.8", "29.0"),
            ),
        ],
        ends=[chart.DrawnEnd("310.8", "partie", 1), chart.DrawnEnd("163.8", "manche", None)],
    )


def test_a_line_below_zero_from_a_later_deal_has_the_coordinates_worked_out_by_hand() -> None:
    # From −50 to 150 by 50: 1740 / 200 = 8.7 a point. Amounts of five letters: 90 + 5 × 78 = 480 to the left.
    drawn = chart.draw(chart_data((0,), (-30,), (120,), first=5), 2, format_amount=lambda amount: f"{amount:+05}")
    assert [(tick.position, tick.value) for tick in drawn.ys] == [
        *(("203.0", -50), ("159.5", 0), ("116.0", 50), ("72.5", 100)),
        ("29.0", 150),
    ]
    assert (drawn.left, drawn.right, drawn.zero) == ("48.0", "326.4", "159.5")
    assert [(tick.position, tick.value) for tick in drawn.xs] == [("48.0", 5), ("187.2", 6), ("326.4", 7)]
    assert drawn.lines[0].strokes == ["48.0,159.5 187.2,185.6 326.4,55.1"]


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
def test_a_vertical_axis_has_at_most_five_steps_of_one_two_or_five(low: int, high: int, values: list[int]) -> None:
    assert [tick.value for tick in chart.draw(chart_data((0,), (low,), (high,)), 1).ys] == values


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
def test_the_horizontal_axis_has_at_most_six_steps(first: int, last: int, deals: list[int]) -> None:
    drawn = chart.draw(chart_data(*[(0,)] * (last - first + 1), first=first), 1)
    assert [tick.value for tick in drawn.xs] == deals


def test_a_sheet_without_a_deal_has_room_for_one() -> None:
    drawn = chart.draw(chart_data((0,)), 1)
    assert [tick.value for tick in drawn.xs] == [0, 1]
    assert drawn.lines[0].marks == [chart.Spot(drawn.left, drawn.bottom)]


def label_positions(*amounts: int) -> list[int]:
    drawn = chart.draw(chart_data(tuple(0 for _ in amounts), amounts), 1)
    return [int(line.label.y.replace(".", "")) for line in drawn.lines]


def test_labels_that_would_overlap_are_moved_apart_in_their_order() -> None:
    # Four lines are 34 apart: 51 and 17 above and below their amounts.
    assert label_positions(4, 4, 4, 0) == [239, 389, 539, 2030]
    assert label_positions(0, 0, 4) == [1880, 2030, 324]
    assert label_positions(0, 4, 0, 0) == [1730, 273, 1880, 2030]
    # A hundredth of 1740 apart, so that the lower one moves: 290 + 17 against 290 + 150.
    assert label_positions(99, 100) == [440, 290]
    assert label_positions(50, 100) == [1160, 290]


def test_many_lines_that_coincide_lie_no_further_apart_than_four() -> None:
    def spread(lines: int) -> int:
        drawn = chart.draw(chart_data((0,) * lines, (0,) * lines), 1)
        heights = [numbers(line.strokes[0])[0][1] for line in drawn.lines]
        return max(heights) - min(heights)

    assert spread(12) <= spread(6) <= spread(4)


def test_lines_that_coincide_run_side_by_side_and_are_level_where_their_amounts_are() -> None:
    drawn = chart.draw(chart_data((0, 0, 0), (0, 0, 4), (0, 0, 4), (4, 0, 4)), 1)
    heights = [[y for _, y in numbers(line.strokes[0])] for line in drawn.lines]
    assert heights == [[1996, 1996, 1996, 256], [2030, 2030, 2030, 2030], [2064, 324, 324, 324]]


def test_lines_that_only_cross_are_not_moved() -> None:
    drawn = chart.draw(chart_data((0, 4), (2, 2), (4, 0)), 1)
    assert [[y for _, y in numbers(line.strokes[0])] for line in drawn.lines] == [[2030, 1160, 290], [290, 1160, 2030]]


def test_lines_that_coincide_take_turns_with_their_shapes() -> None:
    drawn = chart.draw(chart_data(*[(0, 0, 5)] * 7), 1)
    xs = [tick.position for tick in drawn.xs][1:]
    assert [[xs.index(mark.x) for mark in line.marks] for line in drawn.lines] == [[0, 2, 4], [1, 3, 5], [*range(6)]]


def winners(*deals: int, last: int) -> list[int | None]:
    ends = tuple(chart.End(deal, "manche", "a") for deal in deals)
    return [end.winner for end in chart.draw(chart_data(*[(0,)] * (last + 1), ends=ends), 1).ends]


def test_the_shapes_of_winners_are_drawn_only_if_all_have_room() -> None:
    assert winners(1, 2, 3, last=30) == [0, 0, 0]  # 3174 / 30 = 105 apart
    assert winners(1, 2, 3, last=40) == [None] * 3
    assert winners(1, 3, 5, last=40) == [0, 0, 0]


def marks(parties: int, *lengths: int) -> list[list[int]]:
    """Return, by party, the indexes of the points that are marked, counted across segments."""
    amounts = {party: index for index, party in enumerate("abcdefgh"[:parties])}
    segments, deal = [], 0
    for length in lengths:
        segments.append([chart.ScorePoint(deal + offset, amounts) for offset in range(length + 1)])
        deal += length
    drawn = chart.draw(chart.ChartData(tuple(amounts), segments, []), 1)
    points = [[spot for stroke in line.strokes for spot in stroke.split()[1:]] for line in drawn.lines]
    return [[points[line.index].index(f"{mark.x},{mark.y}") for mark in line.marks] for line in drawn.lines]


def test_a_long_line_is_marked_at_every_second_or_third_point_and_at_its_end() -> None:
    assert marks(1, 9) == [list(range(9))]
    assert marks(2, 10) == [[0, 2, 4, 6, 8, 9], [1, 3, 5, 7, 9]]
    assert marks(3, 20) == [[0, 3, 6, 9, 12, 15, 18, 19], [2, 5, 8, 11, 14, 17, 19], [1, 4, 7, 10, 13, 16, 19]]


def test_each_segment_ends_with_a_mark_unless_there_are_too_many() -> None:
    assert marks(1, 5, 5, 5) == [[0, 2, 4, 6, 8, 9, 10, 12, 14]]
    assert marks(1, *[3] * 9) == [sorted([*range(0, 27, 3), *range(2, 27, 3)])]
    assert marks(1, *[3] * 10) == [[*range(0, 30, 4), 29]]


def standing_after(slug: str, *deals: Mapping[str, object]) -> AnyStanding:
    game = games()[slug]
    standing = game.open(("1", "2", "3", "4")[: game.player_counts[0]], "1", game.usual_options)
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
    data = chart.balances(games()["whist"], standing_after("whist", *[{"misdeal": True}] * deals))
    assert data.step == every
    assert [point.deal for point in data.segments[0]] == drawn


def test_forty_ends_are_shown_and_no_more() -> None:
    francion = games()["francion"]
    assert len(chart.balances(francion, standing_after("francion", *[WINS] * 40)).ends) == 40
    assert chart.balances(francion, standing_after("francion", *[WINS] * 41)).ends == []


def test_of_several_ends_in_a_deal_the_largest_is_shown() -> None:
    misdeal = {"misdeal": True}
    standing = standing_after("whist", misdeal, OUT, misdeal, OUT, misdeal)
    assert chart.scores(standing, 0, 5).ends == [chart.End(1, "manche", "ns"), chart.End(2, "robre", "ns")]
    assert chart.scores(standing, 2, 5).ends == [chart.End(2, "robre", "ns")]


def test_scores_start_at_zero_after_a_manche_has_ended() -> None:
    seven = {"tricks": {"ns": 7}}
    standing = standing_after("whist", seven, OUT, seven, OUT)
    zero = {"ns": 0, "ew": 0}
    assert chart.scores(standing, 2, 3).segments == [
        [chart.ScorePoint(1, zero), chart.ScorePoint(2, {"ns": 1, "ew": 0})]
    ]
    assert [len(segment) for segment in chart.scores(standing, 0, 4).segments] == [3, 3]
    assert chart.scores(standing, 0, 0).segments == [[chart.ScorePoint(0, zero)]]
    assert chart.scores(standing, 0, 4).step == 1
    assert chart.scores(standing, 0, 4).parties == ("ns", "ew")


def test_balances_are_in_jetons_if_the_game_has_them() -> None:
    deal = {"tricks": {"1": 4, "2": 3, "3": 2}, "welche": {"event": "hidden"}}
    data = running_balances(games()["francion"], standing_after("francion", deal, WINS))
    # The dealer stakes nine. Two losers without a point pay twelve fiches each; the one of the deal has 1 and pays 5.
    assert data[:2] == [{"1": 0, "2": 0, "3": 0}, {"1": -5, "2": 3, "3": 2}]
    assert data[2] == {"1": -5 + 9 * 24, "2": 3 - 9 * 12, "3": 2 - 9 * 12}
