"""`python -m tests.parts` runs every part, and names those that fail or take longer than usual. Lists name tests."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from .branches import LEFT_OUT
from .conftest import APART, EVERY_DAY, TESTS
from .parts import Part, main


def test_what_is_left_out_exists() -> None:
    """So a test that is renamed or moved stays where it was: outside every day's tests, mutants and branches."""
    folders = {name for name in APART if not name.endswith(".py") and "::" not in name}
    assert not [folder for folder in folders if not (TESTS / folder).is_dir()]
    for name in (*LEFT_OUT, *(f"tests/{name}" for name in (APART.keys() - folders) | EVERY_DAY)):
        path, _, test = name.partition("::")
        module = import_module(path.removesuffix(".py").replace("/", "."))
        assert not test or hasattr(module, test), name


def test_every_part_runs_and_those_that_fail_or_grow_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    def part(name: str, seconds: int, code: str, *, beside: bool = False) -> Part:
        return Part(name, seconds, (sys.executable, "-c", code), {"WORD": "parts"}, beside)

    status = main([
        part("beside", 60, "import os; print('beside', os.environ['WORD']); raise SystemExit(3)", beside=True),
        part("failing", 60, "print('FAILED tests/test_cards.py::test_an_ace_is_high'); raise SystemExit(1)"),
        part("slow", 0, "print('goes on')"),
    ])  # fmt: skip
    printed, errors = capfd.readouterr()
    assert status == 1
    assert "goes on\n--- slow: 0 s, usually 0\nbeside parts\n--- beside: " in printed
    assert "Took at least a third longer than usual: slow (0 s instead of 0).\n" in printed
    assert errors == "Not passed: failing, beside. See above.\nFAILED tests/test_cards.py::test_an_ace_is_high\n"
