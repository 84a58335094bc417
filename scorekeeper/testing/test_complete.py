"""Nothing is missing or misspelt in a game, and its cases have the results that were worked out by hand."""

from __future__ import annotations

import json

from ..game_checks import check
from ..game_checks.examples import check_case
from ..games import find_folder, games
from .parameters import pytest_generate_tests  # noqa: F401  # pytest looks for it in this module


def test_nothing_is_missing_or_misspelt(slug: str) -> None:
    """Expect that `scorekeeper check-game` prints nothing but warnings."""
    found = check(games()[slug], find_folder(games()[slug]))
    assert [str(finding) for finding in found if not finding.is_warning] == []


def test_a_case_has_the_result_worked_out_by_hand(case: str) -> None:
    slug, name = case.split("/")
    path = find_folder(games()[slug]) / "cases" / f"{name}.json"
    found = check_case(games()[slug], path, json.loads(path.read_text(encoding="utf-8")))
    assert [str(finding) for finding in found] == []
