"""Statistics of a player and of a circle, computed from totals and sorted for display."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from ..games import slug_of
from ..scoring.currency import is_currency
from ..scoring.game import AnyGame
from ..scoring.sheet import balances_in_unit, settlement_unit
from .ranking import Wins
from .totals import Counts, GameTotals, HeadToHeads, PlayerGameTotals, Totals

MIN_STREAK = 2  # contests won in a row
MONTH = len("2026-11")  # characters of a date
MAX_MONTHS_BY_EVENING = 12  # with more, a balance is drawn by month


class HeadToHead(NamedTuple):
    """A player's results with a partner or against an opponent: tables played, contests won and lost."""

    player: str
    tables: int
    won: int
    lost: int


class FigureTotals(NamedTuple):
    """How often an event of the game happened, in total and by part (such as the number of tricks bid)."""

    name: str
    times: int
    parts: list[tuple[str, int]]


@dataclass(frozen=True)
class PlayerAtGame:
    """A player's statistics at one game. `key` tells described games apart: see `make_game_key`."""

    key: str
    game: AnyGame
    totals: PlayerGameTotals
    partners: list[HeadToHead]
    opponents: list[HeadToHead]
    figures: list[FigureTotals]

    @property
    def wins(self) -> list[tuple[str, Wins]]:
        """The contests of each kind that has been played, the largest first."""
        won, played = self.totals.won, self.totals.played
        return [
            (kind, Wins(won.get(kind, 0), played[kind]))
            for kind in reversed(self.game.ending.kinds)
            if played.get(kind)
        ]

    @property
    def nets(self) -> dict[str, int]:
        """The net counters by unit; in a game whose scores are payments, all in the smallest."""
        by_unit = {unit: self.totals.net.get(unit, 0) for unit in self.game.units}
        if not self.game.stakes.scores_are_payments:
            return by_unit
        return {settlement_unit(self.game): balances_in_unit(self.game, {"": by_unit})[""]}


class BalancePoint(NamedTuple):
    """The change of a player's balance in an evening or a month, and the balance after it, in subunits."""

    when: str
    change: int
    balance: int


class WinningStreak(NamedTuple):
    length: int
    players: list[str]


# --- a player ----------------------------------------------------------------------------------------------


def list_games(player: str, totals: Totals, games: Mapping[str, AnyGame]) -> list[PlayerAtGame]:
    """Return a player's statistics by game, the game with most tables first."""
    statistics = [
        _player_at_game(player, key, game_totals, games[slug_of(key)])
        for key, game_totals in totals.games.items()
        if player in game_totals.players
    ]
    return sorted(statistics, key=lambda at_game: (-at_game.totals.tables, at_game.key))


def _player_at_game(player: str, key: str, game_totals: GameTotals, game: AnyGame) -> PlayerAtGame:
    totals = game_totals.players[player]
    figures = [_figure_totals(name, totals.figures) for name in game.counted.figure_names]
    return PlayerAtGame(
        key,
        game,
        totals,
        partners=_head_to_heads(player, game_totals.partners),
        opponents=_head_to_heads(player, game_totals.opponents),
        figures=[figure for figure in figures if figure.times],
    )


def _head_to_heads(player: str, pairs: HeadToHeads) -> list[HeadToHead]:
    return _sorted(HeadToHead(other, *counts) for other, counts in pairs.get(player, {}).items())


def _sorted(results: Iterable[HeadToHead]) -> list[HeadToHead]:
    """Sort by most tables, then most contests won, then fewest lost."""
    return sorted(results, key=lambda result: (-result.tables, -result.won, result.lost, int(result.player)))


def add_head_to_heads(lists: Iterable[Iterable[HeadToHead]]) -> list[HeadToHead]:
    """Add up the results with each player over several games."""
    by_player: dict[str, HeadToHead] = {}
    for results in lists:
        for player, *counts in results:
            total = by_player.get(player, HeadToHead(player, 0, 0, 0))
            by_player[player] = HeadToHead(player, *(a + b for a, b in zip(total[1:], counts, strict=True)))
    return _sorted(by_player.values())


def _figure_totals(name: str, figures: Counts) -> FigureTotals:
    parts = [(key.removeprefix(f"{name}."), count) for key, count in figures.items() if key.startswith(f"{name}.")]
    times = figures.get(name, 0) + sum(count for _, count in parts)
    return FigureTotals(name, times, sorted(parts, key=lambda part: _part_order(part[0])))


def _part_order(part: str) -> tuple[int, str]:
    """Return a sort key: numbers by size (7, 7-no-trump, 8, 12), then words."""
    number = part.partition("-")[0]
    return (int(number), part) if number.isdecimal() else (10**9, part)


def add_up_money(player: str, totals: Totals) -> dict[str, int]:
    nets_by_account = {
        account: [nets[player] for nets in nets_by_date.values() if player in nets]
        for account, nets_by_date in totals.net_results.items()
        if is_currency(account)
    }
    return {account: sum(nets) for account, nets in sorted(nets_by_account.items()) if nets}


def list_balance_history(player: str, totals: Totals) -> dict[str, list[BalancePoint]]:
    """Return the points of a player's balance in each account, the account with most points first.

    A point is an evening; a month where there would be too many.
    """
    histories = [(account, _balance_points(player, nets)) for account, nets in totals.net_results.items()]
    moved = [(account, points) for account, points in histories if any(point.change for point in points)]
    return dict(sorted(moved, key=lambda item: (-len(item[1]), not is_currency(item[0]), item[0])))


def _balance_points(player: str, nets_by_date: Mapping[str, Counts]) -> list[BalancePoint]:
    changes = {day: nets[player] for day, nets in sorted(nets_by_date.items()) if player in nets}
    months = len({day[:MONTH] for day in changes})
    length = MONTH if months > MAX_MONTHS_BY_EVENING else None
    points: list[BalancePoint] = []
    for when, days in groupby(changes, lambda day: day[:length]):
        change = sum(changes[day] for day in days)
        points.append(BalancePoint(when, change, change + (points[-1].balance if points else 0)))
    return points


# --- the circle --------------------------------------------------------------------------------------------


def find_contest(game: AnyGame, game_totals: GameTotals) -> str | None:
    """Return the kind of end by which players are ranked; None before the first of this kind."""
    return game.contest if game_totals.ended.get(game.contest or "") else None


def list_streaks(game_totals: GameTotals, kind: Literal["streak", "best_streak"]) -> list[WinningStreak]:
    """Return the winning streaks that the next contest may extend, or each player's best; the longest first.

    Players with equally long ones are together. One contest is no streak.
    """
    lengths = ((getattr(totals, kind), player) for player, totals in game_totals.players.items())
    order = sorted((-length, int(player)) for length, player in lengths if length >= MIN_STREAK)
    return [
        WinningStreak(-negative_length, [str(player) for _, player in group])
        for negative_length, group in groupby(order, lambda item: item[0])
    ]
