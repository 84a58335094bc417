"""The pytest plugin of Scorekeeper: `pytest --pyargs scorekeeper.testing --game SLUG`.

It is an entry point in pytest's group `pytest11`, since pytest does not read a conftest below `--pyargs` before it
parses the command line. It is imported in every run of pytest where Scorekeeper is installed, so it imports little.
"""

from __future__ import annotations

import pytest

# A project may import these tests into its own suite; failures then show values, as here.
pytest.register_assert_rewrite(*(f"scorekeeper.testing.test_{name}" for name in ("complete", "laws", "pages")))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("scorekeeper", "tests of games for Scorekeeper (scorekeeper.testing)")
    group.addoption(
        "--game",
        action="append",
        default=[],
        metavar="SLUG",
        help="an installed game to test; may be given several times. Default: all of them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse games that are not installed."""
    if config.getoption("--game"):
        from .playing import chosen_slugs  # noqa: PLC0415  # imports all games

        chosen_slugs(config)
