"""No game is named outside its package: not in code, templates, styles and scripts, and no test decides by a name.

The names are those of the installed games, so that these tests need no change when a game is added. Where a game may be
named: in the documentation, and in `pyproject.toml`, which declares the bundled games.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scorekeeper import games as games_package
from scorekeeper.games import find_folder, games, lineage
from scorekeeper.i18n import LANGUAGES, translate

PACKAGE = Path(games_package.__file__).parent.parent
ROOT = PACKAGE.parent
GAMES = PACKAGE / "games"
TESTS = ROOT / "tests"
TEXT = (".py", ".html", ".css", ".js", ".po", ".svg", ".json", ".txt", ".webmanifest", ".mako", ".ini", ".toml")


def names_of(slug: str) -> set[str]:
    """Return how a game is called: its slug, that with underscores, and its name in every language.

    A game that the players describe has no name of its own: "another game" is said of any.
    """
    names = {slug, slug.replace("-", "_")}
    return names if games()[slug].example_options else names | {translate(each, f"{slug}.name") for each in LANGUAGES}


@cache
def naming() -> re.Pattern[str]:
    """Return a pattern that finds a name of any game as a word of its own, in capitals or not."""
    names = sorted({name for slug in games() for name in names_of(slug)}, key=len, reverse=True)
    return re.compile(rf"(?<![^\W_])({'|'.join(map(re.escape, names))})(?![^\W_])", re.IGNORECASE)


def texts(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of a folder that hold code, words or styles, with their text."""
    for path in sorted(folder.glob("**/*")):
        if path.suffix in TEXT and "__pycache__" not in path.parts:
            yield path, path.read_text(encoding="utf-8")


def lines_with(pattern: re.Pattern[str], path: Path, text: str) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {found[0]}"
        for number, line in enumerate(text.splitlines(), start=1)
        if (found := pattern.search(line))
    ]


def test_no_game_is_named_outside_its_package() -> None:
    """In code, comments, docstrings, templates, styles, scripts and the shared catalogues."""
    pattern = naming()
    outside = [
        (path, text)
        for folder in (PACKAGE, ROOT / "templates")
        for path, text in texts(folder)
        if GAMES not in path.parents or path.parent == GAMES
    ]
    assert len(outside) > 300
    assert [line for path, text in outside for line in lines_with(pattern, path, text)] == []


@pytest.mark.parametrize("slug", sorted(games()))
def test_a_game_names_itself_and_the_games_it_builds_on_only(slug: str) -> None:
    """In code, templates, styles and words. Its rules texts may compare it with other games."""
    folder = find_folder(games()[slug])
    own = {game.slug for game in lineage(games()[slug])} | imported_games(folder)
    files = list(texts(folder))
    assert files
    known = {name.lower() for other in own for name in names_of(other)}
    found = [
        f"{path.relative_to(folder)}: {name}"
        for path, text in files
        for name in naming().findall(text)
        if name.lower() not in known
    ]
    assert found == []


def imported_games(folder: Path) -> set[str]:
    """Return the slugs of the games whose packages a game's modules import."""
    imported = {
        name
        for path in folder.glob("**/*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for name in (node.module or "").split(".")
    }
    return {slug for slug, game in games().items() if find_folder(game).name in imported}


# --- tests ---------------------------------------------------------------------------------------------------


def modules_with_tests() -> list[Path]:
    """Return the modules with tests, but for those of one game alone."""
    own = {f"test_{slug.replace('-', '_')}.py" for slug in games()}
    return [path for path in sorted(TESTS.glob("**/*.py")) if not (path.parent == TESTS / "games" and path.name in own)]


def slugs_among(nodes: list[ast.expr]) -> set[str]:
    """Return the games that are elements of a literal, or of a literal in it."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value in games():
            found.add(str(node.value))
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            found |= slugs_among(node.elts)
    return found


def are_games(nodes: list[ast.expr]) -> bool:
    """Whether these are two games or more, and nothing else. Cases that are more than a name are examples."""
    return len(nodes) > 1 and all(isinstance(node, ast.Constant) and node.value in games() for node in nodes)


def flaws_of(path: Path) -> Iterator[str]:
    """Yield the lines that decide by the name of a game, or list several games."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            if any(isinstance(operand, ast.Name) and operand.id in ("slug", "game") for operand in operands) and (
                slugs_among(operands)
            ):
                yield f"{place}: decides by a game's name"
        elif isinstance(node, ast.Dict) and are_games([key for key in node.keys if key]):
            yield f"{place}: a dictionary of games"
        elif isinstance(node, ast.List | ast.Set | ast.Tuple) and are_games(node.elts):
            yield f"{place}: a list of games"


def test_no_test_decides_by_a_games_name_or_lists_games() -> None:
    """A test may play a certain game as an example; what it says of all games, it says of the installed ones."""
    assert sorted({flaw for path in modules_with_tests() for flaw in flaws_of(path)}) == []
