"""Totals as the JSON that the database stores: `dump` writes it, `load` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from .totals import (
    Counts,
    EveningSpan,
    GameTotals,
    PairCounts,
    Participation,
    PlayerGameTotals,
    Record,
    RecordOrigin,
    Streaks,
    Totals,
)

# Dataclasses and named tuples are stored as lists of their fields in order. JSON has no tuples: when loaded, the
# tuples below are lists.
FORMAT = 4  # counted up when what is stored changes, so that what an earlier version has stored is computed again

EveningsData = tuple[int, str, str]
PlayerData = tuple[int, int, Counts, Counts, Counts, Counts, tuple[int, int, int, int], EveningsData]
RecordData = tuple[int, int, list[tuple[int, str, int, list[str]]]]
GameData = tuple[
    int,
    int,
    Counts,
    dict[str, PlayerData],
    dict[str, PairCounts],
    dict[str, PairCounts],
    dict[str, RecordData],
    EveningsData,
]


class TotalsData(TypedDict):
    """Totals as stored JSON, in a `format`: `courses` holds `Totals.net_results`, `open` holds `Totals.unsettled`.

    `unread` is sorted, and left out where it is empty. `participation` is left out where nothing was played for money.
    """

    format: int
    evenings: dict[str, EveningsData]
    games: dict[str, GameData]
    courses: dict[str, dict[str, Counts]]
    open: dict[str, list[int]]
    unread: NotRequired[list[str]]
    participation: NotRequired[dict[str, dict[str, tuple[EveningsData, int]]]]


def dump(totals: Totals) -> TotalsData:
    """Return totals as compact plain JSON, for `load`."""
    data: TotalsData = {
        "format": FORMAT,
        "evenings": dict(totals.evenings),
        "games": {key: _dump_game(game_totals) for key, game_totals in totals.games.items()},
        "courses": totals.net_results,
        "open": totals.unsettled,
    }
    if totals.unread:
        data["unread"] = sorted(totals.unread)
    if totals.participation:
        data["participation"] = {account: {**players} for account, players in totals.participation.items()}
    return data


def _dump_game(totals: GameTotals) -> GameData:
    players = {player: _dump_player(player_totals) for player, player_totals in totals.players.items()}
    records: dict[str, RecordData] = {
        name: (record.amount, record.times, [*record.origins]) for name, record in totals.records.items()
    }
    pairs = totals.partners, totals.opponents
    return totals.tables, totals.deals, totals.ended, players, *pairs, records, totals.evenings


def _dump_player(totals: PlayerGameTotals) -> PlayerData:
    counts = totals.played, totals.won, totals.net, totals.figures
    return totals.tables, totals.deals, *counts, totals.streaks, totals.evenings


def is_current(data: Mapping[str, Any]) -> bool:
    """Return whether stored totals are in the current format, which `load` reads."""
    return data.get("format") == FORMAT


def load(data: TotalsData) -> Totals:
    """Return the totals that `dump` has written."""
    return Totals(
        {player: EveningSpan(*evenings) for player, evenings in data["evenings"].items()},
        {key: _load_game(game_data) for key, game_data in data["games"].items()},
        data["courses"],
        data["open"],
        set(data.get("unread", ())),
        {
            account: {player: Participation(EveningSpan(*evenings), deals) for player, (evenings, deals) in of.items()}
            for account, of in data.get("participation", {}).items()
        },
    )


def _load_game(data: GameData) -> GameTotals:
    tables, deals, ended, players, partners, opponents, records, evenings = data
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
        EveningSpan(*evenings),
    )


def _load_player(data: PlayerData) -> PlayerGameTotals:
    tables, deals, played, won, net, figures, streaks, evenings = data
    return PlayerGameTotals(tables, deals, played, won, net, figures, Streaks(*streaks), EveningSpan(*evenings))
