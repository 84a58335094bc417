"""Misdeals and adjustments, which are the same in every game."""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar

from . import schema
from .problems import Problem, abbreviate_key
from .standing import AnyStanding
from .units import POINTS, Entry, mark
from .values import INVALID, MAX_AMOUNT, JsonObject, Party, Player, Range, Reader, Seats, clean_name, is_text


@dataclass(frozen=True)
class Misdeal:
    """The cards were misdealt: nothing is scored and the same player deals again."""

    misdeal: bool


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
        """The amounts that are set, by unit."""
        amounts = {unit: getattr(self, unit) for unit in self.units}
        return {unit: amount for unit, amount in amounts.items() if amount is not None}


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
    """Return the dataclass of an agreement on one of these units, points among them."""
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


def agreement_reader(units: tuple[str, ...]) -> Reader:
    """Make the reader of an agreement, which explains a number in a unit that the game does not have."""
    read = schema.reader_for(agreement_type(units))

    def read_units(raw: Any, seats: Seats, problems: list[Problem]) -> Any:
        found: list[Problem] = []
        fact = read(raw, seats, found)
        if found and all(problem.key == "unknown-key" for problem in found):
            adjustment = raw["adjustment"] if type(raw["adjustment"]) is dict else {}
            others = [key for key, value in adjustment.items() if type(value) is int and key not in units]
            if others and len(others) == len(found):
                problems.append(_unit_problem(others, units, len(others) + len(adjustment.keys() & units)))
                return INVALID
        problems.extend(found)
        return fact

    return read_units


def _unit_problem(unknown: list[str], units: tuple[str, ...], amounts: int) -> Problem:
    if amounts > 1:
        return Problem("adjustment", "one-amount", {"units": units})
    counters = tuple(unit for unit in units if unit != POINTS)
    return Problem(f"adjustment.{abbreviate_key(unknown[0])}", "no-such-unit", {"units": counters})


def adjustment_entry(adjustment: Adjustment) -> Entry:
    """Return the mark or payment that carries out an adjustment."""
    ((unit, amount),) = adjustment.amounts.items()
    if unit == POINTS:
        return mark(adjustment.to, amount, "adjustment")
    return Entry(adjustment.from_, adjustment.to, amount, unit, "adjustment")


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
