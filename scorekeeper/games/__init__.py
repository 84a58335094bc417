"""The games, one package each. A package is discovered by its `GAME`; nothing has to be registered."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

from ..scoring.game import AnyGame


@cache
def games() -> dict[str, AnyGame]:
    """Return all games by slug, in the order of their folder names."""
    all_games = (import_module(f"{__name__}.{name}").GAME for name in folders())
    return {game.slug: game for game in all_games}


def folders() -> list[str]:
    """Return the folder names of the games, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def folder_of(game: AnyGame) -> Path:
    """Return the folder with the game's rules, translations and pictures."""
    return Path(__file__).parent / game.slug.replace("-", "_")
