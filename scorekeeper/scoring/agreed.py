"""Misdeals and adjustments: what belongs to every game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from .ledger import FICHES, JETONS, POINTS, Entry, mark
from .remarks import Remark
from .standing import Standing
from .values import MOST, Between, Party, Player


@dataclass(frozen=True)
class Misdeal:
    """The cards were misdealt: nothing is scored and the same player deals again."""

    misdeal: bool


@dataclass(frozen=True)
class Adjustment:
    """What the players agree outside a deal: points to one party, or counters from one player to another."""

    to: Party
    from_: Player | None = None
    points: Annotated[int, Between(-MOST, MOST)] | None = None
    jetons: Annotated[int, Between(1, MOST)] | None = None
    fiches: Annotated[int, Between(1, MOST)] | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Agreed:
    adjustment: Adjustment


def agreed_entry(agreed: Adjustment) -> Entry:
    if agreed.points is not None:
        return mark(agreed.to, agreed.points, "adjustment")
    unit = JETONS if agreed.jetons is not None else FICHES
    return Entry(agreed.from_, agreed.to, agreed.jetons or agreed.fiches or 0, unit, "adjustment")


def adjustment_faults(
    standing: Standing, agreed: Adjustment, units: tuple[str, ...], *, may_fall: bool
) -> list[Remark]:
    """What is wrong with it in a game of these counters; where scores may not fall below 0, that too."""
    amounts = [unit for unit in (POINTS, JETONS, FICHES) if getattr(agreed, unit) is not None]
    if len(amounts) != 1:
        return [Remark("adjustment", "one-amount", {"units": (POINTS, *units)})]
    if amounts == [POINTS]:
        return _points_faults(standing, agreed, may_fall=may_fall)
    return _counters_faults(standing, agreed, amounts[0], units)


def _points_faults(standing: Standing, agreed: Adjustment, *, may_fall: bool) -> list[Remark]:
    remarks = []
    if agreed.from_ is not None:
        remarks.append(Remark("adjustment.from", "points-have-no-giver"))
    if agreed.to not in standing.parties:
        kind = "player" if standing.parties == standing.players else "side"
        remarks.append(Remark("adjustment.to", kind, {"found": agreed.to, "parties": standing.parties}))
    elif not agreed.points:
        remarks.append(Remark("adjustment.points", "not-nought"))
    elif not may_fall and standing.scores[agreed.to] + agreed.points < 0:
        has = standing.scores[agreed.to]
        remarks.append(Remark("adjustment.points", "below-nought", {"party": agreed.to, "has": has}))
    return remarks


def _counters_faults(standing: Standing, agreed: Adjustment, unit: str, units: tuple[str, ...]) -> list[Remark]:
    remarks = []
    if unit not in units:
        remarks.append(Remark(f"adjustment.{unit}", "no-such-unit", {"units": units}))
    if agreed.to not in standing.players:
        remarks.append(Remark("adjustment.to", "player", {"found": agreed.to, "parties": standing.players}))
    if agreed.from_ is None:
        remarks.append(Remark("adjustment.from", "missing"))
    elif agreed.from_ == agreed.to:
        remarks.append(Remark("adjustment.to", "same-player"))
    return remarks
