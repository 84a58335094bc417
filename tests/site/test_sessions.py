"""The session cookie: small, seldom written, and not lost to a wrong clock or an error."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from types import SimpleNamespace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from scorekeeper.circles import access

from ..support.visitor import Visitor, filled_in

COOKIE = "scorekeeper"

SetClock = Callable[[timedelta], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Set the clock that signs and checks cookies off by a duration."""

    def set_clock(off: timedelta) -> None:
        def now(zone: tzinfo = UTC) -> datetime:
            return datetime.now(zone) + off

        monkeypatch.setattr("itsdangerous.timed.time", SimpleNamespace(time=lambda: now().timestamp()))
        monkeypatch.setattr(access, "datetime", SimpleNamespace(now=now))

    return set_clock


def value(visitor: Visitor | FlaskClient) -> str | None:
    client = visitor.client if isinstance(visitor, Visitor) else visitor
    cookie = client.get_cookie(COOKIE)
    return cookie.value if cookie is not None else None


# --- clocks ------------------------------------------------------------------------------------------------


def test_correcting_the_clock_keeps_sessions_valid(visitor: Visitor, set_clock: SetClock) -> None:
    set_clock(timedelta(seconds=90))
    table = visitor.open_table("whist").table
    assert visitor.status == 200
    set_clock(timedelta(seconds=60))
    for path in (f"{table}update", table, f"{table}deals/new", "/"):
        answer = visitor.client.get(path)
        assert (answer.status_code, answer.headers.get("Set-Cookie")) == (200, None), path
    assert visitor.visit(table).record(tricks="ns-3").status == 200


@pytest.mark.parametrize("days", [-400, -31, 400])
def test_sessions_survive_a_wrong_clock(visitor: Visitor, set_clock: SetClock, days: int) -> None:
    table = visitor.open_table("whist").table
    set_clock(timedelta(days=days))
    assert visitor.visit(table).record(tricks="ns-3").status == 200
    set_clock(timedelta(0))
    assert visitor.visit(table).record(tricks="ns-3").status == 200


def test_the_cookie_has_max_age_besides_expires(visitor: Visitor) -> None:
    """The phone's clock may differ from the server's."""
    visitor.open_table("whist")
    cookie = visitor.client.get_cookie(COOKIE)
    assert cookie is not None
    assert cookie.max_age == 365 * 24 * 3600


@pytest.mark.parametrize("damage", ["é", "x" * 4000, "eyJ9.aaaa.bbbb"])
def test_a_phone_with_a_damaged_cookie_can_join(app: Flask, visitor: Visitor, damage: str) -> None:
    table = visitor.open_table("whist").table
    guest = Visitor(app)
    guest.client.set_cookie(COOKIE, damage)
    assert guest.visit("/").status == 200
    assert guest.visit(table).status == 404
    assert guest.join(visitor.link("score")).visit(table).status == 200


# --- errors ------------------------------------------------------------------------------------------------


def test_no_error_page_sets_a_cookie(app: Flask, visitor: Visitor) -> None:
    table = visitor.open_table("whist").table
    for method, path, status in (
        ("GET", table, 404),
        ("GET", f"{table}update", 404),
        ("GET", "/no-such-page", 404),
        ("POST", f"{table}deals/new", 400),
        ("POST", "/language", 400),
        ("POST", "/sample/whist", 400),
        ("PUT", "/", 405),
    ):
        answer = app.test_client().open(path, method=method, data={"tricks": "ns-3"})
        assert (answer.status_code, answer.headers.get("Set-Cookie")) == (status, None), path


def test_a_form_from_another_site_removes_no_cookie(app: Flask, visitor: Visitor) -> None:
    """The phone sends no cookie with it, but would accept one from the response."""
    visitor.open_table("whist")
    for path in ("/tables/new/whist", visitor.circle.replace("circles", "join").rstrip("/"), "/language"):
        answer = app.test_client().post(path, data={"csrf_token": "x"}, headers={"Origin": "https://evil.example"})
        assert (answer.status_code, answer.headers.get("Set-Cookie")) == (400, None)


def test_an_error_page_without_a_session_has_no_forms(app: Flask, visitor: Visitor) -> None:
    assert not Visitor(app).visit("/no-such-page").page.select("form")
    visitor.visit("/").visit("/no-such-page").send({"language": "fr"}, "/language")
    assert visitor.path == "/no-such-page"
    assert "Sécurité" in visitor.text


# --- two responses at once ---------------------------------------------------------------------------------


def test_polling_a_table_never_sets_a_cookie(visitor: Visitor, another: Visitor, set_clock: SetClock) -> None:
    table = visitor.open_table("whist").table
    another.open_table("joffre")
    visitor.join(another.link("score"))
    set_clock(timedelta(days=40))  # another month, when pages send the cookie again
    answer = visitor.client.get(f"{table}update")
    assert (answer.status_code, answer.headers.get("Set-Cookie")) == (200, None)
    assert "Set-Cookie" in visitor.client.get(table).headers


def test_a_late_response_does_not_undo_a_choice_in_the_session(app: Flask, visitor: Visitor) -> None:
    """The choices: a language, whose phone it is, a circle joined, a link renewed."""
    host = Visitor(app).open_table("whist")
    table = visitor.open_table("francion").table
    own, late = f"{visitor.circle}links", value(visitor)
    assert late is not None
    visitor.visit("/").send({"language": "fr"}, "/language")
    visitor.visit(table).send({"seat": "2"}, "/me")
    visitor.join(host.link("score"))
    visitor.visit(own).send({}, "/links/watch/renew")
    visitor.client.set_cookie(COOKIE, late)
    assert visitor.visit(host.table).status == 200
    assert visitor.visit(own).page.select_one("#link-watch")
    nearest = visitor.visit(table).find(".nearest")
    assert "Bruno" in nearest.get_text()
    assert "Sécurité" in visitor.text


def test_the_cookies_size_does_not_depend_on_the_number_of_circles(app: Flask, visitor: Visitor) -> None:
    visitor.open_table("francion").send({"seat": "2"}, "/me")
    small = len(value(visitor) or "")
    tables = []
    for _ in range(15):
        host = Visitor(app).open_table("francion")
        tables.append(host.table)
        visitor.join(host.link("host")).visit(tables[-1]).send({"seat": "1"}, "/me")
    assert len(value(visitor) or "") < small + 20 < 500
    for table in tables:
        assert visitor.visit(table).status == 200
    assert filled_in(visitor.visit("/tables/new/whist").form())["csrf_token"]
