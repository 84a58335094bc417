"""Scorings: what a result of a table is worth to each of its parties: two pairs, or four who play alone.

All scores are integers. Tables that are compared with each other (those of one round, unless boards go from table to
table) are scored together, because matchpoints depend on all of them.

More is better: where the lowest score of a table wins, results are scored with their signs changed, and shown as they
were.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from .drawing import Result

Scores = tuple[int, ...]  # of each party of a table, in order
Score = int | Fraction  # an int if it is whole

TRICKS = "tricks"  # the scoring that only fits games with a fixed number of tricks

# What decides between equals, in the scoring's order; more is better. The last is always the direct meeting: who won
# when two who are still equal played each other. Who are equal then too share the rank.
WON = "won"  # tables won
POINTS = "points"  # what the own pair scored at the tables
DIFFERENCE = "difference"  # own minus opponents'
SLAMS = "slams"

# What the results of a table are numbers of. Games without a fixed number of tricks are counted in points instead.
IN_TRICKS, IN_POINTS, IN_WINS = "tricks", "points", "wins"  # won: games, or deals

# What a round is worth to those who sit it out, as the director chose it.
SITTING_OUT = AS_WIN, AS_SIXTY, AS_AVERAGE, AS_NOTHING = "win", "sixty", "average", "nothing"


class Scoring(NamedTuple):
    slug: str
    score: Callable[[Sequence[Result]], list[Scores]]  # of tables that are compared with each other, in their order
    tie_breaks: tuple[str, ...]
    results_in: str = IN_POINTS  # or IN_TRICKS or IN_WINS; see `counted_in`
    win: int | None = None  # what a table that is won is worth; None if that is no fixed number
    sitting_out: str = AS_AVERAGE  # what a round that is sat out is worth unless the director chooses
    is_share: bool = False  # of what could be scored, because that is not the same for everybody
    is_own: bool = False  # a score is the own result of the table
    fits_alone: bool = False  # it can count what everybody makes for themselves, where nobody has a partner
    lowest_wins: bool = False  # the lowest result of a table is the best; see `under`

    def under(self, lowest_wins: bool, *, plays_alone: bool = False) -> Scoring:
        """Return the scoring for a game: whether the lowest result wins, and whether everybody plays alone.

        Where everybody plays alone, differences and slams break no ties, and sitting out counts as an average by
        default: only one of four wins a table, so that a win would be too much.
        """
        if not plays_alone:
            return self._replace(lowest_wins=lowest_wins)
        tie_breaks = tuple(slug for slug in self.tie_breaks if slug not in (DIFFERENCE, SLAMS))
        return self._replace(lowest_wins=lowest_wins, tie_breaks=tie_breaks, sitting_out=AS_AVERAGE)

    @property
    def lowest_total_wins(self) -> bool:
        """Whether own results are added up of which the lowest is the best."""
        return self.lowest_wins and self.is_own

    def flip_result(self, result: Result) -> Result:
        return result.negated() if self.lowest_wins else result

    def flip_score(self, score: Score) -> Score:
        """Turn a score for which more is better into the one that is shown, or back: -30 and 30 if the lowest wins."""
        return -score if self.lowest_total_wins else score

    def counted_in(self, tricks: int | None) -> str:
        """Return what results are in: tricks, points or wins. `tricks`: of a deal, None if they are not fixed."""
        return IN_POINTS if self.results_in == IN_TRICKS and tricks is None else self.results_in


def find_winner(scores: Scores) -> int | None:
    """Return which party has the most; None if several have."""
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else None


def _own(results: Sequence[Result]) -> list[Scores]:
    return [result.scores for result in results]


def _difference(results: Sequence[Result]) -> list[Scores]:
    return [(first - second, second - first) for first, second in _own(results)]


def _for_best(win: int, draw: int) -> Callable[[Sequence[Result]], list[Scores]]:
    def score_table(result: Result) -> Scores:
        best = max(result.scores)
        worth = win if result.scores.count(best) == 1 else draw
        return tuple(worth if each == best else 0 for each in result.scores)

    return lambda results: [score_table(result) for result in results]


def _matchpoints(results: Sequence[Result]) -> list[Scores]:
    """Compare each pair with those in its direction: 2 for each that did worse, 1 for each that did as well."""

    def compare(differences: Sequence[int]) -> list[int]:
        ordered = sorted(differences)
        return [bisect_left(ordered, each) + bisect_right(ordered, each) - 1 for each in differences]

    return list(zip(*map(compare, zip(*_difference(results), strict=True)), strict=True))


def add_boards(boards: Iterable[Scores]) -> Scores:
    return tuple(map(sum, zip(*boards, strict=True)))


def score_compared(results: Sequence[Result], scoring: Scoring, weight: int) -> tuple[list[Scores], int]:
    """Return the scores of tables that are compared with each other, and the most that one could have.

    If all of them say what was scored on each board, boards are compared one by one and added up. Otherwise it is the
    whole rounds, which then count as much as `weight` boards where scores are a share of what was possible.
    """
    most = 2 * (len(results) - 1) if scoring.is_share else 0
    counts = {len(result.boards) for result in results}
    if not scoring.is_share or weight == 0:
        return scoring.score(results), most
    if len(counts) > 1 or 0 in counts:
        return [tuple(weight * each for each in scores) for scores in scoring.score(results)], weight * most
    boards = zip(*(result.boards for result in results), strict=True)
    by_board = [scoring.score([Result(scores) for scores in of_tables]) for of_tables in boards]
    return [add_boards(scores) for scores in zip(*by_board, strict=True)], len(by_board) * most


SCORINGS = {
    each.slug: each
    for each in (
        Scoring(TRICKS, _own, (WON, SLAMS), IN_TRICKS, is_own=True),
        Scoring("difference", _difference, (WON, POINTS, SLAMS)),
        Scoring("total", _own, (WON, DIFFERENCE, SLAMS), is_own=True, fits_alone=True),
        # Two for a win, the usual points, which keep half a win whole.
        Scoring("parties", _for_best(2, 1), (DIFFERENCE, POINTS, SLAMS), IN_WINS, 2, AS_WIN, fits_alone=True),
        Scoring("matchpoints", _matchpoints, (DIFFERENCE, WON, SLAMS), is_share=True),
        Scoring("flags", _for_best(1, 0), (POINTS, DIFFERENCE, SLAMS), IN_TRICKS, win=1),
    )
}
