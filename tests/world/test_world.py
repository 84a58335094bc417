"""Whole evenings, each drawn from a seed: the laws of `laws.py` hold after every one of them.

`python -m tests.world SEED` replays one and prints what happened; with WORLDS=10, there are ten times as many.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from ..databases import Databases
from .bugs import BUGS, Bug
from .evening import Evening
from .servers import Hall, opened_hall

TIMES = int(os.environ.get("WORLDS", "1"))
EACH = 2  # seeds of a test
SEEDS = range(6 * TIMES)
TRIED = 12  # seeds, of which at least one finds a planted bug


@pytest.fixture(scope="module")
def hall(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with opened_hall(databases, tmp_path_factory.mktemp("world")) as hall:
        yield hall


def played(hall: Hall, seed: int) -> Evening:
    evening = Evening(seed, hall)
    evening.play()
    return evening


@pytest.mark.once_on_postgresql
@pytest.mark.parametrize("first", SEEDS[::EACH])
def test_after_an_evening_every_law_holds(hall: Hall, first: int) -> None:
    for seed in range(first, first + EACH):
        evening = played(hall, seed)
        assert not evening.faults, "\n".join([*evening.trace, f"Replay it: python -m tests.world {seed}"])


@pytest.mark.sqlite
def test_a_seed_plays_the_same_evening_in_another_process(hall: Hall) -> None:
    """Where strings have other hashes, so that sets have another order."""
    seed = 268  # three phones lose their access at once
    replay = [sys.executable, "-m", "tests.world", str(seed)]
    again = subprocess.run(replay, env=os.environ | {"PYTHONHASHSEED": "2"}, check=True, capture_output=True, text=True)  # noqa: S603  # our own command
    assert again.stdout.splitlines()[:-1] == played(hall, seed).trace


@pytest.mark.sqlite
@pytest.mark.parametrize("bug", BUGS if TIMES > 1 else BUGS[:1], ids=lambda bug: bug.title)
def test_a_planted_bug_is_found(hall: Hall, bug: Bug) -> None:
    if bug.test:
        run = f"import pytest, sys\nfrom tests.world.bugs import BUGS\nwith BUGS[{BUGS.index(bug)}].planted():\n"
        run += "    sys.exit(pytest.main(['-n0', '-q', sys.argv[1]]))"
        tried = subprocess.run([sys.executable, "-c", run, bug.test], check=False, capture_output=True, text=True)  # noqa: S603  # our own command
        assert tried.returncode == pytest.ExitCode.TESTS_FAILED, tried.stdout
        return
    with bug.planted():
        assert any(played(hall, seed).faults for seed in range(TRIED))


@pytest.mark.sqlite
def test_every_bug_is_planted_in_code_that_is_still_there() -> None:
    for bug in BUGS:
        with bug.planted():
            pass
