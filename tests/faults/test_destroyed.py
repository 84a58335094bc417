"""The database is destroyed, and restored by one command from the backups that the server makes by itself."""

from __future__ import annotations

import gzip
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from scorekeeper.db import wal

from ..conftest import Server
from ..databases import Files
from ..exchange.test_backups import everything, run
from .phones import Phone

DEALS = 5
PATIENCE = 60  # seconds
HURRIED = (  # the server, which looks for changes ten times a second
    "-c",
    "from scorekeeper.cli.main import main\n"
    "from scorekeeper.services import automatic_backups\n"
    "automatic_backups.SECONDS = 0.1\n"
    "main()",
)


def newest_with(folder: Path, deals: int) -> Path:
    """Wait for a backup with so many deals."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        for backup in sorted(folder.glob("*.gz"), reverse=True)[:1]:
            if count_deals(gzip.decompress(backup.read_bytes())) == deals:
                return backup
        time.sleep(0.05)
    raise AssertionError(os.listdir(folder))


def count_deals(content: bytes) -> int:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(content)
        (count,) = connection.execute("SELECT count(*) FROM revision").fetchone()
        return int(count)


def test_a_destroyed_database_is_restored_by_one_command(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "another disk"
    elsewhere.mkdir()
    monkeypatch.setenv("SCOREKEEPER_WORKERS", "2")
    monkeypatch.setenv("SCOREKEEPER_BACKUPS", str(elsewhere))
    instance = tmp_path / "instance"
    instance.mkdir()
    database = Path(files.make(instance).removeprefix("sqlite:///"))
    server = Server(instance, f"sqlite:///{database}")
    server.program = HURRIED
    server.start()
    phone = Phone(server.url)
    table = phone.open_table()
    for _ in range(DEALS):
        phone.enter(table, phone.score())
    backup = newest_with(elsewhere, DEALS)
    before = everything(server.app())
    server.apps.close()
    server.kill()
    assert [path.stat().st_mode & 0o777 for path in elsewhere.iterdir()] == [0o600] * len(os.listdir(elsewhere))

    database.unlink()
    assert (instance / f"{database.name}-wal").exists(), (
        "what is left of the old database does not get into the new one"
    )
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(instance))
    monkeypatch.setenv("DATABASE_URL", server.database)
    done = run("restore", backup)
    assert (done.exit_code, done.stderr) == (0, "")
    assert not wal.is_missing(database)

    server.start()
    try:
        assert everything(server.app()) == before
        assert phone.ask(table).status == 200
    finally:
        server.stop()
