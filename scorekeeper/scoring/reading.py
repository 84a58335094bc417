"""Read and check what stands in a sheet's list of deals: the game's own deals, and what every game has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import schema
from .adjustments import Agreement, Misdeal, adjustment_problems, agreement_reader
from .problems import Problem, abbreviate_value
from .standing import ADJUSTMENT, SUBSTITUTION, AnyStanding
from .substitutions import SeatChange, read_seat_change, seated_after
from .values import INVALID, Reader, Seats

if TYPE_CHECKING:  # game.py imports this module
    from .game import AnyGame

SHARED_KINDS = frozenset({"misdeal", ADJUSTMENT, SUBSTITUTION})  # of what any game has among its deals
SHARED_KEYS = SHARED_KINDS | {"dealer"}


def read_dealt(read: Reader, raw: Any, next_dealer: str, seats: Seats, problems: list[Problem]) -> tuple[str, Any]:
    """Return who dealt (`next_dealer` unless the sheet names another) and the deal's facts, or INVALID."""
    if type(raw) is not dict:
        problems.append(Problem("deals", "a-deal"))
        return next_dealer, INVALID
    dealer = next_dealer
    if "dealer" in raw:
        name, players = raw["dealer"], seated_after(seats.players, raw.get(SUBSTITUTION))
        raw = {key: value for key, value in raw.items() if key != "dealer"}
        if name in players:
            dealer = name
        else:
            params = {"found": abbreviate_value(name), "parties": players}
            problems.append(Problem("dealer", "player", params))
    return dealer, read(raw, seats, problems)


def choose_reader(game: AnyGame, standing: AnyStanding, read_deal: Reader, raw: Any) -> Reader:
    """Return the reader for a deal's JSON: `read_deal`, or that for what every game has."""
    if type(raw) is dict and "misdeal" in raw:
        return schema.reader_for(Misdeal)
    if type(raw) is dict and ADJUSTMENT in raw:
        read, everybody = agreement_reader(game.adjustable_units), game.seats(tuple(standing.balances))
        return lambda raw, _seats, problems: read(raw, everybody, problems)
    return read_seat_change if type(raw) is dict and SUBSTITUTION in raw else read_deal


def common_problems(game: AnyGame, standing: AnyStanding, fact: Any) -> Iterable[Problem]:
    """Check an adjustment or a misdeal. A substitution's reader has found all that can be wrong with it."""
    if isinstance(fact, Agreement):
        return adjustment_problems(standing, fact.adjustment, may_be_negative=game.allows_negative_scores)
    return () if isinstance(fact, SeatChange) or fact.misdeal else (Problem("misdeal", "only-true"),)


def partial_problems(game: AnyGame, standing: AnyStanding, raw: Any, seats: Seats) -> list[Problem]:
    """Run the checks that need only valid keys on a deal that also has invalid ones."""
    if type(raw) is not dict or not SHARED_KINDS.isdisjoint(raw):
        return []
    part, keys = schema.load_partial(game.deal, raw, seats)
    checks = [check for check in game.checks if keys.issuperset(check.required_keys)]
    return [problem for check in checks for problem in check.find_problems(standing, part)]
