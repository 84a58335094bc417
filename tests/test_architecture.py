"""Architecture: import directions, what may commit, no floats, no unused template."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scorekeeper import games as games_package
from scorekeeper.app import FEATURES

PACKAGE = Path(games_package.__file__).parent.parent
ROOT = PACKAGE.parent


def modules(*patterns: str) -> list[Path]:
    found = [path for pattern in patterns for path in sorted(PACKAGE.glob(pattern))]
    assert found, patterns
    return found


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Return the full names of what a module imports at run time."""
    here = [PACKAGE.name, *path.relative_to(PACKAGE).parent.parts]
    found: list[str] = []
    todo: list[ast.AST] = [parse(path)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found += (f"{module}.{alias.name}" for alias in node.names)
        todo += ast.iter_child_nodes(node)
    return tuple(found)


def is_standard(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in sys.stdlib_module_names


# The parts of the package, from the rules to the features on top: each imports only parts before it. What stands
# together on a line does not know each other.
LAYERS = (
    ("limits",),
    ("scoring",),
    ("api",),
    ("games",),
    ("i18n",),
    ("errors",),
    ("models",),
    ("db",),
    ("site",),
    ("circles",),
    ("people",),
    ("tables",),
    ("money",),
    ("standings",),
    ("evenings",),
    ("files",),
    ("home",),
    ("events", "notices"),
    ("config",),
    ("app", "testing"),
    ("cli",),
    ("__init__",),
    ("__main__",),
)
# Modules that know neither the web nor the database.
PURE = (
    *("scoring/*.py", "api.py", "games/**/*.py"),
    *(
        f"tables/{name}.py"
        for name in ("chairs", "chart", "corrections", "endings", "revisions", "rota", "state", "summary")
    ),
    "money/ledger.py",
    *(f"standings/{name}.py" for name in (("ratings", "season_ranking", "statistics", "totals"))),
)
if "events" in FEATURES:
    PURE += ("events/formats/*.py",)
    PURE += tuple(f"events/{name}.py" for name in ("drawing", "even_draws", "prizes", "ranking", "scorings"))
# They need no library, but for the one that matches who meets whom, the one that knows the currencies, and the one that
# estimates ratings. The latter's numbers are floats: only its module has them, and nothing that is counted or paid
# depends on a rating.
ESTIMATED = {PACKAGE / "standings" / "ratings.py": "openskill"}
LIBRARIES = {
    **ESTIMATED,
    PACKAGE / "events" / "even_draws.py": "networkx",
    PACKAGE / "scoring" / "currency.py": "babel",
}


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_is_in_a_known_part() -> None:
    removed = {"events", "notices"} - {*FEATURES}
    assert {part_of(path) for path in modules("**/*.py")} == {part for layer in LAYERS for part in layer} - removed


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


def test_a_part_imports_only_parts_before_it() -> None:
    before: set[str] = set()
    for layer in LAYERS:
        for path in (path for path in modules("**/*.py") if part_of(path) in layer and "migrations" not in path.parts):
            found = {name.split(".")[1] for name in imports(path) if name.startswith("scorekeeper.")}
            assert found <= before | {part_of(path), "create_app"}, path
        before |= {*layer}


def test_no_two_parts_of_a_folder_need_each_other() -> None:
    """Parts are modules and folders; `__init__.py` stands above them. What only type checkers import is not needed."""
    names = {path: [tuple(name.split(".")) for name in imports(path)] for path in modules("**/*.py")}
    for folder in {path.parent for path in names}:
        inside = (PACKAGE.name, *folder.relative_to(PACKAGE).parts)
        needed: dict[str, set[str]] = {}
        for path in (path for path in names if path.is_relative_to(folder)):
            part = path.relative_to(folder).parts[0].removesuffix(".py")
            others = {name[len(inside)] for name in names[path] if name[:-1][: len(inside)] == inside}
            needed.setdefault(part, set()).update(others - {part})
        TopologicalSorter(needed).prepare()  # raises CycleError, with the parts


def test_pure_modules_import_no_library_but_those_listed() -> None:
    for path in (path for pattern in PURE for path in modules(pattern)):
        foreign = {name for name in imports(path) if not name.startswith("scorekeeper.") and not is_standard(name)}
        assert {name.split(".")[0] for name in foreign} <= {LIBRARIES.get(path)}, path


def test_a_module_with_pages_neither_commits_nor_queries() -> None:
    for path in (path for path in modules("**/*.py") if part_of(path) not in {"db", "site", "testing", "cli"}):
        if "flask" in {name.split(".")[0] for name in imports(path)}:
            queries = r"db\.session\.(add|delete|execute|flush|get|get_one|merge|scalars?)\("
            assert re.search(queries, path.read_text(encoding="utf-8")) is None, path


def test_what_a_form_sends_is_read_by_a_class_of_its_own() -> None:
    for path in (path for path in modules("**/*.py") if part_of(path) != "site"):
        assert "request.form" not in path.read_text(encoding="utf-8"), path


def test_only_transactions_commit() -> None:
    for path in modules("**/*.py"):
        assert ".commit(" not in path.read_text(encoding="utf-8") or path == PACKAGE / "db" / "transactions.py", path


def test_nothing_that_is_counted_is_a_float() -> None:
    counted = {"scoring", "games", "tables", "money", "standings", "evenings", "files", "events"}
    for path in (path for path in modules("**/*.py") if part_of(path) in counted and path not in ESTIMATED):
        for node in ast.walk(parse(path)):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), (path, node.lineno)
            assert not (isinstance(node, ast.Name) and node.id == "float"), (path, node.lineno)


def test_a_game_imports_the_api_and_other_games_only() -> None:
    for path in modules("games/*/*.py"):
        found = {name.split(".")[1] for name in imports(path) if name.startswith("scorekeeper.")}
        assert found <= {"api", "games"}, path


def test_no_line_of_a_template_is_longer_than_140_characters() -> None:
    for path in (*(ROOT / "templates").glob("**/*.html"), *modules("games/*/templates/*.html")):
        assert max(map(len, path.read_text(encoding="utf-8").splitlines())) <= 140, path


def test_a_part_shows_its_own_templates_those_of_parts_before_it_and_those_of_no_part() -> None:
    before: set[str] = set()
    for layer in LAYERS:
        for part in layer:
            sources = [path for path in modules("**/*.py") if part_of(path) == part]
            for path in (*sources, *(ROOT / "templates" / part).rglob("*.html")):
                folders = re.findall(r'"(\w+)/[\w/]+\.html"', path.read_text(encoding="utf-8"))
                assert {*folders} <= before | {part}, path
        before |= {*layer}


def test_every_template_is_used() -> None:
    """By a view or by another template."""
    templates = {str(path.relative_to(ROOT / "templates")) for path in (ROOT / "templates").glob("**/*.html")}
    sources = [*modules("**/*.py"), *(ROOT / "templates").glob("**/*.html"), *modules("games/*/templates/*.html")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    assert {name for name in templates if f'"{name}"' not in text} == set()
