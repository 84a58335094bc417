"""Prizes of an event as they are stored: they are part of a circle's file, whether or not there are events."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..limits import GROWTH, MAX_PRIZE_PLACE, MAX_PRIZE_TEXT_LENGTH
from .currency import to_subunits
from .values import Range, Text, clean_name

# Of a prize or a fee.
Amount = Annotated[str, Text(14, r"(?![0.]+$)[0-9]{1,7}(\.[0-9]{1,6})?", "event-amount")]


@dataclass(frozen=True)
class Prize:
    """A prize for a place: an amount in the event's currency, or something in kind, which `text` names.

    `group` is that of which the members compete, "" if everybody does. `again`: who has a prize already may win it.
    """

    rule: Literal["highest", "lowest", "slams"]
    place: Annotated[int, Range(1, MAX_PRIZE_PLACE)] = 1
    group: Literal["", "a", "b"] = ""
    amount: Amount | None = None
    text: Annotated[str, Text(GROWTH * MAX_PRIZE_TEXT_LENGTH, clean=clean_name)] | None = None
    again: bool = False

    @property
    def subunits(self) -> int:
        return to_subunits(Decimal(self.amount)) if self.amount else 0
