"""Health and readiness."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import text

from scorekeeper import create_app
from scorekeeper.cli.main import main
from scorekeeper.models import db
from scorekeeper.site.version import get_version

from ..support.apps import MakeApp
from ..support.visitor import Visitor


def test_the_server_is_ready_if_the_database_has_the_current_schema(app: Flask) -> None:
    client = app.test_client()
    assert client.get("/health").get_data(as_text=True) == f"ok {get_version()}\n"
    assert client.get("/ready").get_json() == {"ready": True}
    with app.app_context():
        db.session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        db.session.commit()
    assert client.get("/ready").status_code == 503


def test_a_server_without_its_database_is_healthy_but_not_ready(make_app: MakeApp) -> None:
    nowhere = "postgresql+psycopg://nobody:a-secret@127.0.0.1:9/none"
    client = make_app(nowhere).test_client()
    assert client.get("/health").status_code == 200
    answer = client.get("/ready")
    assert answer.status_code == 503
    assert answer.get_json() == {"ready": False, "because": "the database does not answer"}


def test_files_created_at_the_first_start_are_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(here))
    create_app()
    assert CliRunner().invoke(main, ["migrate"]).exit_code == 0
    made = [here, *here.iterdir()]
    assert {file.name for file in made} >= {"here", "secret_key", "scorekeeper.sqlite3"}
    assert [file for file in made if file.stat().st_mode & 0o077] == []


def test_a_server_is_not_ready_while_its_disk_has_little_room(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert visitor.visit("/ready").status == 200
    monkeypatch.setattr("scorekeeper.site.health.MIN_FREE", 10**18)
    assert visitor.visit("/ready").status == 503
    assert "free on the disk" in visitor.response.get_json()["because"]
