"""The rows of an event's form in which prizes are entered. A row with neither an amount nor a text is no prize."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from ... import currency
from ...events.prizes import HIGHEST, LOWEST, Prize, read_prizes
from ...events.scoring import Scoring
from ...limits import MAX_PRIZE_PLACE, MAX_PRIZES
from ...scoring.problems import Problem
from ...scoring.values import clean_name
from ..support.numbers import format_for_input, parse_amount, parse_int

MORE_ROWS = 3  # empty ones below the prizes
_ENTRY = re.compile(r"prizes\[(\d+)\](?:\.(\w+))?")
_FIELDS = ("rule", "place", "group", "amount", "text")


class PrizeRow(NamedTuple):
    """What a row of the form has, as it was typed; `number` counts rows from 1."""

    number: int
    rule: str = HIGHEST
    place: str = ""
    group: str = ""
    amount: str = ""
    text: str = ""
    again: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be won."""
        return not self.amount and not self.text

    def stored(self, place: int, decimals: int) -> dict[str, Any]:
        """Return the prize as the event stores it, not yet checked; `place` is the one if none was typed."""
        typed = parse_int(self.place) if self.place else place
        amount = parse_amount("amount", self.amount, decimals) if self.amount else None
        prize: dict[str, Any] = {"rule": self.rule, "place": typed, "group": self.group}
        if amount is not None:
            prize["amount"] = self.amount if isinstance(amount, Problem) else f"{amount:f}"
        if self.text:
            prize["text"] = self.text
        return prize | ({"again": True} if self.again else {})


@dataclass(frozen=True)
class PrizeFields:
    """All rows of the form. `decimals`: how many decimal places an amount may have."""

    rows: Sequence[PrizeRow]
    decimals: int = 2

    @property
    def entered(self) -> list[PrizeRow]:
        """The rows that have a prize."""
        return [row for row in self.rows if not row.is_empty]

    @property
    def has_money(self) -> bool:
        """Whether an amount can be won."""
        return any(row.amount for row in self.rows)

    def stored(self) -> list[dict[str, Any]]:
        """Return the prizes as the event stores them, without the values that are usual."""
        usual = {"group": "", "place": 1}
        return [
            {key: value for key, value in prize.items() if usual.get(key) != value} for prize in self._with_places()
        ]

    def _with_places(self) -> Iterator[dict[str, Any]]:
        """Yield the prizes; one without a place is for the place below the last of the same rule and group."""
        last: dict[tuple[str, str], int] = {}
        for row in self.entered:
            prize = row.stored(min(last.get((row.rule, row.group), 0) + 1, MAX_PRIZE_PLACE), self.decimals)
            if isinstance(prize["place"], int):
                last[row.rule, row.group] = prize["place"]
            yield prize

    def specify(self, problem: Problem) -> Problem:
        """Return a problem with `prizes[2].amount` as one with the row that was typed into, from 1: `prizes.3`."""
        found = _ENTRY.match(problem.field)
        if found is None or int(found[1]) >= len(self.entered):
            return problem
        row = self.entered[int(found[1])]
        field = f"prizes.{row.number}"
        parsed = parse_amount(field, row.amount, self.decimals) if found[2] == "amount" and row.amount else None
        return parsed if isinstance(parsed, Problem) else problem._replace(field=field)

    def with_room(self, has_more: bool) -> PrizeFields:
        """Return the rows with empty ones below, to type further prizes into."""
        rows = [
            row._replace(number=number) for number, row in enumerate(self.rows if has_more else self.entered, start=1)
        ]
        more = MORE_ROWS if has_more or not rows else 1
        fresh = [PrizeRow(number) for number in range(len(rows) + 1, min(len(rows) + more, MAX_PRIZES) + 1)]
        return PrizeFields([*rows, *fresh], self.decimals)


def prize_key(rule: str, scoring: Scoring) -> str:
    """Return the key of the words for what a prize is for."""
    is_turned = scoring.fewest_win and rule in (HIGHEST, LOWEST)
    return f"event-results.prize.{rule}.lowest-wins" if is_turned else f"event-results.prize.{rule}"


def typed_prizes(form: Mapping[str, str]) -> PrizeFields:
    """Return the rows that a form sends."""
    rows = []
    for number in range(1, MAX_PRIZES + 1):
        if f"prize-{number}-rule" not in form:
            break
        rule, place, group, amount, text = (clean_name(form.get(f"prize-{number}-{name}", "")) for name in _FIELDS)
        rows.append(PrizeRow(number, rule, place, group, amount, text, form.get(f"prize-{number}-again") == "yes"))
    return PrizeFields(rows, currency.places(form.get("currency", "")))


def stored_prizes(prizes: Sequence[Mapping[str, Any]]) -> PrizeFields:
    """Return the rows that show the prizes of an event."""
    read = read_prizes([dict(prize) for prize in prizes], [])
    return PrizeFields([_row(number, prize) for number, prize in enumerate(read, start=1)])


def _row(number: int, prize: Prize) -> PrizeRow:
    return PrizeRow(
        number, prize.rule, str(prize.place), prize.group, _shown(prize.amount), prize.text or "", prize.again
    )


def _shown(amount: str | None) -> str:
    try:
        return format_for_input(Decimal(amount)) if amount else ""
    except InvalidOperation:
        return amount or ""
