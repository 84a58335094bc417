"""Whether the tests of scoring, games, tables and events reach every branch there: `python -m tests.branches`.

What is measured stands in `pyproject.toml`, under `tool.coverage`. A branch that is not reached needs a test that says
what must hold there, or goes. Tests that take seconds are left out: many random sheets reach a branch by chance.
With BRANCHES_REACHED=1, every day's tests leave out what has run here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from .mutation.targets import SLOW

TESTS = ("tests/scoring", "tests/games", "tests/tables", "tests/events", "tests/services/tables/test_table.py")
LEFT_OUT = (
    *SLOW,
    "tests/scoring/test_substitution_laws.py",
    "tests/games/test_losers_total.py",
    "tests/events/test_individual.py::test_without_stored_starters_opponents_are_nearly_even_and_partners_as_even",
)
FOLDERS = tuple(f"{test}/" for test in TESTS if not test.endswith(".py"))


def is_run(test: str) -> bool:
    """Return whether a test, by its node ID, is one of those that run here and store nothing."""
    return test.startswith(FOLDERS) and not test.startswith(LEFT_OUT)


def main() -> int:
    tests = (*TESTS, *(f"--deselect={test}" for test in LEFT_OUT))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "COVERAGE_FILE": f"{folder}/coverage"}
        for arguments in (("run", "-m", "pytest", *tests), ("combine", "--quiet"), ("report",)):
            command = (sys.executable, "-m", "coverage", *arguments)
            status = subprocess.run(command, env=environment, check=False).returncode  # noqa: S603  # our own command
            if status:
                return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
