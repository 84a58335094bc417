"""The benchmarks' quick form, so that they cannot rot; no figure of theirs is judged here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from scorekeeper.games import games


def test_the_scoring_benchmark_measures_every_game() -> None:
    command = [sys.executable, "-m", "tests.benchmarks.scoring", "--quick"]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)  # noqa: S603  # our own command
    for slug in games():
        assert done.stdout.count(f"\n{slug} ") == 2, done.stdout


def test_the_load_is_carried_without_a_wrong_answer() -> None:
    command = [sys.executable, "-m", "tests.benchmarks.load", "--quick"]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)  # noqa: S603  # our own command
    assert done.stdout.rstrip().endswith("| – |"), done.stdout
