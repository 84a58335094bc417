"""Fixtures that run hledger and Beancount."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]


def run(*command: str) -> str:
    """Return the output of a program that must succeed without warnings."""
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)  # noqa: S603  # a known program
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    return done.stdout


@pytest.fixture(scope="session")
def bean_check() -> Run:
    """Return a function that checks a Beancount ledger."""
    return lambda path: run(str(Path(sys.executable).with_name("bean-check")), "--no-cache", str(path))


@pytest.fixture(scope="session")
def hledger() -> Run:
    """Return a function that runs a command of hledger on a ledger."""
    program = shutil.which("hledger") or pytest.skip("there is no hledger on this machine")
    return lambda path, *command: run(program, "-f", str(path), *command)
