"""Live updates: a phone sees within a second what another has entered, by a stream or by asking."""

from __future__ import annotations

from collections.abc import Collection
from threading import Event
from time import sleep
from typing import Any, cast

import pytest
from flask import Flask
from sqlalchemy.pool import QueuePool

from scorekeeper.models import db
from scorekeeper.site import live
from scorekeeper.site.features import Feature
from scorekeeper.tables.reading import read_messages

from .support.apps import MakeApp
from .support.following import Follower
from .support.visitor import Visitor, tag_of


@pytest.fixture
def at_table(visitor: Visitor) -> Visitor:
    return visitor.open_table("whist").record(tricks="ns-3")


@pytest.fixture
def table(at_table: Visitor) -> str:
    return at_table.table


@pytest.fixture
def other(app: Flask, at_table: Visitor, table: str) -> Visitor:
    """A second phone at the table."""
    phone = Visitor(app).join(at_table.link("score")).visit(table)
    at_table.visit(table)
    return phone


def ask(visitor: Visitor, table: str, tag: str) -> Any:
    return visitor.client.get(f"{table}update", headers={"If-None-Match": tag})


def test_a_phone_is_told_of_anothers_entry_and_fetches_it(at_table: Visitor, other: Visitor, table: str) -> None:
    tag = tag_of(other.find("[data-follow]"))
    follower = Follower(other, f"{table}stream")
    assert ask(other, table, tag).status_code == 304
    at_table.visit(table).record(tricks="ew-2")
    assert follower.is_notified()
    assert "Phone 1 recorded deal 2: N–" in ask(other, table, tag).text


def test_each_phone_gets_the_table_turned_towards_its_owner(at_table: Visitor, other: Visitor, table: str) -> None:
    at_table.send({"seat": "1"}, "/me")
    other.send({"seat": "2"}, "/me")
    tags = [tag_of(each.visit(table).find("[data-follow]")) for each in (at_table, other)]
    at_table.visit(table).record(tricks="ew-2")
    texts = [ask(each, table, tag).text for each, tag in zip((at_table, other), tags, strict=True)]
    assert texts[0] != texts[1]
    assert all("nearest" in text for text in texts)


def test_a_phone_is_told_of_what_another_process_writes(
    database: str, make_app: MakeApp, at_table: Visitor, table: str
) -> None:
    other = at_table.on(make_app(database))
    follower = Follower(other, f"{table}stream")
    at_table.visit(table).record(tricks="ew-2")
    assert follower.is_notified()
    at_table.visit(table).record(tricks="ns-1")
    assert follower.is_notified()


def test_a_phone_without_access_follows_nothing(table: str, another: Visitor) -> None:
    another.open_table("whist")
    for path in ("update", "stream"):
        assert another.client.get(f"{table}{path}").status_code == 404


def test_a_stream_ends_when_access_does(
    at_table: Visitor, other: Visitor, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "ACCESS_SECONDS", 0)
    monkeypatch.setattr(live, "ALIVE_SECONDS", 0.05)
    follower = Follower(other, f"{table}stream")
    at_table.visit(f"{at_table.circle}links").send({}, "/phones/2/end")
    assert follower.ends()
    assert other.client.get(f"{table}update").status_code == 404


def test_who_finds_no_free_stream_may_ask_instead(
    app: Flask, at_table: Visitor, other: Visitor, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MAX_STREAMS", 1)
    follower = Follower(at_table, f"{table}stream")
    assert other.client.get(f"{table}stream").status_code == 503
    assert other.client.get(f"{table}update").status_code == 200
    live.live_of(app).close()
    assert follower.ends()
    follower.response.close()
    Follower(other, f"{table}stream")


def test_an_app_that_is_closed_leaves_no_connection_open(
    app: Flask, at_table: Visitor, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = Event()

    def read_slowly(tokens: Collection[str]) -> list[live.Message]:
        found = read_messages(tokens)
        reading.set()
        sleep(0.3)
        return found

    monkeypatch.setitem(app.extensions, "features", [Feature(read_messages=read_slowly)])
    Follower(at_table, f"{table}stream")
    assert reading.wait(5)
    with app.app_context():
        pool = cast(QueuePool, db.engine.pool)
    live.live_of(app).close()
    assert pool.checkedout() == 0
