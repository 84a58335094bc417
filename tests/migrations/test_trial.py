"""`scorekeeper migrate --try` upgrades a copy, tells what it did, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorekeeper.cli.main import main
from scorekeeper.db import copying, wal

from ..databases import Cluster
from . import schemas

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    """An instance folder with a database of the oldest version, in which people have played."""
    folder = tmp_path / "instance"
    folder.mkdir()
    schemas.load_sqlite(schemas.names()[0], folder / "scorekeeper.sqlite3")
    return folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for what is temporary; it must be empty at the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def environment(instance: Path, temporary: Path) -> dict[str, str | None]:
    unset = dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG", "DATABASE_URL"))
    return unset | {"SCOREKEEPER_INSTANCE": str(instance), "TMPDIR": str(temporary)}


def run(instance: Path, temporary: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), env=environment(instance, temporary))


def dump(instance: Path) -> list[str]:
    with closing(sqlite3.connect(instance / "scorekeeper.sqlite3")) as connection:
        return list(connection.iterdump())


def test_each_migration_is_named_with_its_time_and_the_copy_is_verified(instance: Path, temporary: Path) -> None:
    before = dump(instance)
    done = run(instance, temporary, "migrate", "--try")
    assert done.exit_code == 0, done
    *lines, verified = done.stdout.splitlines()
    versions = sorted(copying.known_versions() - {line.split()[0] for line in lines})
    assert versions == sorted(copying.known_versions())[: len(versions)]
    assert versions[-1] == schemas.version_of(schemas.names()[0])
    assert all(re.fullmatch(r"\d{4} .+: \d+\.\d\d s", line) for line in lines), lines
    assert re.fullmatch(r"Verified .+: 0 faults", verified)
    assert dump(instance) == before


def test_faults_on_the_copy_are_told_with_exit_status_1(instance: Path, temporary: Path) -> None:
    assert run(instance, temporary, "migrate").exit_code == 0
    with closing(wal.connect(instance / "scorekeeper.sqlite3")) as connection:
        connection.execute("CREATE VIEW strange AS SELECT 1")
    done = run(instance, temporary, "migrate", "--try")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (1, "No migration is due.")
    assert "strange" in done.stdout


def test_a_migration_that_fails_leaves_nothing(instance: Path, temporary: Path) -> None:
    with closing(sqlite3.connect(instance / "scorekeeper.sqlite3")) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("UPDATE card_table SET circle_id = 987654 WHERE id = (SELECT min(id) FROM card_table)")
        connection.commit()
    before = dump(instance)
    done = run(instance, temporary, "migrate", "--try")
    assert (done.exit_code, done.stderr.count("\n"), done.stdout) == (2, 1, ""), done
    assert dump(instance) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_trial_deletes_the_copy(instance: Path, temporary: Path, number: int) -> None:
    settings = {key: value for key, value in (os.environ | environment(instance, temporary)).items() if value}
    command = [sys.executable, "-m", "scorekeeper", "migrate", "--try"]
    process = subprocess.Popen(command, env=settings, cwd=ROOT, stderr=subprocess.PIPE, text=True)  # noqa: S603  # our own command
    ends = time.monotonic() + PATIENCE
    while not list(temporary.glob("*/copy.sqlite3")):
        assert time.monotonic() < ends
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in errors) == (1, False), errors


def test_on_a_server_it_says_what_to_do(instance: Path, temporary: Path, postgresql: Cluster, tmp_path: Path) -> None:
    url = postgresql.make(tmp_path)
    settings = environment(instance, temporary) | {"DATABASE_URL": url}
    done = CliRunner().invoke(main, ["migrate", "--try"], env=settings)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "PostgreSQL" in done.stderr
    postgresql.drop(url)
