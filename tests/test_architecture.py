"""Architecture: import directions, completeness of each game's folder, translations, file sizes."""

from __future__ import annotations

import ast
import re
import string
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scorekeeper import games as games_package
from scorekeeper.games import find_folder, games
from scorekeeper.i18n import LANGUAGES, has_message
from scorekeeper.i18n.elision import SPECS

PACKAGE = Path(games_package.__file__).parent.parent
ROOT = PACKAGE.parent


def modules(*patterns: str) -> list[Path]:
    found = [path for pattern in patterns for path in sorted(PACKAGE.glob(pattern))]
    assert found, patterns
    return found


def imports(path: Path) -> Iterator[str]:
    """Yield the full names of a module's imports."""
    return imports_in(ast.parse(path.read_text(encoding="utf-8")), path)


def imports_in(code: ast.AST, path: Path) -> Iterator[str]:
    here = ["scorekeeper", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def is_standard(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in sys.stdlib_module_names


# What each part of the package may import of the others: one way only, from the edge to the rules.
MAY_IMPORT = {
    "scoring": set(),
    "api": {"scoring"},
    "entry_points": set(),
    "limits": set(),
    "games": {"api", "entry_points", "scoring"},
    "events": {"entry_points", "limits", "scoring"},
    "currency": {"scoring"},
    "payment_details": {"limits", "scoring"},
    "i18n": {"scoring", "games"},
    "errors": {"scoring", "i18n"},
    "backup_reports": {"files"},
    "files": set(),
    "models": set(),
    "repeating": set(),
    "time_zones": set(),
    "version": set(),
    "live": {"models"},
    "push": {"files", "limits", "live", "models"},
    "tables": {"limits", "scoring", "games", "models"},
    "stats": {"scoring", "tables"},
    "exchange": {
        "limits",
        "scoring",
        "games",
        "currency",
        "payment_details",
        "i18n",
        "errors",
        "models",
        "tables",
        "events",
    },
    "db": {"scoring", "errors", "files", "models", "exchange"},
    "services": {
        "backup_reports",
        "files",
        "limits",
        "repeating",
        "scoring",
        "games",
        "currency",
        "payment_details",
        "errors",
        "models",
        "tables",
        "stats",
        "events",
        "exchange",
        "db",
        "live",
        "push",
        "time_zones",
    },
    "server": {"i18n", "errors", "live"},
}
AT_THE_EDGE = {"__init__", "__main__", "cli", "testing", "web"}
# The rules and what is computed from them know no library, but for the one that matches who meets whom, the one that
# knows the currencies, and the one that estimates ratings. The latter's numbers are floats: only its module has them,
# and nothing that is counted or paid depends on a rating.
PURE = {"scoring", "api", "entry_points", "events", "games", "stats"}
ESTIMATED = {PACKAGE / "stats" / "ratings.py": "openskill"}
LIBRARIES = {
    **ESTIMATED,
    PACKAGE / "events" / "matching.py": "networkx",
    PACKAGE / "scoring" / "currencies.py": "babel",
}


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_is_in_a_known_part() -> None:
    assert {part_of(path) for path in modules("**/*.py")} == MAY_IMPORT.keys() | AT_THE_EDGE


def test_every_library_is_a_declared_dependency_or_comes_with_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["icu"], *extras["postgresql"], *extras["redis"], *extras["testing"]]
    declared = {Requirement(line).name for line in lines}
    theirs = {Requirement(line).name for name in declared for line in metadata.requires(name) or []}
    available = {canonicalize_name(name) for name in declared | theirs}
    packages = metadata.packages_distributions()
    for path in modules("**/*.py"):
        for name in {name.split(".")[0] for name in imports(path) if not is_standard(name)} - {"scorekeeper"}:
            assert available & set(map(canonicalize_name, packages.get(name, []))), (path, name)


@pytest.mark.parametrize("part", sorted(MAY_IMPORT))
def test_a_part_imports_only_parts_below_it(part: str) -> None:
    for path in modules("**/*.py"):
        if part_of(path) == part and "migrations" not in path.parts:
            found = {name.split(".")[1] for name in imports(path) if name.startswith("scorekeeper.")}
            assert found <= MAY_IMPORT[part] | {part}, path


@pytest.mark.parametrize("folder", sorted({path.parent for path in modules("**/*.py")}))
def test_no_two_parts_of_a_folder_need_each_other(folder: Path) -> None:
    """Parts are modules and folders; `__init__.py` stands above them. What only type checkers import is not needed."""
    inside = (PACKAGE.name, *folder.relative_to(PACKAGE).parts)
    needed: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        part = path.relative_to(folder).parts[0].removesuffix(".py")
        code = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(code):
            if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
                node.body = []
        names = [tuple(name.split(".")) for name in imports_in(code, path)]
        others = {name[len(inside)] for name in names if len(name) > len(inside) and name[: len(inside)] == inside}
        needed.setdefault(part, set()).update(others - {part})
    TopologicalSorter(needed).prepare()  # raises CycleError, with the parts


@pytest.mark.parametrize("part", ["tables", "services", "web"])
def test_what_may_read_the_database_is_cached_without_a_lock(part: str) -> None:
    """Python 3.11 locks a `functools.cached_property` for all objects: a page that waits would stop all others."""
    for path in modules(f"{part}/**/*.py"):
        assert "functools.cached_property" not in imports(path), path


@pytest.mark.parametrize("part", sorted(PURE))
def test_the_rules_and_statistics_import_only_the_standard_library(part: str) -> None:
    for path in modules(f"{part}.py", f"{part}/**/*.py"):
        foreign = {name for name in imports(path) if not name.startswith("scorekeeper.") and not is_standard(name)}
        assert {name.split(".")[0] for name in foreign} <= {LIBRARIES.get(path)}, path


@pytest.mark.parametrize("part", sorted(MAY_IMPORT.keys() - {"db"}))
def test_only_the_edge_and_the_database_know_flask(part: str) -> None:
    for path in modules(f"{part}.py", f"{part}/**/*.py") if part != "server" else ():
        assert not [name for name in imports(path) if name.split(".")[0] == "flask"], path


def test_only_services_and_the_database_package_commit() -> None:
    for path in modules("**/*.py"):
        if path.relative_to(PACKAGE).parts[0] not in ("db", "services"):
            assert ".commit(" not in path.read_text(encoding="utf-8"), path


def test_nothing_that_is_counted_is_a_float() -> None:
    for path in modules(
        "scoring/*.py",
        "games/**/*.py",
        "services/**/*.py",
        "exchange/*.py",
        "tables/*.py",
        "stats/*.py",
        "events/**/*.py",
    ):
        if path in ESTIMATED:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), (path, node.lineno)
            assert not (isinstance(node, ast.Name) and node.id == "float"), (path, node.lineno)


def test_a_game_imports_the_api_and_other_games_only() -> None:
    for path in modules("games/*/*.py"):
        found = {name.split(".")[1] for name in imports(path) if name.startswith("scorekeeper.")}
        assert found <= {"api", "games"}, path


def catalogues() -> list[str]:
    """Return the paths of the app's catalogues but overlays, with `{language}` in place of the language.

    Those of games are checked with everything else of a game, by `scorekeeper.testing`.
    """
    names = {str(path.relative_to(PACKAGE)) for path in PACKAGE.glob("translations/**/*.po")}
    found = {re.sub(rf"\b({'|'.join(LANGUAGES)})(?=[/.])", "{language}", name) for name in names}
    return sorted(name for name in found if "{language}" in name)


@pytest.mark.parametrize("name", catalogues())
def test_every_language_has_the_same_messages_with_the_same_parameters(name: str) -> None:
    messages = {}
    for language in LANGUAGES:
        with (PACKAGE / name.format(language=language)).open("rb") as file:
            messages[language] = {message.id: message.string for message in read_po(file) if message.id}
        assert all(all(parts(text)) for text in messages[language].values()), language
        assert {spec.lower() for text in messages[language].values() for spec in specs(text)} <= SPECS.keys(), language
    for language in LANGUAGES[1:]:
        assert messages["en"].keys() == messages[language].keys()
        for key, english in messages["en"].items():
            assert placeholders(english) == placeholders(messages[language][key]), key


def parts(text: Any) -> tuple[str, ...]:
    return tuple(text) if isinstance(text, tuple | list) else (text,)


def placeholders(text: Any) -> set[str]:
    return {name for part in parts(text) for _, name, _, _ in string.Formatter().parse(part) if name}


def specs(text: Any) -> set[str]:
    """Return the format specs of a message's placeholders: words before names that may be elided."""
    return {spec for part in parts(text) for _, _, spec, _ in string.Formatter().parse(part) if spec}


def template_keys() -> set[str]:
    """Return the literal message keys in the app's templates; the games' are checked by `scorekeeper.testing`."""
    keys = set()
    for path in (ROOT / "templates").glob("**/*.html"):
        keys |= set(re.findall(r"""\bt\(\s*["']([a-z0-9_.-]+)["']\s*[,)]""", path.read_text(encoding="utf-8")))
    return keys


def problem_keys() -> set[str]:
    keys = set()
    installed = {find_folder(game) for game in games().values()}  # the words of other games are not read
    for path in modules("**/*.py"):
        if path.parent.parent == PACKAGE / "games" and path.parent not in installed:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem" and len(node.args) > 1:
                key = node.args[1]
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    keys.add(key.value)
    assert len(keys) > 30
    return {key if "." in key else f"problem.{key}" for key in keys}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_used_key_has_a_message(language: str) -> None:
    keys = template_keys() | problem_keys()
    assert not {key for key in keys if not has_message(language, key)}


def test_no_file_is_too_long() -> None:
    for path in modules("**/*.py"):
        if "migrations" not in path.parts:
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 350, path


def test_only_apps_py_creates_apps() -> None:
    """An app that is not closed leaves its database open, and Python warns about it in some other test."""
    for path in sorted((ROOT / "tests").glob("**/*.py")):
        code = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            alias.name
            for node in ast.walk(code)
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "scorekeeper"
            for alias in node.names
        }
        called = {
            node.func.attr
            for node in ast.walk(code)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        makes = ({"create_app", "build"} & imported) | ({"create_app"} & called)
        assert not makes or path.name == "apps.py", path


# --- names and layout ----------------------------------------------------------------------------------------


def identifiers(code: ast.AST) -> set[str]:
    """Return the names that a module gives to things: variables, parameters, functions, classes and attributes."""
    found = set()
    for node in ast.walk(code):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found


def own_modules() -> list[Path]:
    """Return all modules but the migrations, which are never edited."""
    return [path for path in modules("**/*.py") if "versions" not in path.parts]


# Words of an earlier style that said nothing: docs/glossary.md has the terms to use.
VAGUE = {"told", "whoever", "nought", "heir", "patience", "reckon", "remark", "remarks", "telling"}


def test_no_name_is_one_of_the_vague_words_of_earlier_versions() -> None:
    for path in own_modules():
        vague = {
            name for name in identifiers(ast.parse(path.read_text(encoding="utf-8"))) if VAGUE & set(name.split("_"))
        }
        assert vague == set(), path


def test_every_class_has_a_name_of_its_own() -> None:
    """Except for the two that each game declares: `Options` and `Deal`."""
    places: dict[str, list[Path]] = {}
    for path in own_modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name not in ("Options", "Deal"):
                places.setdefault(node.name, []).append(path)
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_nine_of_ten_public_functions_and_classes_have_a_docstring() -> None:
    documented = [
        ast.get_docstring(node) is not None
        for path in own_modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    assert 10 * sum(documented) >= 9 * len(documented)


@pytest.mark.parametrize("area", sorted(path.parent.name for path in modules("web/*/__init__.py")))
def test_views_render_the_templates_of_their_own_area(area: str) -> None:
    """Error pages are the exception: any view may answer with one."""
    rendered = {
        node.args[0].value
        for path in modules(f"web/{area}/*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "render_template"
        if node.args and isinstance(node.args[0], ast.Constant)
    }
    assert {name for name in rendered if not str(name).startswith((f"{area}/", "pages/error.html"))} == set()


def test_every_template_is_used() -> None:
    """By a view or by another template."""
    templates = {str(path.relative_to(ROOT / "templates")) for path in (ROOT / "templates").glob("**/*.html")}
    sources = [*own_modules(), *(ROOT / "templates").glob("**/*.html"), *modules("games/*/templates/*.html")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    assert {name for name in templates if f'"{name}"' not in text} == set()


def test_the_tests_lie_where_the_code_does() -> None:
    """Each package has its tests in a folder of the same name; those of `web` lie in one folder for each area."""
    packages = {path.parent.relative_to(PACKAGE) for path in modules("*/__init__.py", "web/*/__init__.py")}
    without_tests = {Path("models")}  # columns and relationships, no rules
    folders = {path.relative_to(ROOT / "tests") for path in (ROOT / "tests").glob("**/") if path != ROOT / "tests"}
    assert packages - without_tests <= folders
