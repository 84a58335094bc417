"""Charts: segments, lines, ends."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest

from scorekeeper.games import games
from scorekeeper.scoring.game import fold
from scorekeeper.scoring.sheet import running_balances
from scorekeeper.scoring.standing import AnyStanding
from scorekeeper.scoring.taps import build_pad
from scorekeeper.tables import chart


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


def test_every_manche_begins_a_new_segment_at_zero() -> None:
    standing = random_standing("whist", 30)
    data = chart.scores(standing, 0, 30)
    closing = [row.number for row in standing.rows if row.closings]
    assert closing
    assert [segment[0].deal for segment in data.segments] == [0, *(deal for deal in closing if deal < 30)]
    assert all(not any(segment[0].amounts.values()) for segment in data.segments)
    assert [*data.ends] == closing
    drawn = chart.draw(data, 4)
    assert {len(line.strokes) for line in drawn.lines} == {len(data.segments)}


def test_a_part_of_a_sheet_begins_with_the_scores_after_the_deal_before_it() -> None:
    standing = random_standing("joffre", 30)
    data = chart.scores(standing, 12, 20)
    assert [point.deal for point in data.segments[0]] == list(range(12, 21))
    assert data.segments[0][0].amounts == standing.rows[11].scores


def test_a_chart_of_many_deals_has_no_ends() -> None:
    assert not chart.balances(games()["whist"], random_standing("whist", 600), 0, 600).ends


@pytest.mark.parametrize("deals", [0, 1, 2])
def test_a_sheet_of_up_to_two_deals_can_be_drawn(deals: int) -> None:
    standing = random_standing("francion", deals)
    drawn = chart.draw(chart.scores(standing, 0, deals), 8)
    assert len(drawn.lines) == 4
    assert all(len(line.strokes[0].split()) == deals + 1 for line in drawn.lines)


# --- worked by hand ----------------------------------------------------------------------------------------


def standing_after(slug: str, *deals: Mapping[str, object]) -> AnyStanding:
    game = games()[slug]
    standing = game.open(("1", "2", "3", "4")[: game.player_counts[0]], "1", game.usual_options)
    assert fold(game, standing, deals) is None
    return standing


OUT = {"adjustment": {"to": "ns", "points": 10}}
WINS = {"adjustment": {"to": "1", "points": 6}}


def test_of_several_ends_in_a_deal_the_largest_is_shown() -> None:
    misdeal = {"misdeal": True}
    standing = standing_after("whist", misdeal, OUT, misdeal, OUT, misdeal)
    assert chart.scores(standing, 0, 5).ends == {1: "manche", 2: "robre"}
    assert chart.scores(standing, 2, 5).ends == {2: "robre"}


def test_scores_start_at_zero_after_a_manche_has_ended() -> None:
    seven = {"tricks": {"ns": 7}}
    standing = standing_after("whist", seven, OUT, seven, OUT)
    zero = {"ns": 0, "ew": 0}
    assert chart.scores(standing, 2, 3).segments == [
        [chart.ScorePoint(1, zero), chart.ScorePoint(2, {"ns": 1, "ew": 0})]
    ]
    assert [len(segment) for segment in chart.scores(standing, 0, 4).segments] == [3, 3]
    assert chart.scores(standing, 0, 0).segments == [[chart.ScorePoint(0, zero)]]
    assert chart.scores(standing, 0, 4).parties == ("ns", "ew")


def test_balances_are_in_jetons_if_the_game_has_them() -> None:
    deal = {"tricks": {"1": 4, "2": 3, "3": 2}, "welche": {"event": "hidden"}}
    data = running_balances(games()["francion"], standing_after("francion", deal, WINS))
    # The dealer stakes nine. Two losers without a point pay twelve fiches each; the one of the deal has 1 and pays 5.
    assert data[:2] == [{"1": 0, "2": 0, "3": 0}, {"1": -5, "2": 3, "3": 2}]
    assert data[2] == {"1": -5 + 9 * 24, "2": 3 - 9 * 12, "3": 2 - 9 * 12}
