"""The findings of a check, and the game's folder that it looks at."""

from __future__ import annotations

import ast
import inspect
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from ..scoring.failing import GameFailedError
from ..scoring.game import AnyGame
from .playing import StuckPadError


class Place(NamedTuple):
    """A line of a file, counted from 1."""

    path: Path
    line: int = 1


@dataclass(frozen=True, order=True)
class Finding:
    """Something missing or misspelt. `text` says what is wrong and what would be right.

    A warning is about something that works without it, such as a language that the game does not have.
    """

    place: Place
    text: str
    is_warning: bool = False

    def __str__(self) -> str:
        kind = "warning: " if self.is_warning else ""
        return f"{self.place.path}:{self.place.line}: {kind}{self.text}"


@dataclass(frozen=True, eq=False)
class GameFolder:
    """A game and the folder with its files, which need not be installed."""

    game: AnyGame
    path: Path

    @property
    def slug(self) -> str:
        """The game's slug."""
        return self.game.slug

    def file(self, name: str) -> Path:
        """Return the path of a file in the folder."""
        return self.path / name

    @cached_property
    def modules(self) -> list[Path]:
        """The game's Python files; tests within the package are none of its code."""
        return [path for path in sorted(self.path.glob("**/*.py")) if "tests" not in path.relative_to(self.path).parts]

    @cached_property
    def code(self) -> dict[Path, ast.Module]:
        """The game's Python files, parsed."""
        return {path: ast.parse(path.read_text(encoding="utf-8")) for path in self.modules}

    def sets(self, field: str) -> bool:
        """Return whether the game gives a field of `Game` another value than its default."""
        return any(f.name == field and getattr(self.game, field) is not f.default for f in fields(self.game))

    def place_of_field(self, field: str) -> Place:
        """Return where a field of `Game` is set."""
        for path, module in self.code.items():
            for node in ast.walk(module):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Subscript | ast.Attribute):
                    keywords = {keyword.arg: keyword.value.lineno for keyword in node.keywords}
                    if "slug" in keywords and "player_counts" in keywords:
                        return Place(path, keywords.get(field, node.lineno))
        return Place(self.file("__init__.py"))

    def place_of_function(self, field: str) -> Place:
        """Return where the function that a field of `Game` names is defined, if that is in the folder."""
        function: Any = getattr(self.game, field, None)
        while isinstance(function, partial):
            function = function.func
        try:
            path, line = Path(inspect.getsourcefile(function) or ""), inspect.getsourcelines(function)[1]
        except (TypeError, OSError):  # no function, or none of its own
            return self.place_of_field(field)
        return Place(path, line) if path in self.code else self.place_of_field(field)

    def place_of_text(self, text: str, field: str) -> Place:
        """Return where the code uses a text: given to something in a field's function, in its file, or elsewhere.

        A text that nothing is given, as in a tuple of names, comes after these. An f-string may begin with the text.
        """
        first = self.place_of_function(field)
        found = [
            (path != first.path, not is_given, line < first.line, line, path)
            for path, module in self.code.items()
            for line, is_given in find_uses(module, text)
        ]
        if not found:
            return first
        *_, line, path = min(found)
        return Place(path, line)


def find_uses(module: ast.Module, text: str) -> Iterator[tuple[int, bool]]:
    """Yield the lines with this text, or with an f-string that begins with it and a hyphen, and whether it is given.

    It is given as an argument of a function such as `mark`; a method, such as `facts.get`, only looks it up.
    """
    given = {
        id(part)
        for call in ast.walk(module)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        for part in ((argument.body, argument.orelse) if isinstance(argument, ast.IfExp) else (argument,))
    }
    for node in ast.walk(module):
        start = node.values[0] if isinstance(node, ast.JoinedStr) and node.values else node
        texts = (text,) if start is node else (f"{text}-",)
        if isinstance(node, ast.expr) and isinstance(start, ast.Constant) and start.value in texts:
            yield node.lineno, id(node) in given


def raised(folder: GameFolder, raised_error: Exception) -> Finding:
    """Return an error as a finding, at the line of the game's code that it came from."""
    error = (raised_error.__cause__ if isinstance(raised_error, GameFailedError) else None) or raised_error
    frames = traceback.extract_tb(error.__traceback__)
    function = "pad" if isinstance(error, StuckPadError) else "score"
    own = [frame for frame in frames if Path(frame.filename) in folder.code]
    place = Place(Path(own[-1].filename), own[-1].lineno or 1) if own else folder.place_of_function(function)
    return Finding(place, " ".join(f"playing the game raises {type(error).__name__}: {error}".split()))


def find_end(path: Path) -> Place:
    """Return the last line of a file: where something missing can be added."""
    return Place(path, max(1, len(path.read_text(encoding="utf-8").splitlines()))) if path.is_file() else Place(path)


def line_with(path: Path, text: str) -> Place:
    """Return the first line that contains a text, else the first line."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return Place(path, next((number for number, line in enumerate(lines, 1) if text in line), 1))


def similar(word: str, words: Iterable[str]) -> str:
    """Return a question that names the most similar of these words; empty if none is similar."""
    found = get_close_matches(word, sorted(set(words)), n=1, cutoff=0.7)
    return f" Did you mean {found[0]!r}?" if found else ""


def listed(words: Iterable[object]) -> str:
    """Return words in a row, sorted."""
    return ", ".join(sorted(map(str, words))) or "none"
