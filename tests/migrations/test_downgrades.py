"""After an upgrade that changed the schema, the version before restores its backup, and can be upgraded again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import inspect, text

from scorekeeper.cli.main import main
from scorekeeper.db.copying import newest_version
from scorekeeper.models import Circle, db
from scorekeeper.services import verify

from ..visitor import Visitor

ROOT = Path(__file__).parents[2]
# What a newer version may do: add columns, and tables that refer to ours or are referred to by these.
NEWER = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9999", "NEWEST"


def upgrade():
    op.create_table("club", sa.Column("id", sa.Integer, primary_key=True), sa.Column("title", sa.String(80)))
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("circle_id", sa.Integer, sa.ForeignKey("circle.id"), nullable=False),
        sa.Column("club_id", sa.Integer, sa.ForeignKey("club.id")),
        sa.Column("more", sa.JSON),
        sa.Column("at", sa.DateTime),
    )
    op.execute("INSERT INTO club (id, title) SELECT id, 'Dames' FROM circle")
    op.execute(
        "INSERT INTO invitation (circle_id, club_id, more, at)"
        " SELECT id, id, '{}', '2026-11-24 20:15:00.5' FROM circle"
    )
    op.add_column("circle", sa.Column("colour", sa.String(20), nullable=False, server_default="red"))
"""
MODELS = """

from sqlalchemy import JSON, Column, DateTime, ForeignKey, Integer, String, Table as CoreTable

CoreTable("club", Base.metadata, Column("id", Integer, primary_key=True), Column("title", String(80)))
CoreTable(
    "invitation",
    Base.metadata,
    Column("id", Integer, primary_key=True),
    Column("circle_id", Integer, ForeignKey("circle.id"), nullable=False),
    Column("club_id", Integer, ForeignKey("club.id")),
    Column("more", JSON),
    Column("at", DateTime),
)
Base.metadata.tables["circle"].append_column(Column("colour", String(20), nullable=False, server_default="red"))
"""


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """Return a checkout of a newer version: this one, with another migration."""
    folder = tmp_path / "newer"
    for name in ("scorekeeper", "templates"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "scorekeeper/db/migrations/versions/9999_newer.py").write_text(NEWER.replace("NEWEST", newest_version()))
    with (folder / "scorekeeper/models/__init__.py").open("a") as file:
        file.write(MODELS)
    return folder


def run_newer(folder: Path, *arguments: str | Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "scorekeeper", *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=folder)  # noqa: S603  # our own command
    assert done.returncode == 0, done.stderr


def run(*arguments: str | Path) -> str:
    """Run a command of this version; return what it prints, if it succeeds."""
    done = CliRunner().invoke(main, list(map(str, arguments)), env=dict.fromkeys(("LC_ALL", "LC_MESSAGES", "LANG")))
    assert done.exit_code == 0, done.output
    return done.stdout


def value(app: Flask, query: str) -> object:
    with app.app_context():
        found = db.session.execute(text(query)).scalar()
        db.session.remove()
        db.engine.dispose()
    return found


def test_the_old_version_restores_its_backup_over_a_newer_database(
    app: Flask, newer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Visitor(app)
    host.open_table("whist").record(tricks="ns-5")
    instance = tmp_path / "instance"
    instance.mkdir()
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(instance))
    monkeypatch.setenv("DATABASE_URL", app.config["SQLALCHEMY_DATABASE_URI"].replace("+psycopg", ""))
    backup = tmp_path / "backup.sqlite3"
    run("backup", backup)
    with app.app_context():
        db.session.execute(text("CREATE TABLE recipe (id INTEGER PRIMARY KEY)"))  # of another program
        db.session.commit()
        db.session.remove()
        db.engine.dispose()
    run_newer(newer, "migrate")

    refused = CliRunner().invoke(main, ["migrate"])
    assert (refused.exit_code, "newer version" in refused.stderr) == (2, True)
    asked = CliRunner().invoke(main, ["restore", str(backup)])
    assert (asked.exit_code, "A newer version" in asked.stderr, "--yes" in asked.stderr) == (2, True, True)
    assert value(app, "SELECT version_num FROM alembic_version") == "9999"

    run("restore", "--yes", backup)
    assert host.visit(host.table).status == 200
    assert host.record(tricks="ns-1").status == 200
    with app.app_context():
        assert verify.verify().faults == []
        assert set(inspect(db.engine).get_table_names()) >= {"recipe"}
        assert {"invitation", "club"}.isdisjoint(inspect(db.engine).get_table_names())
        assert db.session.query(Circle).count() == 1
        db.session.remove()
        db.engine.dispose()

    (previous,) = (*instance.glob("before-restore-*"), *tmp_path.glob("before-restore-*"))
    run_newer(newer, "migrate")  # nothing that was set aside is in the way
    run_newer(newer, "restore", "--yes", previous)
    assert value(app, "SELECT count(*) FROM invitation") == 1
    assert value(app, "SELECT count(*) FROM revision") == 1
    assert value(app, "SELECT colour FROM circle") == "red"
    run_newer(newer, "verify")
    value(app, "SELECT 1")
