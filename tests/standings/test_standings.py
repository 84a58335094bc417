"""Standings: ranks shared by equals, averages that are exact, and the standings of a currency."""

from __future__ import annotations

import pytest

from scorekeeper.games import games
from scorekeeper.standings import statistics
from scorekeeper.standings.ratings import Rating
from scorekeeper.standings.statistics import NET, PER_EVENING, RATING, WON, divide_rounded
from scorekeeper.standings.totals import Counts, GameTotals, PersonCounts, PlayerGameTotals, Totals

WHIST = games()["whist"]


def totals(net: int, evenings: int, won: int = 0, played: int = 0) -> PlayerGameTotals:
    counts = Counts(robre=played), Counts(robre=won), Counts(fiches=net)
    return PlayerGameTotals(1, 10, *counts, evenings={f"2026-01-0{day}" for day in range(1, evenings + 1)})


PLAYERS = GameTotals(players={1: totals(6, 3, 2, 3), 2: totals(-6, 2, 1, 5), 10: totals(6, 2, 2, 2), 3: totals(-6, 4)})
RATINGS = {1: Rating(1100, 300, 3), 2: Rating(1000, 90, 10), 10: Rating(1050, 140, 12)}


def places(by: str) -> list[tuple[int | None, int]]:
    return [(row.rank, row.player) for row in statistics.rank_at_game(WHIST, PLAYERS, RATINGS, by)]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (NET, [(1, 10), (1, 1), (3, 3), (3, 2)]),
        (WON, [(1, 10), (1, 1), (3, 2), (4, 3)]),
        (PER_EVENING, [(1, 10), (2, 1), (3, 3), (4, 2)]),
        (RATING, [(1, 10), (1, 2), (None, 3), (None, 1)]),
    ],
)
def test_equals_share_a_rank_and_who_is_not_rated_yet_has_none(by: str, expected: list[tuple[int, int]]) -> None:
    assert places(by) == expected


def test_a_currency_counts_what_was_played_for_it() -> None:
    first, second = "2026-01-01", "2026-01-02"
    all_games = Totals(
        net_results={"EUR": {first: PersonCounts({1: 5, 2: -5}), second: PersonCounts({1: -1, 2: 1})}, "whist": {}},
        deals={"EUR": PersonCounts({1: 9, 2: 8})},
    )
    rows = statistics.rank_in_currency("EUR", all_games, PER_EVENING)
    assert [(row.rank, row.player, row.net, row.evenings, row.deals) for row in rows] == [
        (1, 1, 4, 2, 9),
        (2, 2, -4, 2, 8),
    ]
    assert statistics.rank_in_currency("CHF", all_games, NET) == []


@pytest.mark.parametrize(("total", "count", "expected"), [(500, 3, 167), (-500, 3, -167), (100, 8, 13), (-100, 8, -13)])
def test_an_average_is_rounded_half_away_from_0(total: int, count: int, expected: int) -> None:
    assert divide_rounded(total, count) == expected
