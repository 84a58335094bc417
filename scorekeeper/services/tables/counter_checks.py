"""Counter checks: counts of each player's counters, recorded as revisions and compared with the sheet.

A counter check changes no balance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.utils import cached_property

from ...scoring.accounts import Explanation, find_explanations
from ...scoring.game import AnyGame
from ...scoring.problems import Problem, abbreviate_value
from ...scoring.statement import balances_in_unit, settlement_unit
from ...scoring.values import MAX_AMOUNT
from ...tables.revisions import COUNT, RevisionRow
from ...tables.state import TableState

MAX_CHECKS = 5  # on the page: each replays its table

Counters = Mapping[str, int]  # by unit


@dataclass(frozen=True)
class CounterCheck:
    """A count of all counters at a table, compared with the sheet at that revision.

    `last_correct` is the number of the last correct check before it, 0 if there is none.
    """

    revision: RevisionRow
    table: TableState
    last_correct: int

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

    @cached_property
    def explanations(self) -> list[Explanation]:
        """Payments that would explain the differences, newest first, from deals changed since the last right count."""
        rows = [
            scored.row
            for scored in self.table.scored_deals
            if scored.row is not None and scored.deal.revisions[-1].number > self.last_correct
        ]
        return find_explanations([(row.number, row.entries) for row in rows], self.differences, self.table.game.worth)

    def deal_of(self, number: int) -> int:
        """Return the id of the deal that had this number at the time of the count."""
        scored_deals = self.table.scored_deals
        return next(scored.deal.id for scored in scored_deals if scored.row is not None and scored.row.number == number)


def last_checks(table: TableState) -> list[CounterCheck]:
    """List the table's newest checks, newest first."""
    revisions = [revision for revision in table.revisions if revision.kind == COUNT][-MAX_CHECKS:]
    checks: list[CounterCheck] = []
    last_correct = 0
    for revision in revisions:
        check = CounterCheck(revision, table.at_version(revision.number), last_correct)
        checks.insert(0, check)
        last_correct = revision.number if check.is_correct else last_correct
    return checks


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
