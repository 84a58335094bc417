"""Whether the tests of scoring, games, tables and events reach every branch there: `python -m tests.branches`.

What is measured stands in `pyproject.toml`, under `tool.coverage`. A branch that is not reached needs a test that says
what must hold there, or goes. The laws, which try random sheets for minutes, are left out: a branch that only they
reach is reached by chance.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

LEFT_OUT = ("tests/scoring/test_laws.py", "tests/scoring/test_substitution_laws.py")
TESTS = ("tests/scoring", "tests/games", "tests/tables", "tests/events")
SMALL_HALLS = ("-k", "not thousand")


def main() -> int:
    tests = (*TESTS, *(f"--ignore={path}" for path in LEFT_OUT), *SMALL_HALLS)
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
