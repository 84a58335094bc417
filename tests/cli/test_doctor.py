"""`scorekeeper doctor` tells the state of a server and names what needs its host; the metrics tell the same."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from scorekeeper import backup_reports
from scorekeeper.backup_reports import LastBackup, last_backup
from scorekeeper.cli import doctor
from scorekeeper.db import wal
from scorekeeper.db.clock import now
from scorekeeper.models import db
from scorekeeper.version import get_version

from ..apps import MakeApp, open_app
from ..visitor import Visitor
from .test_circle_files import instance, run

__all__ = ["instance"]


@pytest.fixture
def played(instance: Path) -> Path:
    """An instance folder in which somebody has played."""
    with open_app(f"sqlite:///{instance / 'scorekeeper.sqlite3'}") as app:
        Visitor(app).open_table("whist").record(tricks="ns-3")
    wal.close(instance / "scorekeeper.sqlite3")  # as a server does that is stopped
    return instance


def examine(instance: Path, *, status: int) -> dict[str, Any]:
    """Run the command in both forms, which must agree, and return the facts."""
    shown, as_json = run(instance, "doctor"), run(instance, "doctor", "--json")
    assert (shown.exit_code, as_json.exit_code, shown.stderr) == (status, status, ""), shown
    facts: dict[str, Any] = json.loads(as_json.stdout)
    marked = [line for line in shown.stdout.splitlines() if line.startswith("! ")]
    assert len(marked) == len(facts["needs_host"]), shown.stdout
    assert not re.search(r"[{}]|doctor\.", shown.stdout)
    return facts


def test_a_server_with_a_backup_needs_nothing(played: Path, tmp_path: Path) -> None:
    assert run(played, "backup", tmp_path / "backup.gz").exit_code == 0
    facts = examine(played, status=0)
    assert facts["version"] == get_version()
    assert facts["database"].startswith("SQLite 3.")
    assert facts["database_bytes"] == (played / "scorekeeper.sqlite3").stat().st_size
    assert (facts["circles"], facts["phones"], facts["faults"]) == (1, 1, 0)
    assert facts["last_backup"]["file"] == str(tmp_path / "backup.gz")
    assert facts["last_backup"]["problem"] is None
    lines = [line.strip() for line in run(played, "doctor").stdout.splitlines()]
    assert "1 circle, 1 phone" in lines
    assert "Verified 1 circle, 1 table, 1 revision: 0 faults" in lines


def test_missing_and_old_backups_need_the_host(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine(played, status=1)["needs_host"] == ["no-backup"]
    assert run(played, "backup", tmp_path / "backup").exit_code == 0
    noted = last_backup(played)
    assert noted is not None
    backup_reports.note_backup(played, LastBackup(noted.file, now() - timedelta(days=3)))
    assert examine(played, status=1)["needs_host"] == ["unsaved"]
    with monkeypatch.context() as patch:
        patch.setattr(doctor, "MAX_UNSAVED", timedelta(days=4))
        assert examine(played, status=0)["needs_host"] == []


def test_a_backup_that_cannot_be_restored_needs_the_host_but_not_one_that_was_moved(
    played: Path, tmp_path: Path
) -> None:
    file = tmp_path / "backup"
    assert run(played, "backup", file).exit_code == 0
    file.write_bytes(file.read_bytes()[:8192])
    facts = examine(played, status=1)
    assert facts["needs_host"] == ["backup-bad"]
    assert facts["last_backup"]["problem"]
    file.unlink()
    examine(played, status=0)


def test_faults_little_room_a_public_name_without_https_and_a_lost_nginx_need_the_host(
    instance: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert examine(instance, status=0)["push"] == "own"
    monkeypatch.setattr(doctor, "MIN_FREE", 10**18)
    monkeypatch.setenv("SCOREKEEPER_HOSTS", "scores.example.org, pi.lan")
    monkeypatch.setenv("SCOREKEEPER_NCHAN", "http://127.0.0.1:9")
    with open_app(f"sqlite:///{instance / 'scorekeeper.sqlite3'}") as app, app.app_context():
        db.session.execute(text("CREATE VIEW strange AS SELECT 1"))
        db.session.commit()
    wal.close(instance / "scorekeeper.sqlite3")
    facts = examine(instance, status=1)
    assert facts["needs_host"] == ["disk-low", "http", "push-away", "faults"]
    assert facts["public_names"] == ["scores.example.org"]
    monkeypatch.setenv("SCOREKEEPER_HTTPS", "1")
    assert "http" not in examine(instance, status=1)["needs_host"]


def test_metrics_tell_the_same_without_verifying(played: Path, tmp_path: Path, make_app: MakeApp) -> None:
    assert run(played, "backup", tmp_path / "backup").exit_code == 0
    facts = examine(played, status=0)
    url = f"sqlite:///{played / 'scorekeeper.sqlite3'}"
    app = make_app(url, METRICS_TOKEN="a-token")  # noqa: S106  # of this test alone
    app.instance_path = str(played)
    metrics = app.test_client().get("/metrics", headers={"Authorization": "Bearer a-token"}).text
    gauges = dict(re.findall(r"^scorekeeper_(\w+) (\d[\d.e+]*)$", metrics, re.MULTILINE))
    for name in ("database_bytes", "circles", "phones"):
        assert int(float(gauges[name])) == facts[name]
    assert float(gauges["disk_free_bytes"]) > 0
    assert float(gauges["last_backup_timestamp_seconds"]) > 0
    assert f'database="{facts["database"]}"' in metrics
    assert f'version="{facts["version"]}"' in metrics
    with app.app_context():
        db.session.execute(text("ALTER TABLE circle RENAME TO lost"))
        db.session.commit()
    answer = app.test_client().get("/metrics", headers={"Authorization": "Bearer a-token"})
    assert (answer.status_code, "scorekeeper_circles" in answer.text) == (200, False)
