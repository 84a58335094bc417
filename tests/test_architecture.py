"""The house holds: who may import whom, what every game's folder has, and words for all that is said."""

from __future__ import annotations

import ast
import re
import string
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from scorekeeper import games as games_package
from scorekeeper.games import folder_of, games
from scorekeeper.language import LANGUAGES, knows
from scorekeeper.web.forms import option_fields

PACKAGE = Path(games_package.__file__).parent.parent
ROOT = PACKAGE.parent
SLUGS = sorted(games())
GAMES = [pytest.param(games()[slug], id=slug) for slug in SLUGS]


def modules(*places: str) -> list[Path]:
    found = [path for place in places for path in sorted(PACKAGE.glob(place))]
    assert found, places
    return found


def imports(path: Path) -> Iterator[str]:
    """What a module imports, by full name."""
    here = ["scorekeeper", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def is_standard(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in sys.stdlib_module_names


@pytest.mark.parametrize("path", modules("scoring/*.py"), ids=lambda path: path.name)
def test_scoring_imports_the_standard_library_and_itself(path: Path) -> None:
    for name in imports(path):
        assert is_standard(name) or name.startswith("scorekeeper.scoring"), name


@pytest.mark.parametrize("path", modules("games/**/*.py"), ids=lambda path: "/".join(path.parts[-2:]))
def test_games_import_the_standard_library_scoring_and_each_other(path: Path) -> None:
    for name in imports(path):
        assert is_standard(name) or name.startswith(("scorekeeper.scoring", "scorekeeper.games")), name


@pytest.mark.parametrize(
    "path",
    modules("store.py", "history.py", "table.py", "book/*.py", "exchange/*.py", "language.py"),
    ids=lambda path: path.name,
)
def test_nothing_below_the_web_imports_it(path: Path) -> None:
    assert not [name for name in imports(path) if name.startswith(("scorekeeper.web", "flask.", "scorekeeper.serve"))]


def test_only_the_book_commits() -> None:
    for path in modules("**/*.py"):
        if path.parent.name not in ("book", "migrations"):
            assert ".commit(" not in path.read_text(encoding="utf-8"), path


def test_nothing_that_is_counted_is_a_float() -> None:
    for path in modules("scoring/*.py", "games/**/*.py", "book/*.py", "exchange/*.py", "history.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), (path, node.lineno)
            assert not (isinstance(node, ast.Name) and node.id == "float"), (path, node.lineno)


def test_whist_names_no_variant_of_its_own() -> None:
    for path in modules("games/whist/*.py"):
        assert "short" not in path.read_text(encoding="utf-8").lower(), path


def test_no_module_outside_its_folder_names_a_game() -> None:
    """Adding a game touches no line elsewhere: its folder, its template, its sheets under tests."""
    for path in modules("*.py", "scoring/*.py", "web/*.py"):
        code = ast.parse(path.read_text(encoding="utf-8"))
        words = [
            node.value for node in ast.walk(code) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        docstrings = {ast.get_docstring(node, clean=False) for node in ast.walk(code) if has_docstring(node)}
        for word in set(words) - docstrings:
            assert not [slug for slug in SLUGS if slug == word or word.startswith(f"{slug}.")], (path, word)


def has_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)


@pytest.mark.parametrize("game", GAMES)
def test_every_games_folder_is_complete(game: Any) -> None:
    folder = folder_of(game)
    for name in ("ledger.py", "rules.md", "rules.fr.md", "words/en.po", "words/fr.po", "pictures/emblem.svg"):
        assert (folder / name).is_file(), name
    assert (ROOT / "templates" / "games" / f"{game.slug}.html").is_file()
    assert list((ROOT / "tests" / "cases" / game.slug).glob("*.json"))


@pytest.mark.parametrize("game", GAMES)
def test_every_reason_and_house_rule_has_a_heading_in_the_rules_of_both_languages(game: Any) -> None:
    wanted = {*game.reasons, *(f.name for f in fields(game.options)), "adjustment", "misdeal"}
    anchors = [
        re.findall(r"^#+ .*\{#([a-z_]+)\}\s*$", (folder_of(game) / name).read_text(encoding="utf-8"), re.M)
        for name in ("rules.md", "rules.fr.md")
    ]
    assert anchors[0] == anchors[1]
    assert wanted <= set(anchors[0])


@pytest.mark.parametrize("game", GAMES)
def test_reasons_that_entries_carry_are_the_games_own(game: Any) -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in folder_of(game).glob("*.py"))
    for reason in game.reasons:
        assert reason in code or reason.startswith("welche_"), reason


def catalogues() -> list[Path]:
    return sorted({path.parent for path in PACKAGE.glob("**/words/**/*.po")})


@pytest.mark.parametrize("folder", catalogues(), ids=lambda folder: folder.parent.name)
def test_both_languages_say_the_same_things_of_the_same_parameters(folder: Path) -> None:
    said = {}
    for language in LANGUAGES:
        with (folder / f"{language}.po").open("rb") as file:
            said[language] = {message.id: message.string for message in read_po(file) if message.id}
        assert all(all(parts(text)) for text in said[language].values()), language
    assert said["en"].keys() == said["fr"].keys()
    for key, english in said["en"].items():
        assert placeholders(english) == placeholders(said["fr"][key]), key


def parts(text: Any) -> tuple[str, ...]:
    return tuple(text) if isinstance(text, tuple | list) else (text,)


def placeholders(text: Any) -> set[str]:
    return {name for part in parts(text) for _, name, _, _ in string.Formatter().parse(part) if name}


def said_by_templates() -> set[str]:
    """Keys that templates say as they stand; those put together from parts are covered below."""
    keys = set()
    for path in (ROOT / "templates").glob("**/*.html"):
        keys |= set(re.findall(r"""\bt\(\s*["']([a-z0-9_.-]+)["']\s*[,)]""", path.read_text(encoding="utf-8")))
    return keys


def remarked_on() -> set[str]:
    keys = set()
    for path in modules("**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Remark" and len(node.args) > 1:
                key = node.args[1]
                if isinstance(key, ast.Constant):
                    keys.add(key.value)
    assert len(keys) > 30
    return {key if "." in key else f"remark.{key}" for key in keys}


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_is_said_has_words(language: str) -> None:
    keys = said_by_templates() | remarked_on()
    for game in games().values():
        keys |= {f"{game.slug}.{word}" for word in ("name", "in-a-line", "leads")}
        keys |= {f"{game.slug}.reason.{reason}" for reason in game.reasons}
        keys |= {f"{game.slug}.figure.{name}" for name in game.figure_names}
        keys |= {f"{game.slug}.feat.{name}" for name in game.feat_names}
        for field in option_fields(game):
            says = f"{game.slug}.option.{field.option}"
            keys |= {f"{says}.help", f"{says}.{field.part}" if field.part else says}
        players = tuple("12345"[: game.seatings[0]])
        standing = game.open(players, "1", game.options())
        keys |= {
            choice.says
            for group in game.pad(standing, {})
            for choice in group.choices
            if isinstance(choice.says, str) and choice.says not in ("party", "side")
        }
    assert not {key for key in keys if not knows(language, key)}


def test_no_file_is_too_long_to_be_read_in_a_sitting() -> None:
    for path in modules("**/*.py"):
        if "migrations" not in path.parts:
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 310, path
