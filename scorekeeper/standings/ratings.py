"""Ratings: estimates of how well people play a game, from who won against whom, in order of play.

The method is that of Weng and Lin for a Plackett–Luce model, by the library openskill. Its numbers are floats, which
nothing that is counted or paid depends on: they leave this module as whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from openskill.models import PlackettLuce
from openskill.models.weng_lin.plackett_luce import PlackettLuceRating

from ..scoring.game import AnyGame
from ..tables.summary import SummaryData, is_in_sides, list_seatings, split_labels

MIN_CONTESTS = 10  # with fewer, a rating is provisional
SCALE = 40  # points of a rating for one of the library's
BEGINNER_POINTS = 25 * SCALE

Contest = list[list[int]]  # the persons of each team, the winners first; all others lost alike
RatingState = dict[int, tuple[PlackettLuceRating, int]]  # person → the library's rating, and the number of contests


class Rating(NamedTuple):
    """A rating for display: the true one is within `uncertainty` of `points` in 19 of 20 cases."""

    points: int
    uncertainty: int
    contests: int

    @property
    def is_provisional(self) -> bool:
        return self.contests < MIN_CONTESTS

    @property
    def lower_end(self) -> int:
        return self.points - self.uncertainty


def list_contests(game: AnyGame, summary: SummaryData, person_ids: Mapping[int, int]) -> Iterator[Contest]:
    """Yield what was won and lost at a table in order: each game's largest unit, by those who sat when it ended."""
    persons = {label: person_ids[player] for label, player in summary["seats"].items()}
    for seating in list_seatings(summary):
        seated = split_labels(seating["seated"])
        for winner in seating["ended"].get(game.contest or "", ()):
            winners = split_labels(winner)
            others = [label for label in seated if label not in winners]
            if not others or not winners:
                continue  # everybody shares it, or nobody has won
            losers = [others] if is_in_sides(summary) else [[label] for label in others]
            yield [[persons[label] for label in team] for team in (winners, *losers) if team]


def rate(state: RatingState, contests: Iterable[Contest]) -> None:
    """Continue the ratings with contests in order of play, in place."""
    model = PlackettLuce()
    for teams in contests:
        for person in {*chain(*teams)} - state.keys():
            state[person] = model.rating(), 0
        before = [[state[person][0] for person in team] for team in teams]
        rated = model.rate(before, ranks=[0, *(1 for _ in teams[1:])])
        for person, result in zip(chain(*teams), chain(*rated), strict=True):
            state[person] = result, state[person][1] + 1


def list_ratings(state: RatingState) -> dict[int, Rating]:
    return {
        person: Rating(round(SCALE * rating.mu), round(2 * SCALE * rating.sigma), contests)
        for person, (rating, contests) in state.items()
    }


def list_changes(earlier: Mapping[int, Rating], later: Mapping[int, Rating]) -> dict[int, int]:
    """Return the changes, in points, of those who have played since; of a newcomer, from a beginner's rating."""
    beginner = Rating(BEGINNER_POINTS, 0, 0)
    return {
        person: rating.points - before.points
        for person, rating in later.items()
        if (before := earlier.get(person, beginner)).contests < rating.contests
    }
