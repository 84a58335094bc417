"""Keys of games in statistics: each game that a circle has described counts apart, by the name that it has there."""

from __future__ import annotations

from hashlib import sha256

_DIGITS = 12


def make_game_key(slug: str, name: str = "") -> str:
    """Return the key of a game, with the `name` that the house rules give it; capitals make no difference.

    The name is hashed: keys are stored with totals and stand in addresses, where a name that is erased must not stay.
    """
    return f"{slug}.{sha256(name.casefold().encode()).hexdigest()[:_DIGITS]}" if name else slug


def slug_of(key: str) -> str:
    """Return the slug of the game that a key is of."""
    return key.partition(".")[0]
