"""`scorekeeper new-game`: the package it creates is complete, short and works; wrong arguments create nothing."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorekeeper.cli.main import main
from scorekeeper.games import games
from scorekeeper.scoring.problems import Refusal
from scorekeeper.scoring.statement import score

ROOT = Path(__file__).parent.parent.parent
MAX_LINES = 250  # of everything but the rules to read


def run(directory: Path, *arguments: str) -> Result:
    env = dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG"))
    return CliRunner().invoke(main, ["new-game", *arguments, "--directory", str(directory)], env=env)


def created(directory: Path, slug: str, *arguments: str) -> Path:
    """Return the folder of the Python package in a new game's package."""
    result = run(directory, slug, *arguments)
    assert result.exit_code == 0, result.stderr
    return directory / f"scorekeeper-{slug}" / f"scorekeeper_{slug.replace('-', '_')}"


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that creates a game and imports it from its folder."""

    def create(slug: str, *arguments: str) -> tuple[Path, Any]:
        package = created(tmp_path, slug, *arguments)
        monkeypatch.syspath_prepend(str(package.parent))
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        for name in [name for name in sys.modules if name.split(".")[0] == package.name]:
            monkeypatch.delitem(sys.modules, name)
        return package, importlib.import_module(package.name).GAME

    return create


KINDS = {
    "three-to-six": (),
    "two-against-two": ("--in-sides",),
    "of-five": ("--players", "5"),
    "from-two": ("--players", "2-4"),
    "for-a-crowd": ("--players", "10-12"),
    "up-to-eight": ("--players", "3-8", "--name", "Jusqu’à huit & plus"),
}


@pytest.mark.parametrize("slug", sorted(KINDS))
def test_a_new_game_scores_its_own_sheets_as_its_cases_say(imported: Any, slug: str) -> None:
    package, game = imported(slug, *KINDS[slug])
    all_games = {slug: game}
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in (package / "cases").glob("*.json")]
    assert {kind for case in cases for kind in case} >= {"expect", "expect_error"}
    for case in cases:
        statement = score(case["sheet"], all_games)
        if isinstance(statement, Refusal):
            found = {"deal": statement.deal, "field": statement.first.field}
            assert found == case["expect_error"]
        else:
            assert {key: statement[key] for key in case["expect"]} == case["expect"]
    for name, status in (("example", "finished"), ("sample", "open")):
        statement = score(json.loads((package / f"{name}.json").read_text(encoding="utf-8")), all_games)
        assert not isinstance(statement, Refusal)
        assert statement["status"] == status


def test_the_players_are_those_that_were_asked_for(imported: Any) -> None:
    assert imported("three-to-six")[1].player_counts == (3, 4, 5, 6)
    _, game = imported("two-against-two", "--in-sides")
    assert (game.player_counts, game.in_sides) == ((4,), True)
    assert imported("of-five", "--players", "5")[1].player_counts == (5,)
    assert imported("up-to-eight", "--players", "3-8")[1].player_counts == (3, 4, 5, 6, 7, 8)
    assert imported("from-two", "--players", "2-4")[1].player_counts == (2, 3, 4)
    assert imported("for-a-crowd", "--players", "10-12")[1].player_counts == (10, 11, 12)


@pytest.mark.parametrize("slug", ["three-to-six", "two-against-two"])
def test_a_new_game_is_short_and_tidy(tmp_path: Path, slug: str) -> None:
    package = created(tmp_path, slug, *KINDS[slug])
    files = [path for path in package.parent.rglob("*") if path.is_file()]
    counted = [path for path in files if path.suffix != ".md" or path.name == "README.md"]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in counted) < MAX_LINES
    for command in (("format", "--check"), ("check",)):
        ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", "--config", str(ROOT / "pyproject.toml")]
        done = subprocess.run([*ruff, str(package.parent)], check=False, capture_output=True, text=True)  # noqa: S603  # our own command
        assert done.returncode == 0, done.stdout
    entry_points = tomllib.loads((package.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "entry-points"
    ]
    assert entry_points == {"scorekeeper.games": {slug: f"{package.name}:GAME"}}


def test_the_name_is_the_slug_or_what_was_given(tmp_path: Path) -> None:
    assert "# Oh well for" in (created(tmp_path, "oh-well").parent / "README.md").read_text(encoding="utf-8")
    package = created(tmp_path, "jass", "--name", "  Schieber,   à 4 ")
    assert 'msgstr "Schieber, à 4"' in (package / "translations" / "en.po").read_text(encoding="utf-8")


def test_the_answer_says_how_to_go_on(tmp_path: Path) -> None:
    output = run(tmp_path, "hearts").stdout
    assert f"pip install -e {tmp_path}/scorekeeper-hearts" in output
    assert "scorekeeper check-game hearts" in output


WRONG = {
    "capitals": (["Hearts"], "cannot be a game’s slug"),
    "a space": (["my game"], "cannot be a game’s slug"),
    "a path": (["../hearts"], "cannot be a game’s slug"),
    "too long": (["a" * 33], "cannot be a game’s slug"),
    "another alphabet": (["скат"], "cannot be a game’s slug"),
    "installed": ([sorted(games())[0]], "is installed"),
    "a word of the app": (["deal"], "for its own messages"),
    "an empty name": (["hearts", "--name", " "], "cannot be a game’s name"),
    "a name that ends a text": (["hearts", "--name", 'A "B" $c'], "cannot be a game’s name"),
    "a long name": (["hearts", "--name", "x" * 41], "cannot be a game’s name"),
    "too few": (["hearts", "--players", "1-3"], "is not a number of players"),
    "too many": (["hearts", "--players", "3-13"], "is not a number of players"),
    "backwards": (["hearts", "--players", "6-3"], "is not a number of players"),
    "no number": (["hearts", "--players", "many"], "is not a number of players"),
    "sides of five": (["hearts", "--players", "5", "--in-sides"], "two against two"),
}


@pytest.mark.parametrize("wrong", sorted(WRONG))
def test_wrong_arguments_are_refused_in_one_line_and_create_nothing(tmp_path: Path, wrong: str) -> None:
    arguments, message = WRONG[wrong]
    result = run(tmp_path, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "scorekeeper-hearts").mkdir()
    result = run(tmp_path, "hearts")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "exists already" in result.stderr
    assert [path.name for path in tmp_path.rglob("*")] == ["scorekeeper-hearts"]


def test_a_folder_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    result = run(tmp_path / "missing", "hearts")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "No such file or directory" in result.stderr
    assert list(tmp_path.iterdir()) == []
