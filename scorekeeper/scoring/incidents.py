"""What can go wrong while the cards are dealt, and what may still be said after a deal: declared by each game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .sides import other_side
from .standing import Standing

THE_OTHERS, THE_DEALER = "others", "dealer"
ALWAYS, IF_CHOSEN, NEVER = "always", "if-chosen", "never"


@dataclass(frozen=True)
class Incident:
    """Something that happened in dealing. Words: `<slug>.incident.<name>`, and with `.then` what follows from it.

    `again` says whether the same player deals again, `decides` whose choice it is where there is one: the side that
    does not deal, or the dealer.
    """

    name: str
    again: str
    decides: str | None = None

    def decider(self, standing: Standing, dealer: str) -> str | None:
        """The side or the player whose choice it is."""
        if self.decides == THE_OTHERS:
            return other_side(standing.side_of(dealer))
        return dealer if self.decides == THE_DEALER else None


@dataclass(frozen=True)
class Claim:
    """What may still be claimed of a deal that is recorded: its number, and words filled in with that and `params`."""

    says: str
    number: int
    params: Mapping[str, Any] = field(default_factory=dict)
