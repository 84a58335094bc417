"""Counts of the counters that lie before the players: kept with the table's revisions, and changing no balance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .. import history
from ..history import Change, Revised
from ..scoring.discrepancy import Explanation, explanations
from ..scoring.game import Game
from ..scoring.remarks import Remark
from ..scoring.statement import settling_unit, totals
from ..scoring.values import MOST
from ..store import Browser
from ..table import Open
from .tables import Entry, Recorded, Refused, Stale, write

MOST_COUNTS = 5  # earlier counts that are looked at: each replays its table

Counters = Mapping[str, int]  # by unit


@dataclass(frozen=True)
class Count:
    """What was counted at a table, and what that comes to beside the sheet as it stood then."""

    revision: Revised
    table: Open
    right_before: int  # the revision at which all was last found right, 0 where it never was

    @property
    def start(self) -> Counters:
        """What each player is said to have started with."""
        return dict((self.revision.body or {})["start"])

    @property
    def held(self) -> dict[str, dict[str, int]]:
        """What lay before each player, by seat."""
        return dict((self.revision.body or {})["held"])

    @cached_property
    def expected(self) -> dict[str, dict[str, int]]:
        """What should lie there: what was started with, and what the sheet added."""
        balances = self.table.standing.balances
        return {seat: {unit: self.start[unit] + held[unit] for unit in held} for seat, held in balances.items()}

    @property
    def unit(self) -> str:
        """What differences are told in: fiches and jetons may have been changed for each other."""
        return settling_unit(self.table.game)

    @cached_property
    def off(self) -> dict[str, int]:
        """How much too many counters each has, below 0 too few."""
        has, should = totals(self.held, self.unit), totals(self.expected, self.unit)
        return {seat: has[seat] - should[seat] for seat in self.table.names}

    @property
    def whole(self) -> int:
        """How many counters too many there are in all: below 0 where some are lost."""
        return sum(self.off.values())

    @property
    def is_right(self) -> bool:
        return not any(self.off.values())

    @cached_property
    def explained(self) -> list[Explanation]:
        """The payments that would explain it, newest first; of deals told since all was last found right."""
        played = [one for one in self.table.played if one.row is not None]
        told = [one.row for one in played if one.deal.revisions[-1].number > self.right_before]
        return explanations([(row.number, row.entries) for row in told if row is not None], self.off, self.unit)

    def deal_of(self, number: int) -> int:
        """The id of a deal by the number it had then."""
        return next(one.deal.id for one in self.table.played if one.row is not None and one.row.number == number)


def last_counts(table: Open) -> list[Count]:
    """The table's counts, newest first; no more than a page can tell of."""
    revisions = [revision for revision in table.revisions if revision.kind == history.COUNT][-MOST_COUNTS:]
    counts: list[Count] = []
    right = 0
    for revision in revisions:
        counts.insert(0, Count(revision, table.as_seen(revision.number), right))
        right = revision.number if counts[0].is_right else right
    return counts


def faults(game: Game, seats: Mapping[str, Any], body: Mapping[str, Any]) -> list[Remark]:
    """What of a count is no number of counters; located as `start.<unit>` and `held.<seat>.<unit>`."""
    told = {f"start.{unit}": body["start"][unit] for unit in game.units}
    told |= {f"held.{seat}.{unit}": body["held"][seat][unit] for seat in seats for unit in game.units}
    return [
        Remark(at, "counters", {"found": str(value), "low": 0, "high": MOST})
        if value != ""
        else Remark(at, "no-counters")
        for at, value in told.items()
        if type(value) is not int or not 0 <= value <= MOST
    ]


def keep(table: Open, body: dict[str, Any], seen: int, key: str, browser: Browser) -> Recorded | Stale | Refused:
    """Keep what was counted (`start` by unit, `held` by seat and unit); who calls has looked for its faults."""
    return write(table, Entry(Change(history.COUNT, body=body), seen, key), browser)
