"""A stand-in for a game that is not installed: what was recorded is kept unread, and nothing is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .game import API_VERSION, CLOCKWISE, AnyGame, Game
from .units import SIDES
from .values import Facts, JsonObject, Seats

COUNTERS = "counters"  # the unit of a game whose own units are unknown


@dataclass(frozen=True)
class _Unread:
    """House rules or facts of which nothing is known."""


@dataclass(frozen=True, kw_only=True)
class MissingGame(Game[Any, Any, Any]):
    """A game of which only the slug is known. Tables of it have facts, and the results that were stored last."""

    def seats(self, players: tuple[str, ...]) -> Seats:
        """Return the names that a sheet of these players may use. The players may form sides."""
        return Seats(players, SIDES, players + SIDES)

    def unit_of_value(self, name: str) -> str:  # noqa: ARG002  # it may have any name
        """Return the unit in which the game is settled, whatever it is called."""
        return COUNTERS


@lru_cache(maxsize=256)
def missing_game(slug: str) -> MissingGame:
    """Return the stand-in for a game, always the same object."""
    return MissingGame(
        slug=slug,
        api=API_VERSION,
        player_counts=(),
        direction=CLOCKWISE,
        in_sides=False,
        units=(COUNTERS,),
        options=_Unread,
        deal=_Unread,
        checks=(),
        score=lambda _standing, _deal: (),
        close=lambda _standing: None,
        pad=lambda _standing, _facts: (),
        reasons=(),
    )


def is_missing(game: AnyGame) -> bool:
    """Return whether the game is not installed, so that nothing of it can be scored."""
    return isinstance(game, MissingGame)


def rename_unread(facts: Facts, names: Mapping[str, str]) -> JsonObject:
    """Return facts with players renamed, wherever a text or a key is a player's name; a reason in words stays.

    Without the game nobody knows which texts are players. One that is not fails when the sheet is imported: no list of
    choices has a player's name.
    """
    return {names.get(key, key): value if key == "reason" else _rename(value, names) for key, value in facts.items()}


def _rename(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return rename_unread(value, names)
    if isinstance(value, list):
        return [_rename(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value
