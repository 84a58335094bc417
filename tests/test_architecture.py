"""Architecture: import directions, what may commit, no floats, no unused template."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scorekeeper import games as games_package

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
    "limits": set(),
    "games": {"api", "scoring"},
    "events": {"limits", "scoring"},
    "currency": {"scoring"},
    "payment_details": {"limits", "scoring"},
    "i18n": {"scoring", "games"},
    "errors": {"scoring", "i18n"},
    "files": set(),
    "models": set(),
    "time_zones": set(),
    "version": set(),
    "network": set(),
    "live": {"models"},
    "push": {"limits", "models"},
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
    "db": {"errors", "files", "models"},
    "services": {
        "files",
        "limits",
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
    "server": {"errors", "live", "network"},
}
AT_THE_EDGE = {"__init__", "__main__", "cli", "testing", "web"}
# The rules and what is computed from them know no library, but for the one that matches who meets whom, the one that
# knows the currencies, and the one that estimates ratings. The latter's numbers are floats: only its module has them,
# and nothing that is counted or paid depends on a rating.
PURE = {"scoring", "api", "events", "games", "stats"}
ESTIMATED = {PACKAGE / "stats" / "ratings.py": "openskill"}
LIBRARIES = {
    **ESTIMATED,
    PACKAGE / "events" / "matching.py": "networkx",
    PACKAGE / "scoring" / "sheet.py": "babel",
}


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_is_in_a_known_part() -> None:
    assert {part_of(path) for path in modules("**/*.py")} == MAY_IMPORT.keys() | AT_THE_EDGE


def test_every_library_is_a_declared_dependency_or_comes_with_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
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


@pytest.mark.parametrize("part", sorted(PURE))
def test_the_rules_and_statistics_import_only_the_standard_library(part: str) -> None:
    for path in modules(f"{part}.py", f"{part}/**/*.py"):
        foreign = {name for name in imports(path) if not name.startswith("scorekeeper.") and not is_standard(name)}
        assert {name.split(".")[0] for name in foreign} <= {LIBRARIES.get(path)}, path


@pytest.mark.parametrize("part", sorted(MAY_IMPORT.keys() - {"db"}))
def test_only_the_edge_and_the_database_know_flask(part: str) -> None:
    for path in modules(f"{part}.py", f"{part}/**/*.py") if part not in ("live", "server") else ():
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


def test_every_template_is_used() -> None:
    """By a view or by another template."""
    templates = {str(path.relative_to(ROOT / "templates")) for path in (ROOT / "templates").glob("**/*.html")}
    sources = [*modules("**/*.py"), *(ROOT / "templates").glob("**/*.html"), *modules("games/*/templates/*.html")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    assert {name for name in templates if f'"{name}"' not in text} == set()
