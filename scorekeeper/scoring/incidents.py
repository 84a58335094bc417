"""Incidents: mishaps while dealing, and claims after a deal. Each game declares its own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .sides import other_side
from .standing import AnyStanding

THE_OTHERS, THE_DEALER = "others", "dealer"
ALWAYS, IF_CHOSEN, NEVER = "always", "if-chosen", "never"


class Incident(NamedTuple):
    """Something that went wrong while dealing.

    Its message key is `<slug>.incident.<name>`, that of its consequence ends in `.then`. `again` says whether the
    same player deals again: `ALWAYS`, `IF_CHOSEN` or `NEVER`. `decides` says who chooses: `THE_OTHERS` (the side that
    did not deal), `THE_DEALER`, or None where there is no choice.
    """

    name: str
    again: str
    decides: str | None = None

    def decider(self, standing: AnyStanding, dealer: str) -> str | None:
        """Return the side or the player who chooses whether to deal again."""
        if self.decides == THE_OTHERS:
            return other_side(standing.side_of(dealer))
        return dealer if self.decides == THE_DEALER else None


class Claim(NamedTuple):
    """Something that may still be claimed of the deal in row `number`; `message` is a key without the game's slug."""

    message: str
    number: int
    params: Mapping[str, Any] = MappingProxyType({})
