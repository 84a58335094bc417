"""Misdeals and adjustments, which are the same in every game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from .entries import FICHES, JETONS, POINTS, Entry, mark
from .problems import Problem
from .standing import AnyStanding
from .values import MAX_AMOUNT, Party, Player, Range


@dataclass(frozen=True)
class Misdeal:
    """The cards were misdealt: nothing is scored and the same player deals again."""

    misdeal: bool


@dataclass(frozen=True)
class Adjustment:
    """A correction the players agree on: points for one party, or counters from one player to another.

    Exactly one of `points`, `jetons` and `fiches` must be set; `from_` only for counters.
    """

    to: Party
    from_: Player | None = None
    points: Annotated[int, Range(-MAX_AMOUNT, MAX_AMOUNT)] | None = None
    jetons: Annotated[int, Range(1, MAX_AMOUNT)] | None = None
    fiches: Annotated[int, Range(1, MAX_AMOUNT)] | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Agreement:
    """An adjustment as it stands in the sheet's list of deals: `{"adjustment": {…}}`."""

    adjustment: Adjustment


def adjustment_entry(adjustment: Adjustment) -> Entry:
    """Return the mark or payment that carries out an adjustment."""
    if adjustment.points is not None:
        return mark(adjustment.to, adjustment.points, "adjustment")
    unit = JETONS if adjustment.jetons is not None else FICHES
    return Entry(adjustment.from_, adjustment.to, adjustment.jetons or adjustment.fiches or 0, unit, "adjustment")


def adjustment_problems(
    standing: AnyStanding, adjustment: Adjustment, units: tuple[str, ...], *, may_be_negative: bool
) -> list[Problem]:
    """Check an adjustment in a game with counters in these `units`.

    Unless `may_be_negative`, points that would take a score below 0 are a problem.
    """
    amounts = [unit for unit in (POINTS, JETONS, FICHES) if getattr(adjustment, unit) is not None]
    if len(amounts) != 1:
        return [Problem("adjustment", "one-amount", {"units": (POINTS, *units)})]
    if amounts == [POINTS]:
        return _points_problems(standing, adjustment, may_be_negative=may_be_negative)
    return _counters_problems(standing, adjustment, amounts[0], units)


def _points_problems(standing: AnyStanding, adjustment: Adjustment, *, may_be_negative: bool) -> list[Problem]:
    problems = []
    if adjustment.from_ is not None:
        problems.append(Problem("adjustment.from", "points-have-no-giver"))
    if adjustment.to not in standing.parties:
        kind = "player" if standing.parties == standing.players else "side"
        problems.append(Problem("adjustment.to", kind, {"found": adjustment.to, "parties": standing.parties}))
    elif not adjustment.points:
        problems.append(Problem("adjustment.points", "not-zero"))
    elif not may_be_negative and standing.scores[adjustment.to] + adjustment.points < 0:
        has = standing.scores[adjustment.to]
        problems.append(Problem("adjustment.points", "below-zero", {"party": adjustment.to, "has": has}))
    return problems


def _counters_problems(
    standing: AnyStanding, adjustment: Adjustment, unit: str, units: tuple[str, ...]
) -> list[Problem]:
    problems = []
    if unit not in units:
        problems.append(Problem(f"adjustment.{unit}", "no-such-unit", {"units": units}))
    if adjustment.to not in standing.players:
        problems.append(Problem("adjustment.to", "player", {"found": adjustment.to, "parties": standing.players}))
    if adjustment.from_ is None:
        problems.append(Problem("adjustment.from", "missing"))
    elif adjustment.from_ == adjustment.to:
        problems.append(Problem("adjustment.to", "same-player"))
    return problems
