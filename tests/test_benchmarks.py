"""Run the benchmarks in their quick form, so that they keep working. Their results are not checked."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scorekeeper.games import games

from .benchmarks import ihatemoney
from .conftest import CHROMIUM, IN_CI, require_program
from .hosting.push_site import missing_module
from .hosting.site import missing


def output_of(*part: str, module: str = "tests.benchmarks") -> str:
    command = [sys.executable, "-m", module, "--quick", *part]
    root = Path(__file__).parent.parent
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout  # noqa: S603  # our own command


def test_the_scoring_benchmark_measures_every_game() -> None:
    printed = output_of("scoring")
    for slug in games():
        assert f"all sheets of {slug} |" in printed
        assert f"deals of {slug}, beside" in printed


def test_the_benchmark_of_slow_clients_measures_pages_entries_and_fairness() -> None:
    printed = output_of("slow")
    for line in ("table page beside", "record a deal beside", "16 connections"):
        assert f"| {line} " in printed


def test_the_benchmark_of_growth_measures_pages() -> None:
    assert "| 20 beside 2 people: /" in output_of("growth")


@pytest.mark.parametrize("via", ["stream", "nchan"])
def test_the_load_benchmark_measures_phones_that_follow(via: str) -> None:
    lacking = missing() + missing_module() if via == "nchan" else []
    if lacking:
        require_program(" and ".join(lacking), None)
    printed = output_of("--via", via, module="tests.benchmarks.load")
    row = next(line for line in printed.splitlines() if line.startswith("| 8 |"))
    assert row.endswith("| – |"), printed  # nothing went wrong
    assert ("After a restart 8 phones followed again" in printed) == (via == "stream")


def test_the_benchmark_of_entry_counts_every_game() -> None:
    require_program("Chromium", CHROMIUM)
    printed = output_of("entry")
    for slug in games():
        assert re.search(rf"^\| {slug} \| \d+\.00 \| 2\.00 \|", printed, re.MULTILINE), printed


@pytest.fixture
def contestants() -> None:
    """Skip without Chromium or ihatemoney from PyPI. CI has both."""
    require_program("Chromium", CHROMIUM)
    try:
        ihatemoney.installed()
    except subprocess.CalledProcessError:
        if IN_CI:
            raise
        pytest.skip("ihatemoney, which the benchmark compares with, cannot be installed: is there a network?")


@pytest.mark.browser
@pytest.mark.usefixtures("contestants")
def test_the_web_benchmark_measures_every_contestant_and_a_phone() -> None:
    printed = output_of("web")
    for line in ("floor page", "ihatemoney list 2", "ours record 2", "ours player 2"):
        assert f"\n| {line} |" in printed
    assert printed.count(" KB |") == 4
    assert "on Slow 4G" in printed
