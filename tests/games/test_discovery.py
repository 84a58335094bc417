"""Games are found by their entry points; one that cannot be used is refused in one line and hides no other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from scorekeeper import games as registry
from scorekeeper.api import API_VERSION
from scorekeeper.games import GROUP, RefusedGame, find_entry_points, find_folder, games, refused_games

from ..support.apps import MakeApp

GAME = next(iter(games().values()))
Declare = Callable[..., None]


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Declare]:
    """Write packages and declare them as games beside the bundled ones: `declare(slug="code of its __init__.py")`."""
    declared = [*find_entry_points()]
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "find_entry_points", lambda: declared)
    before = set(sys.modules)

    def declare_games(**codes: str) -> None:
        for name, code in codes.items():
            (tmp_path / f"game_{name}").mkdir()
            (tmp_path / f"game_{name}" / "__init__.py").write_text(code, encoding="utf-8")
            declared.append(EntryPoint(name.replace("_", "-"), f"game_{name}:GAME", GROUP))
        registry._installed.cache_clear()

    yield declare_games
    registry._installed.cache_clear()
    for name in set(sys.modules) - before:
        del sys.modules[name]


def package(slug: str, api: str = API_VERSION) -> str:
    return f"""
from dataclasses import replace
from scorekeeper.games.{find_folder(GAME).name} import GAME
GAME = replace(GAME, slug="{slug}", api="{api}")
"""


def package_with_deal(annotation: str) -> str:
    return f"""
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Optional
from scorekeeper.api import Items, Party, Player, Range
from scorekeeper.games.{find_folder(GAME).name} import GAME

@dataclass(frozen=True)
class Deal:
    taken: {annotation}

GAME = replace(GAME, slug="my-game", deal=Deal)
"""


def refusal() -> str:
    (refused,) = refused_games()
    assert isinstance(refused, RefusedGame)
    assert "\n" not in refused.reason
    return f"{refused.slug}: {refused.reason}"


def test_a_game_in_another_package_is_found_with_its_folder(declare: Declare, tmp_path: Path) -> None:
    declare(my_game=package("my-game"))
    assert games()["my-game"] == replace(GAME, slug="my-game", api=API_VERSION)
    assert find_folder(games()["my-game"]) == tmp_path / "game_my_game"
    assert list(games()) == sorted(games(), key=lambda slug: (bool(games()[slug].house_rules.examples), slug))
    assert refused_games() == ()


def test_a_second_game_with_the_same_slug_is_refused(declare: Declare) -> None:
    declare(**{GAME.slug.replace("-", "_"): package(GAME.slug)})
    assert games()[GAME.slug] is GAME
    assert refusal() == f"{GAME.slug}: the slug is used by a game in {find_folder(GAME)}"


@pytest.mark.parametrize("version", ["0.9", "2.0", "1.99", "10.0"])
def test_a_game_for_another_version_of_the_api_is_refused(declare: Declare, version: str) -> None:
    declare(my_game=package("my-game", version))
    expected = f"my-game: it is written for version {version} of scorekeeper.api, and this is {API_VERSION}"
    assert refusal() == expected
    assert "my-game" not in games()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise RuntimeError('two\\nlines')", "it cannot be imported: RuntimeError: two lines"),
        ("def oops(:", "it cannot be imported: SyntaxError: "),
        ("import no_such_module", "it cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        ("from scorekeeper.api import no_such_name", "it cannot be imported: ImportError: cannot import name"),
        ("", "it cannot be imported: AttributeError: "),
        ("GAME = 5", "game_my_game:GAME must name a Game in a package's __init__.py"),
        (package("other"), "its entry point is named my-game and its slug is other"),
        (package("my-game", "one"), "it is written for version one of scorekeeper.api"),
        (package("my-game", ""), "it is written for version  of scorekeeper.api"),
    ],
)
def test_a_game_that_cannot_be_used_is_refused_in_one_line(declare: Declare, code: str, reason: str) -> None:
    declare(my_game=code)
    assert refusal().startswith(f"my-game: {reason}")
    assert GAME.slug in games()


@pytest.mark.parametrize(
    "annotation",
    [
        "int",
        "float = 0.0",
        "list[int]",
        "set[str]",
        "Any",
        "object",
        "Annotated[float, Range(0, 1)]",
        "Annotated[int, 'a comment']",
        "dict[Player, int]",
        "dict[int, bool]",
        "tuple[Player, Player]",
        "int | None = None",
        "Annotated[list[int], Items(3)]",
        "dict[Player, bool] = field(default_factory=dict)",
        "tuple[Player, ...] = field(default_factory=tuple)",
    ],
)
def test_a_deal_that_no_sheet_can_hold_is_refused(declare: Declare, annotation: str) -> None:
    """It would be accepted deal by deal, and count nothing."""
    declare(my_game=package_with_deal(annotation))
    assert refusal().startswith("my-game: its Deal cannot be read from a sheet: the field taken ")


@pytest.mark.parametrize(
    "annotation",
    ["bool = False", "Player | None = None", "Optional[Player] = None", "dict[Party, Annotated[int, Range(0, 9)]]"],
)
def test_a_deal_that_a_sheet_can_hold_is_accepted(declare: Declare, annotation: str) -> None:
    declare(my_game=package_with_deal(annotation))
    assert refused_games() == ()


@pytest.mark.parametrize("slug", ["My-game", "my_game", "", "-", "a--b", "EUR", "x" * 33, "été", "a/b"])
def test_a_slug_that_no_address_could_hold_is_refused(
    monkeypatch: pytest.MonkeyPatch, declare: Declare, slug: str
) -> None:
    declared = [*find_entry_points(), EntryPoint(slug, "no.such:GAME", GROUP)]
    monkeypatch.setattr(registry, "find_entry_points", lambda: declared)
    declare()
    assert "a slug has at most 32 lower-case letters, digits and hyphens" in refusal()


def test_the_app_logs_a_refused_game_in_one_line_and_starts(
    make_app: MakeApp, database: str, declare: Declare, caplog: pytest.LogCaptureFixture
) -> None:
    declare(my_game=package("my-game", "9.0"))
    app = make_app(database, TESTING=True)  # one with settings is made anew
    assert app.test_client().get("/").status_code == 200
    expected = f"written for version 9.0 of scorekeeper.api, and this is {API_VERSION}"
    assert [record.getMessage() for record in caplog.records if record.name == "scorekeeper.games"] == [
        f"The game my-game of the package  is left out: it is {expected}"
    ]
