"""Everything that can be checked about a game without a browser: what is missing, misspelt or never used.

`check` looks at a game's folder and plays it at random. `scorekeeper check-game` prints what it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ..scoring.game import AnyGame
from . import definition, examples, files, rules, substitutes, template, words
from .findings import Finding, GameFolder, raised
from .observing import observe

__all__ = ["Finding", "check"]


def check(game: AnyGame, path: Path) -> list[Finding]:
    """Return what is wrong with the game whose files are in this folder, in the order of files and lines."""
    folder = GameFolder(game, path)
    observed = observe(folder, list(examples.sheets(folder)))
    found = set(_found(folder, definition.check, observed)) | set(_found(folder, words.check, observed))
    for checked in (substitutes.check, template.check, rules.check, examples.check, files.check):
        found |= set(_found(folder, checked))
    return sorted(found)


def _found(folder: GameFolder, checked: Callable[..., Iterator[Finding]], *arguments: object) -> list[Finding]:
    """Return what a check finds; an error of the game's code ends the check, and is a finding too."""
    found = []
    try:
        for finding in checked(folder, *arguments):
            found.append(finding)  # those before an error count
    except Exception as error:  # whatever the game's code raises
        found.append(raised(folder, error))
    return found
