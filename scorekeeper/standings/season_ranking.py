"""The table of a season: what counts of each person's evenings, their ranks and the trophies, and why.

An evening is worth what somebody made there, changed by their handicap. The best evenings count, with a bonus for each
evening, counted or not. All numbers are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from ..scoring.game import AnyGame
from ..scoring.standing import MANCHE, SIDES
from ..tables.summary import SummaryData, is_in_sides, list_seatings, split_labels
from .totals import PersonCounts

# What counts: the final scores of a game, contests won, balances in a game's counters or in money, changes of a rating.
POINTS, WON, NET, MONEY, RATING = "points", "won", "net", "money", "rating"
COUNTS = (WON, POINTS, NET, MONEY, RATING)
WITH_ANY_GAMES = (WON, MONEY)  # the others count at one game: their numbers cannot be added up
SIGNED = (NET, MONEY, RATING)

# What decides between equals; SHARED: nothing does.
BEST, EVENINGS, SHARED = "best", "evenings", "shared"
TIES = (BEST, EVENINGS, SHARED)

FACTOR = "factor"  # a kind of handicap, as is POINTS
HANDICAPS = (POINTS, FACTOR)

Evenings = Mapping[date, Mapping[int, int]]  # evening → person → result; 0 for people who only came


class EveningHandicap(NamedTuple):
    """A handicap: each evening is worth its result × factor + points."""

    points: Fraction = Fraction(0)
    factor: Fraction = Fraction(1)


class SeasonRules(NamedTuple):
    """How evenings count: see `models.Season`."""

    best: int | None = None
    least: int = 0
    bonus: int = 0
    ties: str = SHARED
    lowest_wins: bool = False


class SeasonEvening(NamedTuple):
    """An evening of a person: the result, and what it is worth with their handicap."""

    day: date
    made: int
    worth: Fraction
    is_counted: bool

    @property
    def change(self) -> Fraction:
        return self.worth - self.made


@dataclass(frozen=True)
class SeasonRow:
    player: int
    evenings: tuple[SeasonEvening, ...]
    bonus: int  # in all, not for each evening
    total: Fraction
    rank: int | None = None  # None with too few evenings
    has_equals: bool = False  # whether others have the same total
    shares_rank: bool = False  # whether nothing decided between them

    @property
    def counted(self) -> int:
        return sum(evening.is_counted for evening in self.evenings)

    def find_best(self, *, lowest_wins: bool) -> Fraction:
        worth = [evening.worth for evening in self.evenings]
        return min(worth) if lowest_wins else max(worth)


def has_points(game: AnyGame) -> bool:
    """Return whether final scores are points: they are not if points start again or are paid as they are won."""
    return MANCHE not in game.ending.kinds and not game.stakes.scores_are_payments


def add_scores(total: PersonCounts, summary: SummaryData, person_ids: Mapping[int, int]) -> None:
    """Add the scores of a table, in place: each to the person who sat there last; a side's, to both partners.

    Those who have left the table get 0: they have come, too.
    """
    scores = summary["scores"]
    for label in summary["balances"]:
        total.setdefault(person_ids[summary["seats"][label]], 0)
    for chair, label in enumerate(split_labels(list_seatings(summary)[-1]["seated"])):
        person = person_ids[summary["seats"][label]]
        score = scores[SIDES[chair % len(SIDES)]] if is_in_sides(summary) else scores[label]
        total[person] = total.get(person, 0) + score


def rank(evenings: Evenings, rules: SeasonRules, handicaps: Mapping[int, EveningHandicap]) -> list[SeasonRow]:
    """Return all who came, in order of rank; last, without a rank, those with too few evenings, most evenings first."""
    made: dict[int, dict[date, int]] = {}
    for day in sorted(evenings):
        for player, amount in evenings[day].items():
            made.setdefault(player, {})[day] = amount
    rows = [_add_up(player, days, rules, handicaps.get(player, EveningHandicap())) for player, days in made.items()]
    enough = [row for row in rows if len(row.evenings) >= rules.least]
    others = [row for row in rows if len(row.evenings) < rules.least]
    others.sort(key=lambda row: (-len(row.evenings), *_order(row, rules), row.player))
    return [*_rank_all(enough, rules), *others]


def _add_up(player: int, made: Mapping[date, int], rules: SeasonRules, handicap: EveningHandicap) -> SeasonRow:
    worth = {day: amount * handicap.factor + handicap.points for day, amount in made.items()}
    sign = 1 if rules.lowest_wins else -1
    best = {*sorted(worth, key=lambda day: (sign * worth[day], day))[: rules.best]}
    evenings = tuple(SeasonEvening(day, made[day], worth[day], day in best) for day in worth)
    bonus = -sign * rules.bonus * len(worth)  # for coming; subtracted where the fewest points win
    return SeasonRow(player, evenings, bonus, sum((worth[day] for day in best), Fraction(bonus)))


def _order(row: SeasonRow, rules: SeasonRules) -> tuple[Fraction | int, ...]:
    """Return what rows are sorted by, before ties.

    Where the fewest points win, a sum of three evenings would beat one of four: so the most evenings come first.
    """
    return (-row.counted, row.total) if rules.lowest_wins else (-row.total,)


def _break_tie(row: SeasonRow, rules: SeasonRules) -> Fraction | int:
    if rules.ties == BEST:
        best = row.find_best(lowest_wins=rules.lowest_wins)
        return best if rules.lowest_wins else -best
    return -len(row.evenings) if rules.ties == EVENINGS else 0


def _rank_all(rows: Sequence[SeasonRow], rules: SeasonRules) -> Iterator[SeasonRow]:
    """Yield rows in order with their ranks, which equals share: 1, 2, 2, 4."""
    equal = Counter(_order(row, rules) for row in rows)

    def find_key(row: SeasonRow) -> tuple[Fraction | int, ...]:
        return (*_order(row, rules), _break_tie(row, rules))

    place = 1
    for _, equals in groupby(sorted(rows, key=lambda row: (find_key(row), row.player)), key=find_key):
        group = list(equals)
        for row in group:
            has_equals = equal[_order(row, rules)] > 1
            yield replace(row, rank=place, has_equals=has_equals, shares_rank=len(group) > 1)
        place += len(group)


# --- trophies ------------------------------------------------------------------------------------------------

PLACES = ("first", "second", "third")
BEST_EVENING, MOST_EVENINGS = "best-evening", "most-evenings"


class Trophy(NamedTuple):
    """A trophy: who has it, and for what: a total, what an evening is worth, or a number of evenings."""

    kind: str
    players: tuple[int, ...]
    amount: Fraction


def award(rows: Sequence[SeasonRow], *, lowest_wins: bool) -> Iterator[Trophy]:
    """Yield the trophies of a season's table. Equals share one; only places need enough evenings."""
    for place, kind in enumerate(PLACES, start=1):
        of_place = [row for row in rows if row.rank == place]
        if of_place:
            yield Trophy(kind, tuple(row.player for row in of_place), of_place[0].total)
    if rows:
        best = {row.player: row.find_best(lowest_wins=lowest_wins) for row in rows}
        yield _award(BEST_EVENING, best, min(best.values()) if lowest_wins else max(best.values()))
        came = {row.player: Fraction(len(row.evenings)) for row in rows}
        yield _award(MOST_EVENINGS, came, max(came.values()))


def _award(kind: str, amounts: Mapping[int, Fraction], amount: Fraction) -> Trophy:
    return Trophy(kind, tuple(player for player, own in amounts.items() if own == amount), amount)
