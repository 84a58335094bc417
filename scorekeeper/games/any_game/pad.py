"""The pad of any game."""

from __future__ import annotations

from collections.abc import Iterator

from ...api import ChoiceGroup, Facts
from .rules import CountedStanding


def pad(_standing: CountedStanding, _facts: Facts) -> Iterator[ChoiceGroup]:
    """Yield nothing yet."""
    return iter(())
