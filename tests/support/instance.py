"""The instance folder of commands that run in the test's process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask import Flask

from scorekeeper.cli.main import main

from .apps import open_app
from .databases import Files


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Files) -> Path:
    """The commands' folder, with a SQLite database without rows."""
    folder = tmp_path / "instance"
    folder.mkdir()
    shutil.copy(files.empty, folder / "scorekeeper.sqlite3")
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(folder))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    return folder


@pytest.fixture
def live(instance: Path) -> Iterator[Flask]:
    """An app on the commands' database."""
    with open_app(f"sqlite:///{instance / 'scorekeeper.sqlite3'}") as app:
        yield app


def run(*arguments: str | Path) -> Result:
    """Run a command in English."""
    return CliRunner().invoke(main, list(map(str, arguments)), env=dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG")))
