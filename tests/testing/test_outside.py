"""`pytest --pyargs scorekeeper.testing`, run where a game's author would: outside the checkout."""

from __future__ import annotations

from pathlib import Path

from ..game_checks import small_game
from ..game_checks.installed import install, run

COMMAND = ("pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "scorekeeper.testing", "--game")


def test_a_game_in_a_package_of_its_own_passes_and_a_broken_one_fails(tmp_path: Path) -> None:
    package = small_game.create(tmp_path)
    environment = install(package)
    chosen = ("-k", "missing or case or tapped_is_recorded or misdeal")
    done = run(tmp_path, environment, *COMMAND, small_game.SLUG, *chosen)
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout, done.stdout
    small_game.replace(package, "translations/en.po", 'msgid "reason.stake"', 'msgid "reason.steak"')
    broken = run(tmp_path, environment, *COMMAND, small_game.SLUG, "-k", "missing")
    assert broken.returncode == 1, broken.stdout
    assert "reason.steak" in broken.stdout


def test_a_game_that_is_not_installed_is_refused_in_one_line(tmp_path: Path) -> None:
    done = run(tmp_path, install(small_game.create(tmp_path)), *COMMAND, "unheard-of")
    assert done.returncode == 4
    assert done.stderr.startswith("ERROR: --game unheard-of: no such game is installed; there are ")
