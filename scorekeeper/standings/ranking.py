"""Standings: the persons of a circle in order of a result, at one game or for money in one currency."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from operator import attrgetter
from typing import NamedTuple

from ..scoring.game import AnyGame
from ..scoring.sheet import balances_in_unit
from .ratings import Rating
from .totals import Counts, GameTotals, Totals

NET, WON, PER_EVENING, RATING = "net", "won", "evening", "rating"  # what standings are ordered by


class Wins(NamedTuple):
    """How many contests of a kind somebody has won, of how many."""

    won: int
    played: int

    @property
    def percent(self) -> int:
        """The percentage won, rounded half up."""
        return (200 * self.won + self.played) // (2 * self.played)


@dataclass(frozen=True)
class StandingsRow:
    """Somebody's place and results. `rank` is shared by equals; None: not ranked yet.

    `net` is in the unit in which the game is settled, or in subunits of the currency. `won` and `played` count
    contests; both are 0 in a currency, since several games may have been played for it.
    """

    player: str
    evenings: int
    deals: int
    net: int
    won: int = 0
    played: int = 0
    rating: Rating | None = None
    rank: int | None = None

    @property
    def wins(self) -> Wins:
        return Wins(self.won, self.played)


def of_game(
    game: AnyGame,
    game_totals: GameTotals,
    ratings: Mapping[str, Rating],
    by: str,
    at_events: Collection[str] = (),
) -> list[StandingsRow]:
    """Return the standings at a game; by ratings, also those of `at_events`, who have played it at events."""
    no_counters = dict.fromkeys(game.units, 0)
    nets = balances_in_unit(game, {player: no_counters | totals.net for player, totals in game_totals.players.items()})
    contest = game.contest or ""
    rows = [
        StandingsRow(
            player,
            len(totals.evenings),
            totals.deals,
            nets[player],
            totals.won.get(contest, 0),
            totals.played.get(contest, 0),
            ratings.get(player),
        )
        for player, totals in game_totals.players.items()
    ]
    return _ranked([*rows, *_only_at_events(game_totals, ratings, at_events if by == RATING else ())], by)


def _only_at_events(
    game_totals: GameTotals, ratings: Mapping[str, Rating], at_events: Collection[str]
) -> Iterator[StandingsRow]:
    """Yield rows for those who have a rating from events, and no tables."""
    for player in at_events:
        if player not in game_totals.players and player in ratings:
            yield StandingsRow(player, 0, 0, 0, rating=ratings[player])


def in_currency(currency: str, totals: Totals, by: str) -> list[StandingsRow]:
    """Return the standings of all that was played for money in a currency."""
    nets, evenings = Counts(), Counts()
    for of_evening in totals.net_results.get(currency, {}).values():
        nets.update(of_evening)
        evenings.update(of_evening.keys())
    deals = totals.deals.get(currency, Counts())
    return _ranked([StandingsRow(player, evenings[player], deals[player], net) for player, net in nets.items()], by)


def _ranked(rows: list[StandingsRow], by: str) -> list[StandingsRow]:
    """Rank by a result, the largest first. Equals are listed by fewest contests, then fewest deals."""
    values = {row.player: _VALUES[by](row) for row in rows}
    counted = sorted((each for each in values.values() if each is not None), reverse=True)
    rows = [
        row if (value := values[row.player]) is None else replace(row, rank=1 + counted.index(value)) for row in rows
    ]
    return sorted(rows, key=lambda row: (row.rank is None, row.rank, row.played, row.deals, int(row.player)))


def _per_evening(row: StandingsRow) -> Fraction | None:
    return Fraction(row.net, row.evenings) if row.evenings else None


def _lower_end(row: StandingsRow) -> int | None:
    return None if row.rating is None or row.rating.is_provisional else row.rating.lower_end


_VALUES: dict[str, Callable[[StandingsRow], int | Fraction | None]] = {
    NET: attrgetter("net"),
    WON: attrgetter("won"),
    PER_EVENING: _per_evening,
    RATING: _lower_end,
}


# --- averages per evening and per deal: exact divisions of integers, rounded for display only

PLACES = 2  # decimal places


def divide_rounded(total: int, count: int) -> int:
    """Divide by a positive number, rounding half away from 0."""
    quotient = (2 * abs(total) + count) // (2 * count)
    return -quotient if total < 0 else quotient


def average(total: int, count: int) -> Decimal | None:
    """Return how much of a total falls on each of `count`, with two decimal places; None if the count is 0."""
    if not count:
        return None
    return Decimal(divide_rounded(total * 10**PLACES, count)).scaleb(-PLACES)
