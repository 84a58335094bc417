"""Keys of games in statistics: each game that a circle has described counts apart, by the name that it has there."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ..scoring.game import AnyGame

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
