"""`scorekeeper check-game`: what it prints, and its exit status."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from scorekeeper.api import API_VERSION
from scorekeeper.cli.main import main
from scorekeeper.games import games

from ..game_checks import small_game
from ..game_checks.installed import install, run


def test_a_complete_game_has_no_problems() -> None:
    slug = next(iter(games()))
    result = CliRunner().invoke(main, ["check-game", slug], env={"LC_ALL": "en"})
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"“{slug}” checked: 0 problems, 0 warnings.\n"


def test_a_game_that_is_not_installed_is_answered_in_one_line() -> None:
    result = CliRunner().invoke(main, ["check-game", "unheard-of"], env={"LC_ALL": "en"})
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("No game “unheard-of” is installed. Installed: ")
    assert result.stderr.count("\n") == 1


def test_problems_are_listed_by_file_and_line_and_a_game_that_is_refused_is_explained(tmp_path: Path) -> None:
    package = small_game.create(tmp_path)
    environment = install(package)
    small_game.replace(package, "translations/en.po", 'msgid "reason.stake"', 'msgid "reason.steak"')
    done = run(package.parent, environment, "scorekeeper", "check-game", small_game.SLUG)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert any(line.startswith(f"{small_game.PACKAGE}/translations/en.po:") and "steak" in line for line in lines)
    assert any(f"{small_game.PACKAGE}/translations/de.po:1: warning: " in line for line in lines)
    assert done.stderr == "“small” checked: 4 problems, 1 warning.\n"
    small_game.replace(package, "__init__.py", f'api="{API_VERSION}"', 'api="9.0"')
    refused = run(package.parent, environment, "scorekeeper", "check-game", small_game.SLUG)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("“small” is installed, but cannot be used: ")
