"""The effect of entries on a standing, those of a deal and those due when the players stop; and what a deal ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from .entries import POINTS, POT, Entry
from .standing import AnyStanding, Closing, Row

if TYPE_CHECKING:  # game.py imports this module
    from .game import AnyGame

_MAX_CLOSINGS = 100  # of one deal, more than any game has


def apply_entries(game: AnyGame, standing: AnyStanding, row: Row, entries: Iterable[Entry]) -> None:
    """Add entries to the row, the scores and the balances, leaving out those with the amount 0."""
    scores, scored, balances, row_entries = standing.scores, row.scored, standing.balances, row.entries
    for entry in entries:
        giver, taker, amount, unit, _ = entry
        if not amount:
            continue
        row_entries.append(entry)
        if unit == POINTS:
            scores[taker] += amount  # type: ignore[index]  # a mark has a taker
            scored[taker] += amount  # type: ignore[index]  # a mark has a taker
            continue
        if giver is not POT:
            balances[giver][unit] -= amount
        if taker is not POT:
            balances[taker][unit] += amount
        if game.scores_are_payments:
            _score_payment(row, standing, entry, amount * game.worth_of(unit))


def _score_payment(row: Row, standing: AnyStanding, entry: Entry, points: int) -> None:
    """Count a payment as points won and lost."""
    for player, change in ((entry.giver, -points), (entry.taker, points)):
        if player in standing.scores:  # neither the pot nor somebody who has left
            standing.scores[player] += change
            row.scored[player] += change


def list_closings(game: AnyGame, standing: AnyStanding) -> Iterator[Closing]:
    """Yield what the last row has ended. Raises RuntimeError if `close` never says that nothing more has."""
    for _ in range(_MAX_CLOSINGS):
        if (closing := game.close(standing)) is None:
            return
        yield closing
    raise RuntimeError(f"close returned {closing!r} again and again; it must return None in the end")


def stop(game: AnyGame, standing: AnyStanding) -> AnyStanding:
    """Return the standing with the payments that are due when the players stop, in its last row; itself without any."""
    if game.stop is None or not standing.rows:
        return standing
    entries = [entry for entry in game.stop(standing) if entry.amount]
    if not entries:
        return standing
    stopped, last = standing.copy(), standing.rows[-1]
    stopped.rows[-1] = replace(last, entries=last.entries.copy(), scored=last.scored.copy())
    apply_entries(game, stopped, stopped.rows[-1], entries)
    return stopped
