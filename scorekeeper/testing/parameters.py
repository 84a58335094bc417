"""Run the tests of a module for each chosen game. A module imports `pytest_generate_tests` from here."""

from __future__ import annotations

import pytest

from ..games import find_folder, games, refused_games


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Fill in `slug`, a game's slug, and `case`, a game's slug and the name of one of its cases."""
    if "slug" in metafunc.fixturenames:
        metafunc.parametrize("slug", chosen_slugs(metafunc.config))
    if "case" in metafunc.fixturenames:
        cases = [
            f"{slug}/{path.stem}"
            for slug in chosen_slugs(metafunc.config)
            for path in sorted((find_folder(games()[slug]) / "cases").glob("*.json"))
        ]
        metafunc.parametrize("case", cases)


def chosen_slugs(config: pytest.Config) -> list[str]:
    """Return the games of the command line, by default all that are installed.

    Raises:
        pytest.UsageError: one of them is not installed, or cannot be used.
    """
    chosen: list[str] = config.getoption("--game", default=[])
    reasons = {refused.slug: refused.reason for refused in refused_games()}
    for slug in chosen:
        if slug in reasons:
            raise pytest.UsageError(f"--game {slug}: it is installed, but cannot be used: {reasons[slug]}")
        if slug not in games():
            raise pytest.UsageError(f"--game {slug}: no such game is installed; there are {', '.join(games())}")
    return list(dict.fromkeys(chosen)) or list(games())
