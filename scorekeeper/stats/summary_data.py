"""A table's summary for pages about many tables, as plain JSON."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from ..scoring.sides import SIDES
from .pairs import PairsData

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
