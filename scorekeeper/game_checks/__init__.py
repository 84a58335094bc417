"""Everything that can be checked about a game without a browser: what is missing, misspelt or never used.

`check` looks at a game's folder and plays it at random. `scorekeeper check-game` prints what it finds.
"""

from __future__ import annotations

from pathlib import Path

from ..scoring.game import AnyGame
from . import definition, examples, files, rules, template, words
from .findings import Finding, GameFolder
from .observing import observe

__all__ = ["Finding", "check"]


def check(game: AnyGame, path: Path) -> list[Finding]:
    """Return what is wrong with the game whose files are in this folder, in the order of files and lines."""
    folder = GameFolder(game, path)
    observed = observe(folder, list(examples.sheets(folder)))
    found = {
        *definition.check(folder, observed),
        *words.check(folder, observed),
        *template.check(folder),
        *rules.check(folder),
        *examples.check(folder),
        *files.check(folder),
    }
    return sorted(found)
