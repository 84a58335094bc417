"""Backup files from unknown sources: only valid rows are used, and nothing of the file's schema is executed."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from scorekeeper.db import foreign_files
from scorekeeper.services import verify

from ..apps import MakeApp, open_app
from ..databases import Cluster, Files
from ..migrations import schemas
from .test_backups import app, everything, fill, instance, run

__all__ = ["app", "instance"]  # fixtures


@pytest.fixture(scope="module")
def filled(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a backup with rows, made once: filling a database takes longer than restoring one."""
    folder = tmp_path_factory.mktemp("filled")
    path = Path(shutil.copy(files.empty, folder / "scorekeeper.sqlite3"))
    with pytest.MonkeyPatch.context() as environment, open_app(f"sqlite:///{path}") as app:
        fill(app)
        environment.setenv("SCOREKEEPER_INSTANCE", str(folder))
        environment.delenv("DATABASE_URL", raising=False)
        assert run("backup", folder / "b.sqlite3").exit_code == 0
    return folder / "b.sqlite3"


@pytest.fixture
def backup(instance: Path, filled: Path, tmp_path: Path) -> Path:
    """Return a backup of the database."""
    shutil.copy(filled, instance / "scorekeeper.sqlite3")
    return Path(shutil.copy(filled, tmp_path))


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        for statement in statements:
            connection.execute(statement)


def schema_of(path: Path) -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return set(connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def without_constraints(table: str, *statements: str) -> tuple[str, ...]:
    """Return statements that remove all constraints of a table, and then the given ones."""
    return (
        f"CREATE TABLE loose AS SELECT * FROM {table}",  # noqa: S608  # the test's own text
        f"DROP TABLE {table}",
        f"ALTER TABLE loose RENAME TO {table}",
        *statements,
    )


# Additions to a backup that are ignored.
HARMLESS = {
    "triggers": (
        "CREATE TRIGGER spy AFTER INSERT ON revision BEGIN DELETE FROM payment; END",
        "CREATE TRIGGER spy2 BEFORE DELETE ON circle BEGIN SELECT RAISE(ABORT, 'no'); END",
        "CREATE TRIGGER spy3 AFTER UPDATE ON alembic_version BEGIN DELETE FROM circle; END",
    ),
    "views and tables": (
        "CREATE VIEW everybody AS SELECT * FROM player",
        "CREATE TABLE extra (a, b AS (a || a) STORED)",
        "INSERT INTO extra VALUES (zeroblob(1000000))",
        "CREATE VIRTUAL TABLE words USING fts5(word)",
    ),
    "columns": (
        "ALTER TABLE revision ADD COLUMN extra TEXT DEFAULT 'x'",
        "ALTER TABLE revision ADD COLUMN made TEXT AS (upper(kind)) VIRTUAL",
    ),
    "indexes": ("CREATE INDEX strange ON revision (lower(kind))", "CREATE INDEX partial ON player (name) WHERE id > 1"),
    "no constraints": without_constraints("seat"),
    "a check that never holds": (
        "PRAGMA writable_schema=ON",
        "UPDATE sqlite_master SET sql = replace(sql, 'PRIMARY KEY (id)', 'PRIMARY KEY (id), CHECK (id < 0)')"
        " WHERE name = 'circle'",
        "PRAGMA writable_schema=RESET",
    ),
}


@pytest.mark.parametrize("kind", HARMLESS)
def test_only_rows_are_copied_from_a_backup(app: Flask, instance: Path, backup: Path, kind: str) -> None:
    before, schema_before = everything(app), schema_of(instance / "scorekeeper.sqlite3")
    execute(backup, *HARMLESS[kind])
    fill(app, "second")
    result = run("restore", backup, "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert everything(app) == before
    assert schema_of(instance / "scorekeeper.sqlite3") == schema_before


LONG = "x" * 81
NESTED = '{"a":' + "[" * 90_000
REFUSED = {
    "a view in place of a table": (
        "ALTER TABLE seat RENAME TO hidden",
        "CREATE VIEW seat AS SELECT table_id, seat, player_id FROM hidden",
    ),
    "a virtual table in place of a table": (
        "DROP TABLE payment",
        "CREATE VIRTUAL TABLE payment USING fts5(id, circle_id, number)",
    ),
    "a generated column in place of a column": (
        *without_constraints("revision", "ALTER TABLE revision DROP COLUMN body"),
        "ALTER TABLE revision ADD COLUMN body TEXT AS ('{}') VIRTUAL",
    ),
    "two versions": (*without_constraints("alembic_version"), "INSERT INTO alembic_version VALUES ('0001')"),
    "a version that is no text": (
        *without_constraints("alembic_version"),
        "UPDATE alembic_version SET version_num = x'30'",
    ),
    "text for a number": ("UPDATE revision SET number = 'one' WHERE id = 1",),
    "a fraction for a number": ("UPDATE revision SET number = 1.5 WHERE id = 1",),
    "a number past all that any database takes": ("UPDATE revision SET number = 1 << 40 WHERE id = 1",),
    "bytes for text": ("UPDATE player SET name = x'416e6e65' WHERE id = 1",),
    "bytes that are no text": ("UPDATE player SET name = CAST(x'ff' AS TEXT) WHERE id = 1",),
    "a NUL in a text": ("UPDATE player SET name = char(65, 0, 66) WHERE id = 1",),
    "a text that is too long": (f"UPDATE player SET name = '{LONG}' WHERE id = 1",),  # noqa: S608  # the same
    "a truth of 7": ("UPDATE circle SET is_sample = 7",),
    "a moment that never was": ("UPDATE circle SET created_at = '2026-02-30 10:00:00.000000'",),
    "a moment that is none": ("UPDATE circle SET created_at = 'yesterday'",),
    "a day that is none": ("UPDATE card_table SET day = '20261122'",),
    "JSON that is none": ("UPDATE summary SET data = '{'",),
    "JSON that is no object": ("UPDATE revision SET body = '[1]' WHERE body IS NOT NULL",),
    "JSON that is no list": ("UPDATE event_table SET pairs = '{}'",),
    "JSON nested without end": (f"UPDATE revision SET body = '{NESTED}' WHERE id = 1",),  # noqa: S608  # the same
    "nothing where something must be": without_constraints("player", "UPDATE player SET name = NULL"),
    "a row twice": without_constraints("revision", "INSERT INTO revision SELECT * FROM revision LIMIT 1"),
    "a value without end": ("UPDATE revision SET body = '{' || zeroblob(150000000) WHERE id = 1",),
    "two tables in one place": (
        "PRAGMA writable_schema=ON",
        "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'player')"
        " WHERE name = 'seat'",
        "PRAGMA writable_schema=RESET",
    ),
    "a schema that is none": (
        "PRAGMA writable_schema=ON",
        "UPDATE sqlite_master SET sql = 'CREATE TABLE revision (' WHERE name = 'revision'",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_an_invalid_backup_is_refused_and_nothing_changes(app: Flask, instance: Path, backup: Path, kind: str) -> None:
    execute(backup, *REFUSED[kind])
    before = everything(app)
    result = run("restore", backup, "--yes")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "not a complete backup of Scorekeeper" in result.stderr
    assert everything(app) == before
    assert not list(instance.glob("before-restore-*"))


def test_nothing_in_a_backup_file_is_trusted(backup: Path) -> None:
    execute(backup, "CREATE VIEW trap AS SELECT load_extension('x'), count(*) FROM player")
    with foreign_files.opened(backup) as source:
        assert "trap" not in source.tables
        assert source.connection.execute("SELECT name FROM main.player").fetchone() is not None
        for statement in (
            "SELECT * FROM trap",
            "SELECT count(*) FROM player",
            "SELECT load_extension('x')",
            "DELETE FROM player",
            "ATTACH ':memory:' AS other",
            "PRAGMA query_only=OFF",
            "PRAGMA trusted_schema=ON",
            "CREATE TEMP TABLE t (a)",
        ):
            with pytest.raises(sqlite3.Error):
                source.connection.execute(statement).fetchall()


@pytest.fixture
def postgresql_url(postgresql: Cluster, instance: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the URL of a PostgreSQL database for the command."""
    url = postgresql.make(instance)
    monkeypatch.setenv("DATABASE_URL", url)
    yield url
    postgresql.drop(url)


@pytest.mark.parametrize("kind", HARMLESS)
def test_only_rows_are_copied_into_postgresql(
    app: Flask, backup: Path, kind: str, request: Any, make_app: MakeApp
) -> None:
    before = everything(app)
    execute(backup, *HARMLESS[kind])
    target = make_app(request.getfixturevalue("postgresql_url"))
    assert run("restore", backup, "--yes").exit_code == 0
    assert everything(target) == before


@pytest.mark.parametrize("name", {schemas.version_of(name): name for name in schemas.names()}.values())
def test_a_copy_of_a_database_of_any_released_version_is_restored(app: Flask, tmp_path: Path, name: str) -> None:
    schemas.load_sqlite(name, tmp_path / "old.sqlite3")
    result = run("restore", tmp_path / "old.sqlite3", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    with app.app_context():
        done = verify.verify()
    assert (done.faults, done.tables) == ([], 5)
