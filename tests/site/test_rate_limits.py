"""Wrong links are limited; valid links always work."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from scorekeeper.site import rate_limits

from ..support.apps import MakeApp
from ..support.visitor import Visitor


def open_link(app: Flask, path: str, address: str = "192.0.2.7", language: str = "en") -> TestResponse:
    """Open a link with a new phone at an address."""
    return app.test_client().get(
        path, environ_base={"REMOTE_ADDR": address}, headers={"Accept-Language": language}, follow_redirects=False
    )


def valid_link(visitor: Visitor) -> str:
    visitor.open_table("whist")
    return visitor.link("score")


def guess_until_refused(app: Flask, address: str = "192.0.2.7") -> TestResponse:
    for number in range(200):
        answer = open_link(app, f"/join/nobody/{number:032d}", address)
        if answer.status_code == 429:
            return answer
        assert answer.headers["Location"] == "/join/nobody"
    raise AssertionError("no wrong link was refused")


def test_wrong_links_from_one_address_are_limited_without_affecting_others(app: Flask) -> None:
    refused = guess_until_refused(app)
    assert "Too many attempts" in refused.get_data(as_text=True)
    assert 1 < int(refused.headers["Retry-After"]) <= 60
    assert "Set-Cookie" not in refused.headers
    assert open_link(app, "/join/nobody/guess", "198.51.100.1").status_code == 303
    french = open_link(app, "/join/nobody/guess", language="fr")
    assert "Trop de tentatives" in french.get_data(as_text=True)


def test_a_valid_link_works_while_wrong_ones_from_the_same_address_are_refused(app: Flask, visitor: Visitor) -> None:
    link = valid_link(visitor)
    guess_until_refused(app, "127.0.0.1")  # the address of every visitor in tests
    guest = Visitor(app).join(link)
    assert guest.status == 200
    assert guest.visit(visitor.table).status == 200
    assert open_link(app, f"{link}x", "127.0.0.1").status_code == 429


def test_a_wrong_secret_in_a_form_counts_like_one_in_a_url(app: Flask, visitor: Visitor) -> None:
    link = valid_link(visitor)
    guest = Visitor(app).visit(link)
    form = guest.find("form[action^='/join/']")
    for _ in range(30):
        assert guest.send({"secret": "wrong"}, form=form).status == 404
    assert guest.send({"secret": "wrong"}, form=form).status == 429
    assert open_link(app, "/join/nobody/guess", "127.0.0.1").status_code == 429
    assert guest.send({}, form=form).visit(visitor.table).status == 200


def test_the_page_for_refused_requests_does_not_contain_the_secret(app: Flask) -> None:
    guess_until_refused(app)
    refused = open_link(app, "/join/nobody/nearly-a-secret")
    assert refused.status_code == 429
    assert "nearly-a-secret" not in refused.get_data(as_text=True)
    assert refused.headers["Referrer-Policy"] == "strict-origin"  # nor do the requests for its styles


def test_many_phones_behind_one_address_can_join_by_valid_links(app: Flask, visitor: Visitor) -> None:
    link = valid_link(visitor)
    for _ in range(120):
        assert open_link(app, link).status_code == 200


def test_a_joined_phone_keeps_working_while_its_address_is_refused(app: Flask, visitor: Visitor) -> None:
    valid_link(visitor)
    table = visitor.open_table("whist").table
    guess_until_refused(app, "127.0.0.1")
    assert visitor.visit(table).record(tricks="ns-3").status == 200
    assert visitor.visit("/").status == 200


def test_addresses_of_one_ipv6_network_count_as_one(app: Flask) -> None:
    for number in range(31):
        answer = open_link(app, "/join/nobody/guess", f"2001:db8:0:1::{number:x}")
    assert answer.status_code == 429
    assert open_link(app, "/join/nobody/guess", "2001:db8:0:2::1").status_code == 303


def test_behind_a_proxy_clients_are_counted_by_addresses_they_cannot_forge(database: str, make_app: MakeApp) -> None:
    behind = make_app(database, PROXIES=1)
    for number in range(31):
        headers = {"X-Forwarded-For": f"203.0.113.{number}, 192.0.2.9"}  # the proxy has added the last one
        status = behind.test_client().get("/join/nobody/guess", headers=headers).status_code
    assert status == 429
    other = behind.test_client().get("/join/nobody/guess", headers={"X-Forwarded-For": "192.0.2.10"})
    assert other.status_code == 303


def test_wrong_links_from_many_addresses_have_a_total_limit(
    database: str, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert int(rate_limits.ALL_WRONG_LINKS_RATE.split()[0]) > 20 * int(rate_limits.WRONG_LINKS_RATE.split()[0])
    monkeypatch.setattr(rate_limits, "ALL_WRONG_LINKS_RATE", "50 per minute")
    strict = make_app(database)
    statuses = [open_link(strict, "/join/nobody/guess", f"10.0.0.{n}").status_code for n in range(51)]
    assert statuses == [303] * 50 + [429]
