"""The benchmarks' quick form, so that they cannot rot; no figure of theirs is judged here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scorekeeper.games import games


def told(part: str) -> str:
    command = [sys.executable, "-m", "tests.benchmarks", "--quick", part]
    root = Path(__file__).parent.parent
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout  # noqa: S603  # our own command


def test_the_scoring_benchmark_measures_every_game() -> None:
    printed = told("scoring")
    for slug in games():
        assert f"all sheets of {slug} |" in printed
        assert f"deals of {slug}, beside" in printed


@pytest.mark.browser
def test_the_web_benchmark_measures_every_contestant_and_a_phone() -> None:
    printed = told("web")
    for line in ("floor page", "ihatemoney list 3", "ours record 3", "ours player 6"):
        assert f"\n| {line} |" in printed
    assert printed.count(" KB |") == 4
    assert "on Slow 4G" in printed
