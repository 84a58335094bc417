"""Whether the own tests of some packages reach every branch there: `python -m tests.branches`.

The packages are the sources in `pyproject.toml`, under `tool.coverage`. A branch that is not reached needs a test that
says what must hold there, or goes. Arguments are pytest's: `make test-all` runs every day's tests like this, and
measures while one of TESTS runs. Tests that take seconds are not measured: many random sheets reach a branch by chance.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from coverage import Coverage

from .mutation.targets import ROOT, SLOW

TESTS = (
    *("tests/scoring", "tests/games", "tests/tables", "tests/events", "tests/services/tables/test_table.py"),
    *("tests/exchange", "tests/services/money", "tests/services/access"),
)
LEFT_OUT = (
    *SLOW,
    *(f"tests/exchange/test_{name}.py" for name in ("backups", "escaping", "hostile_backups", "ledger_balances")),
    "tests/exchange/test_ledgers.py::test_both_programs_accept_the_ledger_of_any_tables_and_compute_the_apps_balances",
    "tests/exchange/test_spreadsheets.py::test_the_workbook_and_the_csv_files_agree",
    "tests/exchange/test_spreadsheets.py::test_no_heading_sheet_or_cell_is_a_key",
    "tests/services/access/test_old_cookies.py",
    "tests/scoring/test_substitution_laws.py",
    "tests/games/test_losers_total.py",
    "tests/events/test_even_draws.py::test_a_hall_of_a_thousand_is_drawn_after_somebody_has_left",
    "tests/events/test_individual.py::test_without_stored_starters_opponents_are_nearly_even_and_partners_as_even",
)
_measuring: list[Coverage] = []


def pause() -> None:
    """Stop measuring, if coverage.py runs, once what runs on import is measured. A test's own processes never are."""
    measuring = Coverage.current()
    if os.environ.pop("COVERAGE_PROCESS_CONFIG", None) and measuring is not None:
        sources = measuring.get_option("run:source")
        assert isinstance(sources, list)
        for folder in map(Path, sources):
            for path in folder.resolve().rglob("*.py"):
                import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
        measuring.stop()
        _measuring.append(measuring)


@contextmanager
def measured(test: str) -> Iterator[None]:
    """Measure in this block if coverage.py was paused and the test, by its node ID, is one of those that count."""
    chosen = _measuring if test.startswith(TESTS) and not test.startswith(LEFT_OUT) else []
    for measuring in chosen:
        measuring.start()
    yield
    for measuring in chosen:
        measuring.stop()


def main() -> int:
    tests = sys.argv[1:] or TESTS
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
