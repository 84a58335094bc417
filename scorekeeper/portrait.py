"""What a tally tells of one player and of the whole circle, in the order in which it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from .scoring.accounts import is_currency
from .scoring.game import Game
from .scoring.statement import settling_unit, totals
from .tally import AtGame, Counts, Played, Record, Tally

A_RUN = 2  # contests won in a row, at least


class Met(NamedTuple):
    """Somebody a player has sat with or against: tables, and contests won and lost."""

    player: str
    tables: int
    won: int
    lost: int


class Group(NamedTuple):
    """A figure of the game: how often in all, and by part where it has parts."""

    name: str
    times: int
    parts: list[tuple[str, int]]


@dataclass(frozen=True)
class Seen:
    """A player at a game."""

    game: Game
    played: Played
    partners: list[Met]
    opponents: list[Met]
    figures: list[Group]


class Point(NamedTuple):
    """A player's balance in an account after an evening or a month, and what that one brought; grains."""

    when: str
    brought: int
    after: int


class Ranked(NamedTuple):
    """`rank` is shared by those who are equal; `net` is in the unit the game is settled in."""

    rank: int
    player: str
    played: Played
    net: int


class InARow(NamedTuple):
    """Contests won in a row, by each of these players."""

    length: int
    players: list[str]


def share(won: int, played: int) -> int:
    """Of a hundred, half rounded up."""
    return (200 * won + played) // (2 * played)


# --- a player ----------------------------------------------------------------------------------------------


def games_of(player: str, tally: Tally, games: Mapping[str, Game]) -> list[Seen]:
    """The games that somebody has played, the one with most tables first."""
    seen = [_seen(player, at, games[slug]) for slug, at in tally.games.items() if player in at.players]
    return sorted(seen, key=lambda one: (-one.played.tables, one.game.slug))


def _seen(player: str, at: AtGame, game: Game) -> Seen:
    played = at.players[player]
    return Seen(
        game,
        played,
        partners=_met(Met(other, *told) for other, told in at.with_whom(player).items()),
        opponents=_met(Met(other, *told) for other, told in at.against_whom(player).items()),
        figures=[group for name in game.figure_names if (group := _group(name, played.figures)).times],
    )


def _met(told: Iterable[Met]) -> list[Met]:
    return sorted(told, key=lambda met: (-met.tables, -met.won, met.lost, int(met.player)))


def together(lists: Iterable[Iterable[Met]]) -> list[Met]:
    """The same people over several games."""
    by_player: dict[str, Met] = {}
    for player, *told in (met for one in lists for met in one):
        known = by_player.get(player, Met(player, 0, 0, 0))
        by_player[player] = Met(player, *(a + b for a, b in zip(known[1:], told, strict=True)))
    return _met(by_player.values())


def _group(name: str, figures: Counts) -> Group:
    parts = [(key.removeprefix(f"{name}."), count) for key, count in figures.items() if key.startswith(f"{name}.")]
    whole = figures.get(name, 0) + sum(count for _, count in parts)
    return Group(name, whole, sorted(parts, key=lambda part: _in_order(part[0])))


def _in_order(part: str) -> tuple[int, str]:
    """Numbers by size (7, 7-no-trump, 8, 12), then words."""
    number = part.partition("-")[0]
    return (int(number), part) if number.isdecimal() else (10**9, part)


def money_of(player: str, tally: Tally) -> dict[str, int]:
    """What a player has won or lost in each currency, in grains."""
    sums = {
        account: [nets[player] for nets in course.values() if player in nets]
        for account, course in tally.courses.items()
        if is_currency(account)
    }
    return {account: sum(nets) for account, nets in sorted(sums.items()) if nets}


def courses_of(player: str, tally: Tally) -> dict[str, list[Point]]:
    """How a player's balances have run, the account with most evenings (or months) first."""
    courses = {account: _course(player, course) for account, course in tally.courses.items()}
    told = [(account, points) for account, points in courses.items() if any(point.brought for point in points)]
    return dict(sorted(told, key=lambda item: (-len(item[1]), not is_currency(item[0]), item[0])))


def _course(player: str, course: Mapping[str, Counts]) -> list[Point]:
    points: list[Point] = []
    for when in sorted(when for when, nets in course.items() if player in nets):
        brought = course[when][player]
        points.append(Point(when, brought, brought + (points[-1].after if points else 0)))
    return points


# --- the circle --------------------------------------------------------------------------------------------


def ranking(game: Game, at: AtGame, *, by_net: bool = False) -> list[Ranked]:
    """Everybody who has played, by contests won or by net; of equals who played less is told first."""
    unit, contest = settling_unit(game), game.contest
    nets = totals({player: dict.fromkeys(game.units, 0) | one.net for player, one in at.players.items()}, unit)
    won = nets if by_net else {player: one.won.get(contest, 0) for player, one in at.players.items()}
    rank = {amount: 1 + sum(other > amount for other in won.values()) for amount in won.values()}
    order = sorted(at.players, key=lambda who: (-won[who], at.players[who].played.get(contest, 0), int(who)))
    return [Ranked(rank[won[player]], player, at.players[player], nets[player]) for player in order]


def longest_run(at: AtGame) -> InARow | None:
    """The most contests won in a row by anybody, and all who have done it."""
    runs = [InARow(length, players) for length, players in _runs({who: p.run.best for who, p in at.players.items()})]
    return runs[0] if runs else None


def under_way(at: AtGame) -> list[InARow]:
    """Runs that the next contest may lengthen, the longest first."""
    return [InARow(length, players) for length, players in _runs({who: p.run.end for who, p in at.players.items()})]


def _runs(lengths: Mapping[str, int]) -> list[tuple[int, list[str]]]:
    order = sorted((-length, int(who)) for who, length in lengths.items() if length >= A_RUN)
    return [(-length, [str(who) for _, who in equal]) for length, equal in groupby(order, lambda told: told[0])]


def records_of(game: Game, at: AtGame) -> list[tuple[str, Record]]:
    return [(name, at.records[name]) for name in game.feat_names if name in at.records]
