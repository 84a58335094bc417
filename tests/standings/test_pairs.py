"""Partners and opponents by deal, on a made-up game whose partners change."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from scorekeeper import games as registry
from scorekeeper.models import Player, Seat, Table
from scorekeeper.scoring.game import AnyGame
from scorekeeper.standings.statistics import NET, list_games, rank_at_game
from scorekeeper.standings.totals import HeadToHeads, MetCounts, Totals
from scorekeeper.tables.revisions import RECORD, Change, first_rows
from scorekeeper.tables.state import TableState
from scorekeeper.tables.summary import SummaryData, count_pairs, summarise

TOGETHER, LOST_TOGETHER = {"taker": "1", "partner": "3"}, {"taker": "3", "partner": "1", "lost": True}
ALONE, PASSED, MISDEAL = {"taker": "2"}, {"passed": True}, {"misdeal": True}
DEALS = (TOGETHER, PASSED, LOST_TOGETHER, MISDEAL, ALONE, TOGETHER)


@pytest.fixture(autouse=True)
def game(paid_deals: AnyGame) -> AnyGame:
    return paid_deals


def table(*deals: dict[str, Any]) -> TableState:
    seats = [Seat(label=str(n), player_id=n, player=Player(name=str(n))) for n in range(1, 5)]
    row = Table(game="paid-deals", house_rules={}, dealer="1", seats=seats)
    return TableState(row, first_rows([Change(RECORD, body=deal) for deal in deals], 0, datetime(2026, 11, 22), ""))


def totals(state: TableState) -> Totals:
    return add_up(registry.games()["paid-deals"], json.loads(json.dumps(summarise(state))))


def add_up(game: AnyGame, data: SummaryData) -> Totals:
    totals = Totals()
    totals.add(1, "2026-11-22", game, data, {n: n for n in range(1, 5)}, game.slug)
    return totals


def lower_first(pairs: HeadToHeads) -> dict[str, MetCounts]:
    """Return the counts of each pair once, as "3 7", from the player with the lower id."""
    return {
        f"{player} {other}": counts
        for player, others in pairs.items()
        for other, counts in others.items()
        if player < other
    }


def test_a_player_who_sits_a_deal_out_has_not_played_it(game: AnyGame) -> None:
    state = table(*DEALS)
    sides = replace(game.counted, deal_sides=lambda _standing, row: (("1", "2"), ("3",) if row.number % 2 else ("4",)))
    waits = replace(game, counted=sides)
    data = summarise(state)
    data["pairs"] = count_pairs(waits, [(state.standing, row) for row in state.standing.rows])
    assert data["pairs"]["sat_out"] == {"3": 1, "4": 3}
    counted = add_up(game, data).games["paid-deals"]
    assert {player: totals.deals for player, totals in counted.players.items()} == {1: 4, 2: 4, 3: 3, 4: 1}


def test_a_deal_that_everybody_passed_is_not_counted_as_played() -> None:
    assert summarise(table(*DEALS))["deals"] == 4


def test_partners_win_and_lose_deals_together() -> None:
    found = lower_first(totals(table(*DEALS)).games["paid-deals"].partners)
    # 2 and 4 defended together against 1 and 3; all but 2 defended against 2 alone, and lost.
    assert found == {"1 3": (1, 2, 2), "2 4": (1, 1, 2), "1 4": (1, 0, 1), "3 4": (1, 0, 1)}


def test_opponents_are_those_of_the_other_side_in_each_deal() -> None:
    found = lower_first(totals(table(*DEALS)).games["paid-deals"].opponents)
    assert found == {"1 2": (1, 2, 2), "1 4": (1, 2, 1), "2 3": (1, 2, 2), "3 4": (1, 2, 1), "2 4": (1, 1, 0)}


def test_players_of_a_game_without_an_end_are_ranked_by_what_they_won() -> None:
    game, game_totals = registry.games()["paid-deals"], totals(table(*DEALS)).games["paid-deals"]
    ranked = rank_at_game(game, game_totals, {}, NET)
    assert [(row.rank, row.player, row.net) for row in ranked] == [
        (1, 2, 20),
        (2, 1, 0),
        (2, 3, 0),
        (4, 4, -20),
    ]


def test_a_player_s_page_has_both_partners_and_opponents() -> None:
    (played,) = list_games(1, totals(table(*DEALS)))
    assert [tuple(row) for row in played.partners] == [(3, 1, 2, 2), (4, 1, 0, 1)]
    assert [tuple(row) for row in played.opponents] == [(4, 1, 2, 1), (2, 1, 2, 2)]
    assert [(figure.name, figure.times) for figure in played.figures] == [("taken", 2)]
    assert played.nets == {"chips": 0}  # a plaque lost, ten chips won
