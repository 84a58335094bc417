"""Guessing at links is cut short, and nobody who has a link notices."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from scorekeeper.web.support import rate_limits

from ..apps import MakeApp
from ..visitor import Visitor


def come_in(app: Flask, path: str, address: str = "192.0.2.7", language: str = "en") -> TestResponse:
    """A new browser at that address opens a link."""
    return app.test_client().get(
        path, environ_base={"REMOTE_ADDR": address}, headers={"Accept-Language": language}, follow_redirects=False
    )


def right_link(visitor: Visitor) -> str:
    visitor.open_table("whist")
    return visitor.link("score")


def guess_until_refused(app: Flask, address: str = "192.0.2.7", max_guesses: int = 200) -> TestResponse:
    for number in range(max_guesses):
        answer = come_in(app, f"/join/nobody/{number:032d}", address)
        if answer.status_code == 429:
            return answer
        assert answer.headers["Location"] == "/join/nobody"
    raise AssertionError("nothing cut it short")


def test_one_address_may_guess_a_few_times_and_no_other_address_pays_for_it(app: Flask) -> None:
    refused = guess_until_refused(app)
    assert "Too many wrong links" in refused.get_data(as_text=True)
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert "Set-Cookie" not in refused.headers
    assert come_in(app, "/join/nobody/guess", "198.51.100.1").status_code == 303
    french = come_in(app, "/join/nobody/guess", language="fr")
    assert "Trop de liens erronés" in french.get_data(as_text=True)


def test_a_right_link_works_while_wrong_ones_from_the_same_address_are_refused(app: Flask, visitor: Visitor) -> None:
    link = right_link(visitor)
    guess_until_refused(app, "127.0.0.1")  # which is every visitor's here
    guest = Visitor(app).join(link)
    assert guest.status == 200
    assert guest.visit(visitor.table).status == 200
    assert come_in(app, f"{link}x", "127.0.0.1").status_code == 429


def test_a_wrong_secret_that_is_sent_to_join_by_is_counted_as_one_in_an_address(app: Flask, visitor: Visitor) -> None:
    link = right_link(visitor)
    guest = Visitor(app).visit(link)
    form = guest.find("form[action^='/join/']")
    for _ in range(30):
        assert guest.send({"secret": "wrong"}, form=form).status == 404
    assert guest.send({"secret": "wrong"}, form=form).status == 429
    assert come_in(app, "/join/nobody/guess", "127.0.0.1").status_code == 429
    assert guest.send({}, form=form).visit(visitor.table).status == 200


def test_the_page_that_refuses_does_not_repeat_the_secret(app: Flask) -> None:
    guess_until_refused(app)
    refused = come_in(app, "/join/nobody/nearly-a-secret")
    assert refused.status_code == 429
    assert "nearly-a-secret" not in refused.get_data(as_text=True)
    assert refused.headers["Referrer-Policy"] == "strict-origin"  # nor does a request for what the page needs


def test_many_phones_of_a_club_come_in_by_right_links_behind_one_address(app: Flask, visitor: Visitor) -> None:
    link = right_link(visitor)
    for _ in range(120):
        assert come_in(app, link).status_code == 200


def test_who_is_in_goes_on_while_others_at_the_address_are_refused(app: Flask, visitor: Visitor) -> None:
    right_link(visitor)
    table = visitor.open_table("whist").table
    guess_until_refused(app, "127.0.0.1")
    assert visitor.visit(table).record(tricks="ns-3").status == 200
    assert visitor.visit("/").status == 200


def test_guesses_from_many_addresses_are_counted_together(
    database: str, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert int(rate_limits.MAX_WRONG_LINKS_IN_TOTAL.split()[0]) > 20 * int(rate_limits.MAX_WRONG_LINKS.split()[0])
    monkeypatch.setattr(rate_limits, "MAX_WRONG_LINKS_IN_TOTAL", "50 per minute")
    strict = make_app(database)
    statuses = [come_in(strict, "/join/nobody/guess", f"10.0.0.{n}").status_code for n in range(51)]
    assert statuses == [303] * 50 + [429]


def test_addresses_of_one_network_of_ipv6_count_as_one(app: Flask) -> None:
    for number in range(31):
        answer = come_in(app, "/join/nobody/guess", f"2001:db8:0:1::{number:x}")
    assert answer.status_code == 429
    assert come_in(app, "/join/nobody/guess", "2001:db8:0:2::1").status_code == 303


def test_behind_a_proxy_each_visitor_is_counted_by_his_own_address_and_cannot_tell_another(
    database: str, make_app: MakeApp
) -> None:
    behind = make_app(database, PROXIES=1)
    for number in range(31):
        headers = {"X-Forwarded-For": f"203.0.113.{number}, 192.0.2.9"}  # the proxy puts down the last one
        status = behind.test_client().get("/join/nobody/guess", headers=headers).status_code
    assert status == 429
    other = behind.test_client().get("/join/nobody/guess", headers={"X-Forwarded-For": "192.0.2.10"})
    assert other.status_code == 303


def test_where_the_shared_count_cannot_be_reached_each_process_counts_for_itself(
    database: str, make_app: MakeApp, visitor: Visitor
) -> None:
    link = right_link(visitor)
    alone = make_app(database, RATELIMIT_STORAGE_URI="redis://127.0.0.1:9/0")  # nobody listens there
    assert come_in(alone, link).status_code == 200
    assert guess_until_refused(alone).status_code == 429
