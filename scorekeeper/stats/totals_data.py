"""Totals as the JSON that the database stores: `dump` writes it, `load` reads it."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from .totals import Counts, EveningSpan, GameTotals, PairCounts, PlayerGameTotals, Record, RecordOrigin, Streaks, Totals

# Dataclasses and named tuples are stored as lists of their fields in order. JSON has no tuples: when loaded, the
# tuples below are lists.
PlayerData = tuple[int, int, Counts, Counts, Counts, Counts, tuple[int, int, int, int]]
RecordData = tuple[int, int, list[tuple[int, str, int, list[str]]]]
GameData = tuple[
    int, int, Counts, dict[str, PlayerData], dict[str, PairCounts], dict[str, PairCounts], dict[str, RecordData]
]


class TotalsData(TypedDict):
    """Totals as stored JSON: `courses` holds `Totals.net_results`, `open` holds `Totals.unsettled`.

    `unread` is sorted, and left out where it is empty.
    """

    evenings: dict[str, tuple[int, str, str]]
    games: dict[str, GameData]
    courses: dict[str, dict[str, Counts]]
    open: dict[str, list[int]]
    unread: NotRequired[list[str]]


def dump(totals: Totals) -> TotalsData:
    """Return totals as compact plain JSON, for `load`."""
    data: TotalsData = {
        "evenings": dict(totals.evenings),
        "games": {slug: _dump_game(game_totals) for slug, game_totals in totals.games.items()},
        "courses": totals.net_results,
        "open": totals.unsettled,
    }
    return data | {"unread": sorted(totals.unread)} if totals.unread else data


def _dump_game(totals: GameTotals) -> GameData:
    players = {player: _dump_player(player_totals) for player, player_totals in totals.players.items()}
    records: dict[str, RecordData] = {
        name: (record.amount, record.times, [*record.origins]) for name, record in totals.records.items()
    }
    return totals.tables, totals.deals, totals.ended, players, totals.partners, totals.opponents, records


def _dump_player(totals: PlayerGameTotals) -> PlayerData:
    return totals.tables, totals.deals, totals.played, totals.won, totals.net, totals.figures, totals.streaks


def load(data: TotalsData) -> Totals:
    """Return the totals that `dump` has written."""
    return Totals(
        {player: EveningSpan(*evenings) for player, evenings in data["evenings"].items()},
        {slug: _load_game(game_data) for slug, game_data in data["games"].items()},
        data["courses"],
        data["open"],
        set(data.get("unread", ())),
    )


def _load_game(data: GameData) -> GameTotals:
    tables, deals, ended, players, partners, opponents, records = data
    return GameTotals(
        tables,
        deals,
        ended,
        {player: _load_player(player_data) for player, player_data in players.items()},
        partners,
        opponents,
        {
            name: Record(amount, times, [RecordOrigin(*origin) for origin in origins])
            for name, (amount, times, origins) in records.items()
        },
    )


def _load_player(data: PlayerData) -> PlayerGameTotals:
    tables, deals, played, won, net, figures, streaks = data
    return PlayerGameTotals(tables, deals, played, won, net, figures, Streaks(*streaks))
