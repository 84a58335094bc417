"""The names of a site, and what is asked under other names."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ..support.apps import MakeApp


@pytest.fixture
def client(make_app: MakeApp, database: str, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    monkeypatch.setenv("SCOREKEEPER_HOSTS", "scores.example.org, .club.example")
    return make_app(database, TESTING=True).test_client()


@pytest.mark.parametrize("name", ["127.0.0.1:8765", "localhost:8765", "scores.example.org"])
def test_health_and_readiness_are_answered_on_the_servers_own_machine(client: FlaskClient, name: str) -> None:
    for path in ("/health", "/ready"):
        assert client.get(path, headers={"Host": name}).status_code == 200


def test_pages_are_shown_under_the_names_of_the_site_only(
    client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("scores.example.org", "scores.example.org:8443", "club.example", "a.club.example"):
        assert client.get("/tables/new", headers={"Host": name}).status_code == 200
    for name in ("evil.example", "[::1]", "scores.example.org.evil.example", "a_b"):
        for path in ("/tables/new", "/nothing", "/static/nothing"):
            caplog.clear()
            with caplog.at_level(logging.WARNING):
                answer = client.get(path, headers={"Host": name})
            assert (answer.status_code, answer.mimetype) == (400, "text/plain")
            assert "not one of the names of this site" in answer.text
            assert "SCOREKEEPER_HOSTS" in caplog.text
            assert name == "a_b" or name in caplog.text
            assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile"])
def test_the_proxies_drop_what_a_visitor_says_of_the_path(name: str) -> None:
    lines = (Path(__file__).parents[2] / "deploy" / name).read_text(encoding="utf-8").splitlines()
    dropping = {'proxy_set_header X-Forwarded-Prefix "";', "header_up -X-Forwarded-Prefix"}
    assert [line for line in lines if line.strip() in dropping] != []
