"""Guessing at links is cut short, and nobody who holds a link notices."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from scorekeeper import create_app
from scorekeeper.web import limits

from ..visitor import Visitor


def come_in(app: Flask, path: str, address: str = "192.0.2.7", language: str = "en") -> TestResponse:
    """A new browser at that address opens a link."""
    return app.test_client().get(
        path, environ_base={"REMOTE_ADDR": address}, headers={"Accept-Language": language}, follow_redirects=False
    )


def right_link(visitor: Visitor) -> str:
    visitor.open_table("whist")
    with visitor.client.session_transaction() as session:
        name = session["circle"]
    field = visitor.visit(f"/circles/{name}/links").page.select_one("#link-score")
    assert field is not None
    return "/" + str(field["value"]).split("/", 3)[3]


def guess_until_refused(app: Flask, address: str = "192.0.2.7", most: int = 200) -> TestResponse:
    for number in range(most):
        answer = come_in(app, f"/join/nobody/{number:032d}", address)
        if answer.status_code == 429:
            return answer
        assert answer.headers["Location"] == "/join/nobody"
    raise AssertionError("nothing cut it short")


def test_one_address_may_guess_a_few_times_and_no_other_address_pays_for_it(app: Flask, visitor: Visitor) -> None:
    link = right_link(visitor)
    refused = guess_until_refused(app)
    assert come_in(app, link).status_code == 429  # a right one would tell a guesser that it was right
    assert come_in(app, link, "198.51.100.1").status_code == 303
    assert "Too many wrong links" in refused.get_data(as_text=True)
    assert "Trop de liens erronés" in come_in(app, link, language="fr").get_data(as_text=True)
    assert 0 < int(refused.headers["Retry-After"]) <= 60


def test_the_page_that_refuses_does_not_repeat_the_secret(app: Flask, visitor: Visitor) -> None:
    link = right_link(visitor)
    guess_until_refused(app)
    refused = come_in(app, link)
    assert link.rpartition("/")[2] not in refused.get_data(as_text=True)
    assert refused.headers["Referrer-Policy"] == "strict-origin"  # nor does a request for what the page needs


def test_many_phones_of_a_club_come_in_by_right_links_behind_one_address(app: Flask, visitor: Visitor) -> None:
    link = right_link(visitor)
    for _ in range(120):
        assert come_in(app, link).status_code == 303


def test_who_is_in_goes_on_while_others_at_the_address_are_refused(app: Flask, visitor: Visitor) -> None:
    right_link(visitor)
    table = visitor.open_table("whist").table
    guess_until_refused(app, "127.0.0.1")
    assert visitor.visit(table).record(tricks="ns-3").status == 200
    assert visitor.visit("/").status == 200


def test_guesses_from_many_addresses_are_counted_together(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    assert int(limits.GUESSES_IN_ALL.split()[0]) > 20 * int(limits.GUESSES_OF_ONE.split()[0])
    monkeypatch.setattr(limits, "GUESSES_IN_ALL", "50 per minute")
    strict = create_app(app.config)
    statuses = [come_in(strict, "/join/nobody/guess", f"10.0.0.{n}").status_code for n in range(51)]
    assert statuses == [303] * 50 + [429]


def test_addresses_of_one_network_of_ipv6_count_as_one(app: Flask) -> None:
    for number in range(31):
        answer = come_in(app, "/join/nobody/guess", f"2001:db8:0:1::{number:x}")
    assert answer.status_code == 429
    assert come_in(app, "/join/nobody/guess", "2001:db8:0:2::1").status_code == 303


def test_behind_a_proxy_each_visitor_is_counted_by_his_own_address_and_cannot_tell_another(app: Flask) -> None:
    behind = create_app(app.config | {"PROXIES": 1})
    for number in range(31):
        told = {"X-Forwarded-For": f"203.0.113.{number}, 192.0.2.9"}  # the proxy puts down the last one
        status = behind.test_client().get("/join/nobody/guess", headers=told).status_code
    assert status == 429
    other = behind.test_client().get("/join/nobody/guess", headers={"X-Forwarded-For": "192.0.2.10"})
    assert other.status_code == 303


def test_where_the_shared_count_cannot_be_reached_each_process_counts_for_itself(app: Flask, visitor: Visitor) -> None:
    link = right_link(visitor)
    alone = create_app(app.config | {"LIMITS_KEPT_IN": "redis://127.0.0.1:9/0"})  # nobody listens there
    assert come_in(alone, link).status_code == 303
    assert guess_until_refused(alone).status_code == 429
