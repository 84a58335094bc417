"""The schema: the migrations make what the models say, also if two servers start at once; another is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask import Flask
from sqlalchemy import inspect, text

from scorekeeper.db import schemas
from scorekeeper.db.schemas import Needs
from scorekeeper.errors import StartupError
from scorekeeper.models import Base, db

from ..support.apps import open_app
from ..support.databases import ON_POSTGRESQL, Databases


@pytest.fixture
def app(databases: Databases, tmp_path: Path) -> Iterator[Flask]:
    """An app on a database without a schema."""
    url = databases.make(tmp_path, migrated=False)
    with open_app(url) as app:
        yield app
    databases.drop(url)


def test_the_migrations_make_what_the_models_say(app: Flask) -> None:
    """Until 1.0.0 is released, change the baseline with the models.

    To make it anew, delete versions/0001_all_tables.py, and run `alembic -c scorekeeper/db/migrations/alembic.ini
    revision --autogenerate --rev-id 0001 -m "all tables"`. From then on, every change is a migration of its own.
    """
    with app.app_context():
        schemas.upgrade()
        with db.engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
            assert schemas.read_version(connection) == schemas.newest_version()


def test_several_processes_can_start_at_once(app: Flask, tmp_path: Path) -> None:
    settings = {"SCOREKEEPER_INSTANCE": str(tmp_path), "DATABASE_URL": app.config["SQLALCHEMY_DATABASE_URI"]}
    command = [sys.executable, "-m", "scorekeeper", "migrate"]
    started = [
        subprocess.Popen(command, env=os.environ | settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # noqa: S603  # our own command
        for _ in range(2)
    ]
    ended = [(*process.communicate(timeout=120), process.returncode) for process in started]
    assert ended == [("", "", 0)] * len(started)
    with app.app_context(), db.engine.connect() as connection:
        assert set(inspect(connection).get_table_names()) == {*Base.metadata.tables, "alembic_version"}


def test_a_database_of_a_newer_version_is_refused(app: Flask) -> None:
    with app.app_context():
        schemas.upgrade()
        with db.engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        with pytest.raises(StartupError, match=r"newer version of Scorekeeper \(schema 9999\)"):
            schemas.check(db.engine, Needs.UPGRADE)


@pytest.mark.skipif(ON_POSTGRESQL, reason="a server may be shared with other programs")
def test_a_database_of_another_program_and_an_empty_one_are_told_apart(app: Flask) -> None:
    with app.app_context():
        schemas.check(db.engine, Needs.UPGRADE)
        with pytest.raises(StartupError, match="no database yet"):
            schemas.check(db.engine, Needs.CURRENT)
        with db.engine.begin() as connection:
            connection.execute(text("CREATE TABLE song (title TEXT)"))
        with pytest.raises(StartupError, match="belongs to another program"):
            schemas.check(db.engine, Needs.UPGRADE)
