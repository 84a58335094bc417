"""Counter checks: counts of each player's counters, recorded as revisions and compared with the sheet.

A counter check changes no balance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.utils import cached_property

from ...scoring.game import AnyGame
from ...scoring.problems import Problem, abbreviate_value
from ...scoring.sheet import balances_in_unit, settlement_unit
from ...scoring.values import MAX_AMOUNT
from ...tables.revisions import COUNT, RevisionRow
from ...tables.state import TableState

Counters = Mapping[str, int]  # by unit


@dataclass(frozen=True)
class CounterCheck:
    """A count of all counters at a table, compared with the sheet at that revision."""

    revision: RevisionRow
    table: TableState

    @property
    def start(self) -> Counters:
        """The counters that each player started with, by unit."""
        return dict((self.revision.body or {})["start"])

    @property
    def counted(self) -> dict[str, dict[str, int]]:
        """The counters that each player has, by seat and unit."""
        return dict((self.revision.body or {})["held"])

    @cached_property
    def expected(self) -> dict[str, dict[str, int]]:
        """The counters that each player should have: those at the start plus the sheet's balance."""
        balances = self.table.standing.balances
        return {
            seat: {unit: self.start[unit] + amount for unit, amount in units.items()}
            for seat, units in balances.items()
        }

    @property
    def unit(self) -> str:
        """The unit of all differences; players may have exchanged larger counters for these."""
        return settlement_unit(self.table.game)

    @cached_property
    def differences(self) -> dict[str, int]:
        """The difference of each player's counters from the expected ones, in `unit`; below 0 if some are missing."""
        counted, expected = (balances_in_unit(self.table.game, held) for held in (self.counted, self.expected))
        return {seat: counted[seat] - expected[seat] for seat in self.table.everybody}

    @property
    def surplus(self) -> int:
        """The sum of all differences; below 0 if counters are lost."""
        return sum(self.differences.values())

    @property
    def is_correct(self) -> bool:
        """True if every player has the expected counters."""
        return not any(self.differences.values())


def find_check(table: TableState, number: int | None = None) -> CounterCheck | None:
    """Return the check that a revision has recorded, by default the last one; None if there is none."""
    counts = [row for row in table.revisions if row.kind == COUNT and number in (None, row.number)]
    return CounterCheck(counts[-1], table.at_version(counts[-1].number)) if counts else None


def find_problems(game: AnyGame, seats: Mapping[str, Any], body: Mapping[str, Any]) -> list[Problem]:
    """List the invalid numbers of a count; their fields are `start.<unit>` and `held.<seat>.<unit>`."""
    values = {f"start.{unit}": body["start"][unit] for unit in game.units}
    values |= {f"held.{seat}.{unit}": body["held"][seat][unit] for seat in seats for unit in game.units}
    return [
        Problem(field, "counters", {"found": abbreviate_value(value), "low": 0, "high": MAX_AMOUNT})
        if value != ""
        else Problem(field, "no-counters")
        for field, value in values.items()
        if type(value) is not int or not 0 <= value <= MAX_AMOUNT
    ]
