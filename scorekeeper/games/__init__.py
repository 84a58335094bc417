"""The games: one folder each, found by walking; there is nothing to register."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

from ..scoring.game import Game


@cache
def games() -> dict[str, Game]:
    """Every game by its slug, in the order of their folders."""
    found = (import_module(f"{__name__}.{name}").GAME for name in folders())
    return {game.slug: game for game in found}


def folders() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def folder_of(game: Game) -> Path:
    """Where the game's rules, words and pictures lie."""
    return Path(__file__).parent / game.slug.replace("-", "_")
