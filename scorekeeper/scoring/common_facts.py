"""Misdeals, adjustments and substitutions, which are the same in every game."""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar

from . import schema
from .problems import Problem
from .standing import DEAL, POINTS, AnyStanding, Entry, Row
from .values import MAX_AMOUNT, JsonObject, Newcomer, Party, Player, Range, Seats, clean_name, is_text


@dataclass(frozen=True)
class Substitution:
    """`in_` takes the seat of `out`, with its points, its partner and its turn to deal."""

    out: Player
    in_: Newcomer


@dataclass(frozen=True)
class SeatChange:
    """A substitution as it stands in the sheet's list of deals: `{"substitution": {…}}`. It passes no deal."""

    substitution: Substitution


def read_seat_change(raw: Any, seats: Seats, problems: list[Problem]) -> SeatChange | None:
    fact = schema.load(SeatChange, raw, seats, problems)
    newcomer = raw["substitution"].get("in") if type(raw["substitution"]) is dict else None
    if newcomer not in seats.players:
        return fact
    problems.append(Problem("substitution.in", "already-seated", {"party": newcomer}))
    return None


def seated_after(players: tuple[str, ...], raw: Any) -> tuple[str, ...]:
    """Return who sits after a substitution in plain JSON, which may be invalid and then changes nothing."""
    out, in_ = (raw.get("out"), raw.get("in")) if type(raw) is dict else (None, None)
    return tuple(in_ if player == out else player for player in players) if type(in_) is str else players


@dataclass(frozen=True)
class Misdeal:
    """The cards were misdealt: nothing is scored, and the deal does not pass; the next deal may name another dealer."""

    misdeal: bool


def count_deals(standing: AnyStanding, last: Row, kind: str) -> int:
    """Count the deals, without misdeals, that led to a closing of this kind in the row `last`."""
    deals = 0
    for row in reversed(standing.rows[: last.number]):
        if row.number != last.number and any(closing.kind == kind for closing in row.closings):
            break
        deals += row.kind == DEAL and not isinstance(row.fact, Misdeal)
    return deals


class Adjustment:
    """A correction the players agree on: points for one party, or counters from one player to another.

    `agreement_type` makes a dataclass of it for each game, with a field for each of the game's `units`. Exactly one of
    these may be set; `from_` only for counters.
    """

    units: ClassVar[tuple[str, ...]]  # points, if the game has any, and the game's own
    to: str
    from_: str | None = None
    points: int | None = None
    reason: str | None = None

    @property
    def amounts(self) -> dict[str, int]:
        amounts = {unit: getattr(self, unit) for unit in self.units}
        return {unit: amount for unit, amount in amounts.items() if amount is not None}

    @property
    def entry(self) -> Entry:
        ((unit, amount),) = self.amounts.items()
        return Entry(self.from_, self.to, amount, unit, "adjustment")


class Agreement:
    """An adjustment as it stands in the sheet's list of deals: `{"adjustment": {…}}`."""

    adjustment: Adjustment


def clean_reason(deal: JsonObject) -> JsonObject:
    """Return a deal with the reason of its adjustment as a form stores it; the same object if it is stored so."""
    adjustment = deal.get("adjustment")
    reason = adjustment.get("reason") if isinstance(adjustment, dict) else None
    cleaned = clean_name(reason) if isinstance(reason, str) and is_text(reason) else reason
    if cleaned == reason:
        return deal
    kept = {key: value for key, value in deal["adjustment"].items() if key != "reason"}
    return deal | {"adjustment": kept | ({"reason": cleaned} if cleaned else {})}


@cache
def agreement_type(units: tuple[str, ...]) -> type[Agreement]:
    amounts = {unit: Annotated[int, Range(1, MAX_AMOUNT)] | None for unit in units}
    if POINTS in amounts:
        amounts[POINTS] = Annotated[int, Range(-MAX_AMOUNT, MAX_AMOUNT)] | None
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [("to", Party), ("from_", Player | None, None)]
    fields += [(unit, kind, None) for unit, kind in amounts.items()]
    adjustment = make_dataclass(
        "Adjustment",
        [*fields, ("reason", str | None, None)],
        bases=(Adjustment,),
        namespace={"units": units},
        frozen=True,
    )
    return make_dataclass("Agreement", [("adjustment", adjustment)], bases=(Agreement,), frozen=True)


def adjustment_problems(standing: AnyStanding, adjustment: Adjustment, *, may_be_negative: bool) -> list[Problem]:
    """Check an adjustment. Unless `may_be_negative`, points that would take a score below 0 are a problem."""
    if len(adjustment.amounts) != 1:
        return [Problem("adjustment", "one-amount", {"units": adjustment.units})]
    if adjustment.points is not None:
        return _points_problems(standing, adjustment, may_be_negative=may_be_negative)
    return _counters_problems(standing, adjustment)


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


def _counters_problems(standing: AnyStanding, adjustment: Adjustment) -> list[Problem]:
    problems = []
    if adjustment.to not in standing.balances:  # who has left may still pay and be paid
        everybody = tuple(standing.balances)
        problems.append(Problem("adjustment.to", "player", {"found": adjustment.to, "parties": everybody}))
    if adjustment.from_ is None:
        problems.append(Problem("adjustment.from", "missing"))
    elif adjustment.from_ == adjustment.to:
        problems.append(Problem("adjustment.to", "same-player"))
    return problems
