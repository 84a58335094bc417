"""Misdeals, adjustments and substitutions, which are the same in every game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ..limits import MAX_TEXT_LENGTH
from .problems import Problem
from .standing import ADJUSTMENT, DEAL, POINTS, SUBSTITUTION, AnyStanding, Entry, RowKind
from .values import MAX_AMOUNT, JsonObject, Newcomer, Party, Player, Range, clean_name, is_text

if TYPE_CHECKING:  # which imports this module
    from .game import AnyGame


class CommonFact:
    """What may stand in the list of deals of any game's sheet, besides the game's own deals."""

    row_kind: ClassVar[RowKind]

    def find_problems(self, _game: AnyGame, _standing: AnyStanding) -> Iterable[Problem]:
        return ()

    def change(self, game: AnyGame, standing: AnyStanding) -> None:
        """Change who sits or what is played, before its row is added."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        return ()


@dataclass(frozen=True)
class Misdeal(CommonFact):
    """The cards were misdealt: nothing is scored, and the deal does not pass; the next deal may name another dealer."""

    row_kind = DEAL
    misdeal: bool

    def find_problems(self, _game: AnyGame, _standing: AnyStanding) -> Iterable[Problem]:
        return () if self.misdeal else (Problem("misdeal", "only-true"),)


@dataclass(frozen=True)
class Substitution:
    """`in_` takes the seat of `out`, with its points, its partner and its turn to deal."""

    out: Player
    in_: Newcomer


@dataclass(frozen=True)
class SeatChange(CommonFact):
    """A substitution as it stands in the sheet's list of deals: `{"substitution": {…}}`. It passes no deal."""

    row_kind = SUBSTITUTION
    substitution: Substitution

    def find_problems(self, _game: AnyGame, standing: AnyStanding) -> Iterator[Problem]:
        newcomer = self.substitution.in_
        if newcomer in standing.players:
            yield Problem("substitution.in", "already-seated", {"party": newcomer})

    def change(self, game: AnyGame, standing: AnyStanding) -> None:
        newcomer = self.substitution.in_
        standing.substitute(self.substitution.out, newcomer)
        if game.stakes.scores_are_payments:  # a newcomer's score is their own balance
            counters = standing.balances[newcomer].items()
            standing.scores[newcomer] = sum(count * game.worth_of(unit) for unit, count in counters)


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

    def find_problems_of_points(self, standing: AnyStanding, *, may_be_negative: bool) -> Iterator[Problem]:
        """Unless `may_be_negative`, points that would take a score below 0 are a problem."""
        if self.from_ is not None:
            yield Problem("adjustment.from", "points-have-no-giver")
        has = standing.scores.get(self.to)
        if has is None:
            kind = "player" if standing.parties == standing.players else "side"
            yield Problem("adjustment.to", kind, {"found": self.to, "parties": standing.parties})
        elif not self.points:
            yield Problem("adjustment.points", "not-zero")
        elif not may_be_negative and has + self.points < 0:
            yield Problem("adjustment.points", "below-zero", {"party": self.to, "has": has})

    def find_problems_of_counters(self, standing: AnyStanding) -> Iterator[Problem]:
        everybody = tuple(standing.balances)  # who has left may still pay and be paid
        if self.to not in everybody:
            yield Problem("adjustment.to", "player", {"found": self.to, "parties": everybody})
        if self.from_ is None:
            yield Problem("adjustment.from", "missing")
        elif self.from_ == self.to:
            yield Problem("adjustment.to", "same-player")


class Agreement(CommonFact):
    """An adjustment as it stands in the sheet's list of deals: `{"adjustment": {…}}`."""

    row_kind = ADJUSTMENT
    adjustment: Adjustment

    def find_problems(self, game: AnyGame, standing: AnyStanding) -> Iterable[Problem]:
        adjustment = self.adjustment
        if len(adjustment.amounts) != 1:
            return (Problem("adjustment", "one-amount", {"units": adjustment.units}),)
        if adjustment.points is None:
            return adjustment.find_problems_of_counters(standing)
        return adjustment.find_problems_of_points(standing, may_be_negative=game.limits.allows_negative_scores)

    @property
    def entries(self) -> tuple[Entry, ...]:
        ((unit, amount),) = self.adjustment.amounts.items()
        return (Entry(self.adjustment.from_, self.adjustment.to, amount, unit, "adjustment"),)


def clean_reason(deal: JsonObject) -> JsonObject:
    """Return a deal with the reason of its adjustment as a form stores it; the same object if it is stored so."""
    adjustment = deal.get("adjustment")
    reason = adjustment.get("reason") if isinstance(adjustment, dict) else None
    cleaned = clean_name(reason) if isinstance(reason, str) and is_text(reason) else reason
    if cleaned == reason:
        return deal
    kept = {key: value for key, value in deal["adjustment"].items() if key != "reason"}
    return deal | {"adjustment": kept | ({"reason": cleaned} if cleaned else {})}


def find_long_reason(deal: object, most: int = MAX_TEXT_LENGTH) -> Problem | None:
    """Return the problem of an adjustment whose reason has too many characters; other faults are found elsewhere."""
    adjustment = deal.get("adjustment") if isinstance(deal, dict) else None
    reason = adjustment.get("reason") if isinstance(adjustment, dict) else None
    is_long = isinstance(reason, str) and len(reason) > most
    return Problem("adjustment.reason", "long-text", {"most": most}) if is_long else None


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
