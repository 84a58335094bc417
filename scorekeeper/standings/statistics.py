"""Standings, and statistics of a player and of a circle, computed from totals and sorted for display."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Literal, NamedTuple

from ..games import games, slug_of
from ..scoring.currency import is_currency
from ..scoring.game import AnyGame
from ..scoring.sheet import balances_in_smallest_unit, settlement_unit
from .ratings import Rating
from .totals import Counts, GameTotals, HeadToHeads, PersonCounts, PlayerGameTotals, Totals

MIN_STREAK = 2  # contests won in a row
MONTH = len("2026-11")  # characters of a date
MAX_MONTHS_BY_EVENING = 12  # with more, a balance is drawn by month


class Wins(NamedTuple):
    won: int
    played: int

    @property
    def percent(self) -> int:
        """The percentage won, rounded half up."""
        return (200 * self.won + self.played) // (2 * self.played)


NO_WINS = Wins(0, 0)


class HeadToHead(NamedTuple):
    player: int  # the partner or opponent
    tables: int
    won: int  # contests, or deals
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
        return {settlement_unit(self.game): balances_in_smallest_unit(self.game, {"": by_unit})[""]}


class BalancePoint(NamedTuple):
    when: str  # an evening or a month
    change: int  # of a player's balance, in subunits
    balance: int  # after it


class WinningStreak(NamedTuple):
    length: int
    players: list[int]


# --- a player ----------------------------------------------------------------------------------------------


def list_games(player: int, totals: Totals) -> list[PlayerAtGame]:
    """Return the player's statistics at each game, the one with most tables first."""
    statistics = []
    for key, of_game in totals.games.items():
        if player not in of_game.players:
            continue
        game = games()[slug_of(key)]
        at_game = of_game.players[player]
        figures = [_add_up_figure(name, at_game.figures) for name in game.counted.figure_names]
        statistics.append(
            PlayerAtGame(
                key=key,
                game=game,
                totals=at_game,
                partners=_list_met(player, of_game.partners),
                opponents=_list_met(player, of_game.opponents),
                figures=[figure for figure in figures if figure.times],
            )
        )
    return sorted(statistics, key=lambda at_game: (-at_game.totals.tables, at_game.key))


def _list_met(player: int, pairs: HeadToHeads) -> list[HeadToHead]:
    return _sort(HeadToHead(other, *counts) for other, counts in pairs.get(player, {}).items())


def _sort(results: Iterable[HeadToHead]) -> list[HeadToHead]:
    return sorted(results, key=lambda result: (-result.tables, -result.won, result.lost, result.player))


def add_head_to_heads(lists: Iterable[Iterable[HeadToHead]]) -> list[HeadToHead]:
    by_player: dict[int, HeadToHead] = {}
    for results in lists:
        for player, *counts in results:
            total = by_player.get(player, HeadToHead(player, 0, 0, 0))
            by_player[player] = HeadToHead(player, *(a + b for a, b in zip(total[1:], counts, strict=True)))
    return _sort(by_player.values())


def _add_up_figure(name: str, figures: Counts) -> FigureTotals:
    """Return a figure with its parts in order: numbers by size (7, 7-no-trump, 8, 12), then words."""
    parts = []
    for key, count in figures.items():
        figure, dot, part = key.partition(".")
        number = part.partition("-")[0]
        if figure == name and dot:
            parts.append((int(number) if number.isdecimal() else 10**9, part, count))
    times = figures.get(name, 0) + sum(count for *_, count in parts)
    return FigureTotals(name, times, [(part, count) for _, part, count in sorted(parts)])


def list_balance_history(player: int, totals: Totals) -> dict[str, list[BalancePoint]]:
    """Return the points of a player's balance in each account, the account with most points first.

    A point is an evening; a month where there would be too many.
    """
    histories = {account: _list_balance_points(player, nets) for account, nets in totals.net_results.items()}
    moved = [item for item in histories.items() if any(point.change for point in item[1])]
    return dict(sorted(moved, key=lambda item: (-len(item[1]), not is_currency(item[0]), item[0])))


def _list_balance_points(player: int, nets_by_date: Mapping[str, PersonCounts]) -> list[BalancePoint]:
    changes = {day: nets[player] for day, nets in sorted(nets_by_date.items()) if player in nets}
    months = len({day[:MONTH] for day in changes})
    length = MONTH if months > MAX_MONTHS_BY_EVENING else None
    points: list[BalancePoint] = []
    for when, days in groupby(changes, lambda day: day[:length]):
        change = sum(changes[day] for day in days)
        points.append(BalancePoint(when, change, change + (points[-1].balance if points else 0)))
    return points


# --- the circle --------------------------------------------------------------------------------------------


def list_streaks(game_totals: GameTotals, kind: Literal["streak", "best_streak"]) -> list[WinningStreak]:
    """Return the winning streaks that the next contest may extend, or each player's best; the longest first."""
    lengths = ((getattr(totals, kind), player) for player, totals in game_totals.players.items())
    order = sorted((-length, player) for length, player in lengths if length >= MIN_STREAK)
    return [
        WinningStreak(-negative_length, [player for _, player in group])
        for negative_length, group in groupby(order, lambda item: item[0])
    ]


# --- standings: the persons of a circle in order of a result, at one game or for money in one currency ---

NET, WON, PER_EVENING, RATING = "net", "won", "evening", "rating"  # what standings are ordered by


@dataclass(frozen=True)
class StandingsRow:
    player: int
    evenings: int
    deals: int
    net: int  # in the unit in which the game is settled, or in subunits of the currency
    wins: Wins = NO_WINS  # of contests; none in a currency, since several games may have been played for it
    rating: Rating | None = None
    rank: int | None = None  # shared by equals; None: not ranked yet


def rank_at_game(
    game: AnyGame, game_totals: GameTotals, ratings: Mapping[int, Rating], by: str, at_events: Collection[int] = ()
) -> list[StandingsRow]:
    """Return the standings at a game; by ratings, also those of `at_events`, who have played it at events."""
    no_counters = dict.fromkeys(game.units, 0)
    nets = balances_in_smallest_unit(
        game, {player: no_counters | totals.net for player, totals in game_totals.players.items()}
    )
    contest = game.contest or ""
    rows = [
        StandingsRow(
            player=player,
            evenings=len(totals.evenings),
            deals=totals.deals,
            net=nets[player],
            wins=Wins(totals.won.get(contest, 0), totals.played.get(contest, 0)),
            rating=ratings.get(player),
        )
        for player, totals in game_totals.players.items()
    ]
    only_at_events = ratings.keys() & set(at_events) - game_totals.players.keys() if by == RATING else ()
    rows += [StandingsRow(player, evenings=0, deals=0, net=0, rating=ratings[player]) for player in only_at_events]
    return _rank(rows, by)


def rank_in_currency(currency: str, totals: Totals, by: str) -> list[StandingsRow]:
    nets = PersonCounts()
    evenings = PersonCounts()
    for of_evening in totals.net_results.get(currency, {}).values():
        nets.update(of_evening)
        evenings.update(of_evening.keys())
    deals = totals.deals.get(currency, PersonCounts())
    return _rank([StandingsRow(player, evenings[player], deals[player], net) for player, net in nets.items()], by)


def _rank(rows: list[StandingsRow], by: str) -> list[StandingsRow]:
    """Rank by a result, the largest first. Equals are listed by fewest contests, then fewest deals."""
    values = [_find_value(row, by) for row in rows]
    counted = sorted((value for value in values if value is not None), reverse=True)
    ranks = (None if value is None else 1 + counted.index(value) for value in values)
    rows = [replace(row, rank=rank) for row, rank in zip(rows, ranks, strict=True)]
    return sorted(rows, key=lambda row: (row.rank is None, row.rank, row.wins.played, row.deals, row.player))


def _find_value(row: StandingsRow, by: str) -> int | Fraction | None:
    """Return the result by which a person is ranked; None if they are not ranked yet."""
    if by == PER_EVENING:
        return Fraction(row.net, row.evenings) if row.evenings else None
    if by == RATING:
        return None if row.rating is None or row.rating.is_provisional else row.rating.lower_end
    return row.wins.won if by == WON else row.net


def divide_rounded(total: int, count: int) -> int:
    """Divide by a positive number, rounding half away from 0."""
    quotient = (2 * abs(total) + count) // (2 * count)
    return -quotient if total < 0 else quotient
