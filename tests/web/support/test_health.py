"""Health, readiness, metrics, and a log without secrets."""

from __future__ import annotations

import io
import json
import logging
import logging.config
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner
from flask import Flask, abort
from sqlalchemy import text

from scorekeeper.cli.main import main
from scorekeeper.models import RIGHTS, db
from scorekeeper.server import logging as logs
from scorekeeper.version import get_version
from scorekeeper.web.support import health

from ...apps import MakeApp
from ...visitor import Visitor

TOKEN = {"Authorization": "Bearer a-token"}


def test_the_server_is_ready_if_the_database_has_the_current_schema(app: Flask) -> None:
    client = app.test_client()
    assert client.get("/health").get_data(as_text=True) == f"ok {get_version()}\n"
    assert client.get("/ready").get_json() == {"ready": True}
    for version, because in (
        ("0001", "an older schema: scorekeeper migrate"),
        ("9999", "a newer schema: update Scorekeeper"),
    ):
        with app.app_context():
            db.session.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})
            db.session.commit()
        answer = client.get("/ready")
        assert answer.status_code == 503
        assert answer.get_json()["because"] == f"the database has {because}"


def test_a_server_without_its_database_is_healthy_but_not_ready(make_app: MakeApp) -> None:
    nowhere = "postgresql+psycopg://nobody:a-secret@127.0.0.1:9/none"
    client = make_app(nowhere).test_client()
    assert client.get("/health").status_code == 200
    answer = client.get("/ready")
    assert answer.status_code == 503
    assert answer.get_json() == {"ready": False, "because": "the database does not answer"}


@pytest.fixture
def measured(database: str, make_app: MakeApp) -> Flask:
    return make_app(database, METRICS_TOKEN="a-token")  # noqa: S106  # of this test alone


def test_metrics_count_and_time_requests_by_endpoint(measured: Flask) -> None:
    visitor = Visitor(measured)
    visitor.open_table("whist").record(tricks="ns-3")
    visitor.visit("/join/nobody/a-secret-of-somebody")
    answer = visitor.client.get("/metrics", headers=TOKEN)
    assert answer.mimetype == "text/plain"
    metrics = answer.get_data(as_text=True)
    assert 'scorekeeper_requests_total{endpoint="deals.new",method="POST",status="303"} 1.0' in metrics
    assert 'scorekeeper_request_seconds_count{endpoint="join.show"} 1.0' in metrics
    seconds = re.search(r'^scorekeeper_request_seconds_sum{endpoint="join.show"} (.+)$', metrics, re.M)
    assert seconds is not None
    assert 0 < float(seconds[1]) < 600
    assert re.search(r"^process_resident_memory_bytes \d", metrics, re.M)
    assert "a-secret" not in metrics
    assert "Anne" not in metrics
    assert visitor.table.split("/")[2] not in metrics


def test_metrics_need_the_token(app: Flask, measured: Flask) -> None:
    for headers in (
        {},
        {"Authorization": "Bearer another"},
        {"Authorization": "Bearer "},
        {"Authorization": "a-töken"},
    ):
        assert measured.test_client().get("/metrics", headers=headers).status_code == 404
    for headers in ({}, {"Authorization": "Bearer "}, TOKEN):
        assert app.test_client().get("/metrics", headers=headers).status_code == 404


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The log of a server that logs JSON lines."""
    written = io.StringIO()
    configuration = logs.configuration(logs.JSON)
    handler: dict[str, Any] = configuration["handlers"]["console"]
    handler["stream"] = written
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    logging.config.dictConfig(configuration)
    yield written
    root.handlers[:], level = before
    root.setLevel(level)
    logging.getLogger(logs.REQUESTS).setLevel(logging.NOTSET)


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_every_request_is_logged_with_the_id_of_its_response(app: Flask, log: io.StringIO) -> None:
    answer = app.test_client().get("/tables/new/whist?seat-1=Anne", headers={"X-Request-ID": "mine"})
    (line,) = lines(log)
    assert line["request"] == answer.headers["X-Request-ID"] != "mine"
    assert (line["method"], line["path"], line["status"]) == ("GET", "/tables/new/whist", 200)
    assert line["endpoint"] == "new_table.open_table"
    assert line["ms"] > 0
    assert line["level"] == "INFO"
    assert "Anne" not in log.getvalue()


def test_styles_and_scripts_carry_no_id_of_their_request(visitor: Visitor, log: io.StringIO) -> None:
    page = visitor.visit("/tables/new/whist")
    with visitor.client.get(page.find("link[rel=stylesheet]")["href"]) as loaded:
        assert loaded.status_code == 200
        assert "X-Request-ID" not in loaded.headers
    assert all(line["request"] for line in lines(log))


def test_behind_a_proxy_a_request_keeps_the_proxys_id(database: str, make_app: MakeApp) -> None:
    behind = make_app(database, PROXIES=1).test_client()
    assert behind.get("/health", headers={"X-Request-ID": "3f2a-1"}).headers["X-Request-ID"] == "3f2a-1"
    for id_ in ("a b", "x" * 65, "{}", "é", ""):
        assert behind.get("/health", headers={"X-Request-ID": id_}).headers["X-Request-ID"] != id_


def test_the_log_contains_no_secret_of_a_link(app: Flask, visitor: Visitor, log: io.StringIO) -> None:
    visitor.open_table("whist")
    name, secrets = visitor.circle, [visitor.link(right).rpartition("/")[2] for right in RIGHTS]
    for secret in (*secrets, "wrong-secret"):
        for path in (f"/join/{name}/{secret}", f"/join/{name}/{secret}/", f"/join/{name}/{secret}?table=x"):
            app.test_client().get(path)
        Visitor(app).join(f"/join/{name}/{secret}")
    assert f"/join/{name}/…" in log.getvalue()
    for secret in (*secrets, "wrong-secret"):
        assert secret not in log.getvalue()


def test_the_log_contains_no_link_of_an_event(log: io.StringIO, app: Flask) -> None:
    for path in ("/events/join/signed-link", "/events/no-event?shared=signed-link&kind=plan"):
        app.test_client().get(path)
        logging.getLogger("scorekeeper.requests").info(path)
    assert "/events/join/…" in log.getvalue()
    assert "?shared=…&kind=plan" in log.getvalue()
    assert "signed-link" not in log.getvalue()


def test_an_error_page_shows_the_request_id_and_the_log_has_no_secrets(
    app: Flask, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: str) -> None:
        raise RuntimeError("GET /join/circle/a-secret went wrong")

    monkeypatch.setitem(app.view_functions, "join.show", broken)
    app.config |= {"TESTING": False, "PROPAGATE_EXCEPTIONS": False}
    answer = app.test_client().get("/join/circle/a-secret")
    assert answer.status_code == 500
    assert answer.headers["X-Request-ID"] in answer.get_data(as_text=True)
    assert "RuntimeError" not in answer.get_data(as_text=True)
    assert "a-secret" not in answer.get_data(as_text=True)
    fault = next(line for line in lines(log) if line["level"] == "ERROR")
    assert answer.headers["X-Request-ID"] in fault["message"]
    assert "RuntimeError" in fault["exc_info"]
    assert "a-secret" not in log.getvalue()


def test_a_database_error_logs_no_parameters(app: Flask, log: io.StringIO) -> None:
    def broken() -> NoReturn:
        db.session.execute(text("SELECT :name FROM nowhere"), {"name": "ennA"[::-1]})
        abort(500)

    app.add_url_rule("/broken", view_func=broken)
    app.config |= {"TESTING": False, "PROPAGATE_EXCEPTIONS": False}
    assert app.test_client().get("/broken").status_code == 500
    assert "nowhere" in log.getvalue()
    assert "Anne" not in log.getvalue()


def test_files_created_at_the_first_start_are_private(tmp_path: Path) -> None:
    here = tmp_path / "here"
    assert CliRunner().invoke(main, ["migrate"], env={"SCOREKEEPER_INSTANCE": str(here)}).exit_code == 0
    made = [here, *here.iterdir()]
    assert {file.name for file in made} >= {"here", "secret_key", "scorekeeper.sqlite3"}
    assert [file for file in made if file.stat().st_mode & 0o077] == []


def test_a_server_is_not_ready_while_its_disk_has_little_room(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert visitor.visit("/ready").status == 200
    monkeypatch.setattr(health, "MIN_FREE", 10**18)
    assert visitor.visit("/ready").status == 503
    assert "free on the disk" in visitor.response.get_json()["because"]
