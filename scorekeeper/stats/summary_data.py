"""A table's summary for pages about many tables, as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NotRequired, TypedDict

from ..scoring.game import AnyGame
from ..scoring.units import SIDES
from .pairs import PairsData

_DIGITS = 12


def make_game_key(game: AnyGame, house_rules: Mapping[str, Any]) -> str:
    """Return the key of what is played under plain house rules; capitals of a name make no difference.

    The name is hashed: keys are stored with totals and stand in addresses, where a name that is erased must not stay.
    """
    name = game.find_name(house_rules).casefold()
    return f"{game.slug}.{sha256(name.encode()).hexdigest()[:_DIGITS]}" if name else game.slug


def slug_of(key: str) -> str:
    """Return the slug of the game that a key is of."""
    return key.partition(".")[0]


BestFeat = tuple[int, str, int]  # amount, people, number of the row; a list when read from the database
Ended = dict[str, list[str]]  # by kind, the winners of each, written together


class SeatingData(TypedDict):
    """A stretch of a table during which the same people sat on the same chairs.

    - `seated`: their labels in the order of the chairs, written together.
    - `deals`: number of deals played; `ended`: as in `SummaryData`.
    """

    seated: str
    deals: int
    ended: Ended


class SummaryData(TypedDict):
    """A table's summary as plain JSON. People are labels; several are written together: "13", or "1(12)".

    - `seats`: id of the player of each label, also of those who have not sat since a substitution was withdrawn.
    - `status`: "finished" or "open".
    - `deals`: number of deals played, without misdeals, adjustments and deals that everybody passed.
    - `ended`: by kind ("manche", "robre", "partie"), the people of each winner in order.
    - `grains`: each balance in subunits of `account`; `balances`: the same in counters, by unit. Of all who have sat,
      in the order in which they first did.
    - `figures`: the game's counters of events, by label and name; a part follows the name after a point.
    - `feats`: the largest amount of each feat, with the people and the number of the deal.
    - `pairs`: partners and opponents of the deals, only in games whose partners change.
    - `seatings`: who played and won what together, only at tables with substitutes.
    """

    seats: dict[str, int]
    status: str
    scores: dict[str, int]
    winner: str | None
    deals: int
    ended: dict[str, list[str]]
    account: str
    grains: dict[str, int]
    balances: dict[str, dict[str, int]]
    figures: dict[str, dict[str, int]]
    feats: dict[str, BestFeat]
    pairs: NotRequired[PairsData]
    seatings: NotRequired[list[SeatingData]]


def is_in_sides(summary: SummaryData) -> bool:
    """Return whether the table is played in sides, which in some games the house rules say: its scores are of sides."""
    return summary["scores"].keys() == set(SIDES)


def was_played(summary: SummaryData) -> bool:
    """Return whether a table counts for statistics: a deal was played there, or counters changed hands."""
    return summary["deals"] > 0 or any(any(counters.values()) for counters in summary["balances"].values())


def open_subunits(summary: Any) -> dict[str, int]:
    """Return by label what no settlement has taken over, in subunits; it sums to 0.

    `summary` is a Summary, or any row with its columns `data` and `taken_over`. A settlement may
    include players who no longer count as having sat, since a substitution was withdrawn.
    """
    balances, taken_over = summary.data["grains"], summary.taken_over
    return {seat: balances.get(seat, 0) - taken_over.get(seat, 0) for seat in dict.fromkeys((*balances, *taken_over))}
