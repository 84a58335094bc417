"""Substitutions: from the next deal on, another person takes a player's seat, in every game alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import schema
from .problems import Problem
from .standing import SUBSTITUTION, AnyStanding, Row
from .values import INVALID, Newcomer, Player, Seats


@dataclass(frozen=True)
class Substitution:
    """`in_` takes the seat of `out`, with its points, its partner and its turn to deal."""

    out: Player
    in_: Newcomer


@dataclass(frozen=True)
class SeatChange:
    """A substitution as it stands in the sheet's list of deals: `{"substitution": {…}}`. It passes no deal."""

    substitution: Substitution


def read_seat_change(raw: Any, seats: Seats, problems: list[Problem]) -> Any:
    """Read a substitution. The newcomer must not be seated; the player who leaves must be."""
    fact = schema.reader_for(SeatChange)(raw, seats, problems)
    newcomer = raw["substitution"].get("in") if type(raw["substitution"]) is dict else None
    if newcomer not in seats.players:
        return fact
    problems.append(Problem("substitution.in", "already-seated", {"party": newcomer}))
    return INVALID


def seated_after(players: tuple[str, ...], raw: Any) -> tuple[str, ...]:
    """Return who sits after a substitution in plain JSON, which may be invalid and then changes nothing."""
    out, in_ = (raw.get("out"), raw.get("in")) if type(raw) is dict else (None, None)
    return tuple(in_ if player == out else player for player in players) if type(in_) is str else players


def change_seats(standing: AnyStanding, fact: SeatChange, worth_of: Callable[[str], int] | None) -> None:
    """Seat the newcomer, and add the row, which scores and closes nothing.

    `worth_of` is what one of a unit is worth where scores are payments: a newcomer's score is then their own balance.
    """
    newcomer = fact.substitution.in_
    standing.substitute(fact.substitution.out, newcomer)
    if worth_of is not None:
        counters = standing.balances[newcomer].items()
        standing.scores[newcomer] = sum(count * worth_of(unit) for unit, count in counters)
    number, scored = len(standing.rows) + 1, dict.fromkeys(standing.parties, 0)
    players, deals = standing.players, standing.deal_count
    row = Row(number, standing.dealer, fact, scored, standing.scores.copy(), [], (), players, SUBSTITUTION, deals)
    standing.rows.append(row)
