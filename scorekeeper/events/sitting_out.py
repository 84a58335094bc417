"""What a round that somebody sits out is worth to them: what the director chose, exactly.

A win is what bridge and chess players give to whom the draw leaves without opponents (FIDE Handbook, C.04.1). The
average of one's own other rounds and 60 percent are those of the Laws of Duplicate Bridge 2017, 12C2, for who could not
play a board through no fault of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from ..scoring.sides import SIDES
from .drawing import Result
from .scoring import AS_AVERAGE, AS_NOTHING, AS_ROUNDED, AS_SIXTY, AS_WIN, Score, Scores, Scoring, find_winner

SIXTY = Fraction(3, 5)


class ScoredResult(NamedTuple):
    """A result of a table, of which more is better, and what it is worth; `most`: what it could be, 0 for no limit."""

    result: Result
    scores: Scores
    most: int


def credit(
    choice: str, scoring: Scoring, own: tuple[int, int], tables: Sequence[ScoredResult], tables_of_row: int
) -> Score | None:
    """Return what one round that was sat out is worth; None if that is not known yet.

    Args:
        choice: one of the constants of `scoring`.
        scoring: what results are worth.
        own: the score of the own rounds, and their number.
        tables: those of the round that have a result.
        tables_of_row: at how many tables one row of the standings plays in a round.
    """
    score, played = own
    if choice == AS_ROUNDED and played:
        return (2 * score + played) // (2 * played)
    if choice == AS_AVERAGE and played:
        return whole(Fraction(score, played))
    if choice in (AS_NOTHING, AS_ROUNDED) or not tables:
        return None
    return whole(_OF_A_TABLE[choice](scoring, tables) * tables_of_row)


def estimate_most(tables: Sequence[ScoredResult]) -> Score:
    """Return the most that could be scored at a table of the round, on average."""
    return whole(_mean(table.most for table in tables)) if tables else 0


def whole(value: Score) -> Score:
    """Return a whole number as an int."""
    return value.numerator if value.denominator == 1 else value


def _win(scoring: Scoring, tables: Sequence[ScoredResult]) -> Fraction:
    """Return what a win is worth; where that is no fixed number, what those have who won a table, on average."""
    if scoring.win is not None:
        return Fraction(scoring.win)
    winners = ((table, find_winner(table.result.scores)) for table in tables)
    won = [table.scores[winner] for table, winner in winners if winner is not None]
    return _mean(won) if won else _average(scoring, tables)


def _sixty(scoring: Scoring, tables: Sequence[ScoredResult]) -> Fraction:
    """Return what it is worth to have 60 percent of all that is made at a table, on average; 40 of what is bad.

    For one of two sides, that is a fifth better than the average; so it is where everybody plays alone.
    """
    if scoring.is_share:
        return SIXTY * estimate_most(tables)
    if len(tables[0].scores) > len(SIDES):
        average = _average(scoring, tables)
        return average + abs(average) / 5
    if scoring.win is not None:
        return SIXTY * scoring.win
    made = sum(sum(table.result.scores) for table in tables)
    shares = (2, 3) if scoring.lowest_wins else (3, 2)
    [(first, *_)] = scoring.score([Result((shares[0] * made, shares[1] * made))])  # in fifths
    return Fraction(first, 5 * len(tables))


def _average(_scoring: Scoring, tables: Sequence[ScoredResult]) -> Fraction:
    return _mean(score for table in tables for score in table.scores)


def _mean(values: Iterable[int]) -> Fraction:
    listed = list(values)
    return Fraction(sum(listed), len(listed))


_OF_A_TABLE = {AS_WIN: _win, AS_SIXTY: _sixty, AS_AVERAGE: _average}


def rounded(score: Score) -> int | Decimal:
    """Return a score as it is shown: a fraction is rounded to two decimal places, half to even."""
    return score if isinstance(score, int) else Decimal(round(score * 100)).scaleb(-2)
