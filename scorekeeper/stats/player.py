"""Statistics of a player and of a circle, computed from period totals and sorted for display."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from ..scoring.accounts import is_currency
from ..scoring.game import Game
from ..scoring.statement import balances_in_unit, settlement_unit
from .totals import Counts, GameTotals, PlayerGameTotals, Record, Totals

A_RUN = 2  # contests won in a row, at least


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
    """A player's totals at one game."""

    game: Game
    played: PlayerGameTotals
    partners: list[HeadToHead]
    opponents: list[HeadToHead]
    figures: list[FigureTotals]


class BalancePoint(NamedTuple):
    """The change of a player's balance in an evening, month or year, and the balance after it, in subunits."""

    when: str
    brought: int
    after: int


class Ranking(NamedTuple):
    """A player's rank at a game. Equal players share a rank. `net` is in the unit in which the game is settled."""

    rank: int
    player: str
    played: PlayerGameTotals
    net: int


class WinningStreak(NamedTuple):
    """A number of contests won in a row, and the players who did so."""

    length: int
    players: list[str]


def share(won: int, played: int) -> int:
    """Return the percentage won, rounded half up."""
    return (200 * won + played) // (2 * played)


# --- a player ----------------------------------------------------------------------------------------------


def games_of(player: str, tally: Totals, games: Mapping[str, Game]) -> list[PlayerAtGame]:
    """Return a player's games, the one with most tables first."""
    seen = [_seen(player, at, games[slug]) for slug, at in tally.games.items() if player in at.players]
    return sorted(seen, key=lambda one: (-one.played.tables, one.game.slug))


def _seen(player: str, at: GameTotals, game: Game) -> PlayerAtGame:
    played = at.players[player]
    return PlayerAtGame(
        game,
        played,
        partners=_met(HeadToHead(other, *told) for other, told in at.with_whom(player).items()),
        opponents=_met(HeadToHead(other, *told) for other, told in at.against_whom(player).items()),
        figures=[group for name in game.figure_names if (group := _group(name, played.figures)).times],
    )


def _met(told: Iterable[HeadToHead]) -> list[HeadToHead]:
    return sorted(told, key=lambda met: (-met.tables, -met.won, met.lost, int(met.player)))


def together(lists: Iterable[Iterable[HeadToHead]]) -> list[HeadToHead]:
    """The same people over several games."""
    by_player: dict[str, HeadToHead] = {}
    for player, *told in (met for one in lists for met in one):
        known = by_player.get(player, HeadToHead(player, 0, 0, 0))
        by_player[player] = HeadToHead(player, *(a + b for a, b in zip(known[1:], told, strict=True)))
    return _met(by_player.values())


def _group(name: str, figures: Counts) -> FigureTotals:
    parts = [(key.removeprefix(f"{name}."), count) for key, count in figures.items() if key.startswith(f"{name}.")]
    whole = figures.get(name, 0) + sum(count for _, count in parts)
    return FigureTotals(name, whole, sorted(parts, key=lambda part: _in_order(part[0])))


def _in_order(part: str) -> tuple[int, str]:
    """Numbers by size (7, 7-no-trump, 8, 12), then words."""
    number = part.partition("-")[0]
    return (int(number), part) if number.isdecimal() else (10**9, part)


def money_of(player: str, tally: Totals) -> dict[str, int]:
    """Return a player's net result in each currency, in subunits."""
    sums = {
        account: [nets[player] for nets in course.values() if player in nets]
        for account, course in tally.courses.items()
        if is_currency(account)
    }
    return {account: sum(nets) for account, nets in sorted(sums.items()) if nets}


def courses_of(player: str, tally: Totals) -> dict[str, list[BalancePoint]]:
    """How a player's balances have run, the account with most evenings (or months) first."""
    courses = {account: _course(player, course) for account, course in tally.courses.items()}
    told = [(account, points) for account, points in courses.items() if any(point.brought for point in points)]
    return dict(sorted(told, key=lambda item: (-len(item[1]), not is_currency(item[0]), item[0])))


def _course(player: str, course: Mapping[str, Counts]) -> list[BalancePoint]:
    points: list[BalancePoint] = []
    for when in sorted(when for when, nets in course.items() if player in nets):
        brought = course[when][player]
        points.append(BalancePoint(when, brought, brought + (points[-1].after if points else 0)))
    return points


# --- the circle --------------------------------------------------------------------------------------------


def ranking(game: Game, at: GameTotals, *, by_net: bool = False) -> list[Ranking]:
    """Rank the players of a game by contests won, or by net result. Ties are listed by fewest contests."""
    unit, contest = settlement_unit(game), game.contest
    nets = balances_in_unit(
        {player: dict.fromkeys(game.units, 0) | one.net for player, one in at.players.items()}, unit
    )
    won = nets if by_net else {player: one.won.get(contest, 0) for player, one in at.players.items()}
    rank = {amount: 1 + sum(other > amount for other in won.values()) for amount in won.values()}
    order = sorted(at.players, key=lambda who: (-won[who], at.players[who].played.get(contest, 0), int(who)))
    return [Ranking(rank[won[player]], player, at.players[player], nets[player]) for player in order]


def longest_run(at: GameTotals) -> WinningStreak | None:
    """The most contests won in a row by anybody, and all who have done it."""
    runs = [
        WinningStreak(length, players) for length, players in _runs({who: p.run.best for who, p in at.players.items()})
    ]
    return runs[0] if runs else None


def under_way(at: GameTotals) -> list[WinningStreak]:
    """Runs that the next contest may lengthen, the longest first."""
    return [
        WinningStreak(length, players) for length, players in _runs({who: p.run.end for who, p in at.players.items()})
    ]


def _runs(lengths: Mapping[str, int]) -> list[tuple[int, list[str]]]:
    order = sorted((-length, int(who)) for who, length in lengths.items() if length >= A_RUN)
    return [(-length, [str(who) for _, who in equal]) for length, equal in groupby(order, lambda told: told[0])]


def records_of(game: Game, at: GameTotals) -> list[tuple[str, Record]]:
    """Return the records set at a game by name of the feat, in the game's order."""
    return [(name, at.records[name]) for name in game.feat_names if name in at.records]
