"""Totals equal those computed from the statements."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from scorekeeper.games import games
from scorekeeper.models import Player, Seat, Table
from scorekeeper.scoring.currency import SUBUNITS_PER_UNIT
from scorekeeper.scoring.standing import MANCHE, PARTIE, ROBRE
from scorekeeper.standings.statistics import list_streaks
from scorekeeper.standings.totals import GameTotals, PersonCounts, PlayerGameTotals, Totals
from scorekeeper.tables.revisions import RECORD, Change, first_rows
from scorekeeper.tables.state import TableState, rename_players
from scorekeeper.tables.summary import SummaryData, summarise
from scorekeeper.testing.playing import open_sheet, sheets

from . import plain

FEW = settings(max_examples=15)
EVENING = date(2026, 11, 20)
# Numbers of a circle's players: more than sit at any table.
CIRCLE = range(1, 2 + max(max(game.player_counts) for game in games().values()))
VALUES = (
    None,
    {"currency": "EUR", "unit": "fiche", "amount": "0.25"},
    {"currency": "CHF", "unit": "fiche", "amount": "0.1"},
)


class PlayedTable(NamedTuple):
    """A table: its sheet, its players and its evening."""

    sheet: dict[str, Any]
    players: list[int]
    day: str


@st.composite
def tables(draw: st.DrawFn, max_size: int = 8) -> list[PlayedTable]:
    """Draw tables in order of their evenings."""
    days = sorted(draw(st.lists(st.integers(0, 70), max_size=max_size)))
    return [_table(draw, EVENING + timedelta(days=day)) for day in days]


def _table(draw: st.DrawFn, day: date) -> PlayedTable:
    sheet = draw(sheets(max_deals=8))
    value = draw(st.sampled_from(VALUES))
    players = draw(st.permutations(CIRCLE))[: len(sheet["players"])]
    return PlayedTable(sheet | ({"value": value} if value else {}), list(players), day.isoformat())


def summary_of(played: PlayedTable) -> SummaryData:
    """Return the table's summary, read back from JSON."""
    sheet, value = played.sheet, played.sheet.get("value", {})
    seats = {name: str(number) for number, name in enumerate(sheet["players"], start=1)}
    table = Table(
        game=sheet["game"],
        house_rules=sheet["house_rules"],
        dealer=seats[sheet["dealer"]],
        value_currency=value.get("currency"),
        value_unit=value.get("unit"),
        value_amount=value.get("amount"),
        has_stakes=True,
        seats=[
            Seat(seat=seat, player_id=id_, player=Player(name=str(id_)))
            for seat, id_ in zip(seats.values(), played.players, strict=True)
        ],
    )
    bodies = [rename_players(open_sheet(sheet)[0], deal, seats) for deal in sheet["deals"]]
    revisions = first_rows([Change(RECORD, body=body) for body in bodies], 0, datetime(2026, 11, 22), "")
    summary: SummaryData = json.loads(json.dumps(summarise(TableState(table, revisions))))
    return summary


def totals_of(played_tables: list[PlayedTable], merged: dict[int, int] | None = None) -> Totals:
    """Return the totals of tables, with ids in order. `merged` maps merged players to persons."""
    person_ids, totals = {id_: id_ for id_ in CIRCLE} | (merged or {}), Totals()
    for id_, played in enumerate(played_tables, start=1):
        game = games()[played.sheet["game"]]
        totals.add(id_, played.day, game, summary_of(played), person_ids, plain.key_of(played.sheet))
    return totals


def _sums(nets_by_date: Mapping[str, PersonCounts]) -> dict[int, int]:
    players = {player for nets in nets_by_date.values() for player in nets}
    return {player: sum(nets.get(player, 0) for nets in nets_by_date.values()) for player in players}


@given(tables())
@FEW
def test_totals_equal_those_computed_from_the_statements(played_tables: list[PlayedTable]) -> None:
    whole, expected = totals_of(played_tables), plain.PlainStatistics()
    for played in played_tables:
        names = dict(zip(played.sheet["players"], played.players, strict=True))
        expected.add_sheet(played.sheet, played.day, names.__getitem__)
    assert {player: whole.count_evenings(player) for player in expected.evenings} == {
        player: len(days) for player, days in expected.evenings.items()
    }
    assert whole.count_evenings() == len({played.day for played in played_tables})
    assert {(slug, player) for slug, totals in whole.games.items() for player in totals.players} == {*expected.tables}
    for slug, player in expected.tables:
        game_totals = whole.games[slug]
        assert_equal_totals(slug, player, game_totals.players[player], expected)
        assert game_totals.partners.get(player, {}) == _by_other(expected.partners, slug, player)
        assert game_totals.opponents.get(player, {}) == _by_other(expected.opponents, slug, player)
    for account, nets_by_date in whole.net_results.items():
        factor = SUBUNITS_PER_UNIT if account.isupper() else 1
        balances = expected.money if account.isupper() else expected.counters
        sums = _sums(nets_by_date)
        assert sums == {player: balances[account, player] * factor for player in sums}


def assert_equal_totals(slug: str, player: int, totals: PlayerGameTotals, expected: plain.PlainStatistics) -> None:
    contests = expected.contests[slug, player]
    assert totals.tables == expected.tables[slug, player]
    assert totals.deals == expected.deals[slug, player]
    for kind in (MANCHE, ROBRE, PARTIE):
        assert totals.played.get(kind, 0) == expected.ended[slug, player, kind]
        assert totals.won.get(kind, 0) == expected.won[slug, player, kind]
    assert all(amount == expected.net[slug, player, unit] for unit, amount in totals.net.items())
    assert (totals.best_streak, totals.streak) == (plain.longest(contests), plain.last(contests))


def _by_other(pairs: Mapping[tuple[str, int, int], list[int]], slug: str, player: int) -> dict[int, list[int]]:
    return {other: counts for (game, first, other), counts in pairs.items() if (game, first) == (slug, player)}


@given(tables())
@FEW
def test_figures_and_records_are_those_of_the_tables(played_tables: list[PlayedTable]) -> None:
    whole = totals_of(played_tables)
    for key, game_totals in whole.games.items():
        summaries = [summary_of(played) for played in played_tables if plain.key_of(played.sheet) == key]
        for player, totals in game_totals.players.items():
            seats = [
                (summary, seat) for summary in summaries for seat, id_ in summary["seats"].items() if id_ == player
            ]
            for name, count in totals.figures.items():
                assert count == sum(summary["figures"][seat].get(name, 0) for summary, seat in seats)
        for name, record in game_totals.records.items():
            amounts = [summary["feats"][name][0] for summary in summaries if name in summary["feats"]]
            assert (record.amount, record.times) == (max(amounts), amounts.count(max(amounts)))
            assert len(record.origins) == min(record.times, 3)


@given(tables())
@FEW
def test_merged_players_have_the_totals_of_one_player(played_tables: list[PlayedTable]) -> None:
    apart = [played for played in played_tables if not {1, 2} <= set(played.players)]
    merged = totals_of(apart, {2: 1})
    replaced = [played._replace(players=[1 if id_ == 2 else id_ for id_ in played.players]) for played in apart]
    assert merged == totals_of(replaced)


def test_a_streak_names_all_players_who_had_it() -> None:
    streaks = {1: (2, 4), 2: (0, 4), 10: (2, 3), 3: (1, 1)}
    game_totals = GameTotals(
        players={player: PlayerGameTotals(streak=last, best_streak=best) for player, (last, best) in streaks.items()}
    )
    assert list_streaks(game_totals, "best_streak")[0] == (4, [1, 2])
    assert list_streaks(game_totals, "streak") == [(2, [1, 10])]
