"""Live updates: a phone sees within a second what another has entered, by a stream or by asking."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Any

import pytest
from flask import Flask

from scorekeeper.models import Player, db
from scorekeeper.people import erasure, people
from scorekeeper.site import live

from .apps import MakeApp
from .events.hall import Hall
from .following import Follower
from .statements import counted
from .visitor import Visitor, tag_of


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


def same_phone(app: Flask, visitor: Visitor) -> Visitor:
    """The same browser, asking another process."""
    other = Visitor(app)
    with visitor.client.session_transaction() as session, other.client.session_transaction() as copy:
        copy.update(session)
    return other


def ask(visitor: Visitor, table: str, tag: str) -> Any:
    return visitor.client.get(f"{table}now", headers={"If-None-Match": tag})


def test_a_phone_is_told_of_anothers_entry_and_fetches_it(at_table: Visitor, other: Visitor, table: str) -> None:
    tag = tag_of(other.find("[data-follow]"))
    follower = Follower(other, f"{table}stream")
    assert ask(other, table, tag).status_code == 304
    at_table.visit(table).record(tricks="ew-2")
    assert follower.hears_a_change()
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
    other = same_phone(make_app(database), at_table)
    follower = Follower(other, f"{table}stream")
    at_table.visit(table).record(tricks="ew-2")
    assert follower.hears_a_change()
    at_table.visit(table).record(tricks="ns-1")
    assert follower.hears_a_change()


def test_a_question_without_news_needs_no_database_until_there_are_some(
    app: Flask, at_table: Visitor, table: str, database: str, make_app: MakeApp
) -> None:
    tag = tag_of(at_table.visit(table).find("[data-follow]"))
    assert ask(at_table, table, tag).status_code == 304
    hub = live.live_of(app).hub
    _wait_until(lambda: hub.is_watched)
    with counted(app) as statements:
        assert ask(at_table, table, tag).status_code == 304
    assert statements == []
    writer = same_phone(make_app(database), at_table)
    writer.visit(table).record(tricks="ew-2")
    _wait_until(lambda: ask(at_table, table, tag).status_code == 200)


def _wait_until(is_so: Callable[[], bool]) -> None:
    ends = monotonic() + 5
    while not is_so():
        assert monotonic() < ends
        sleep(0.02)


def test_a_phone_without_access_follows_nothing(table: str, another: Visitor) -> None:
    another.open_table("whist")
    for path in ("now", "stream"):
        assert another.client.get(f"{table}{path}").status_code == 404


def test_a_stream_ends_when_access_does(
    at_table: Visitor, other: Visitor, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "ACCESS_SECONDS", 0)
    monkeypatch.setattr(live, "ALIVE_SECONDS", 0.05)
    follower = Follower(other, f"{table}stream")
    at_table.visit(f"/circles/{at_table.circle}/links").send({}, "/browsers/2/end")
    assert follower.ends()
    assert other.client.get(f"{table}now").status_code == 404


def test_who_finds_no_free_stream_may_ask_instead(
    app: Flask, at_table: Visitor, other: Visitor, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MAX_STREAMS", 1)
    follower = Follower(at_table, f"{table}stream")
    assert other.client.get(f"{table}stream").status_code == 503
    assert other.client.get(f"{table}now").status_code == 200
    live.live_of(app).close()
    assert follower.ends()
    follower.response.close()
    Follower(other, f"{table}stream")


# --- events --------------------------------------------------------------------------------------------------


@pytest.fixture
def hall(app: Flask) -> Hall:
    return Hall(app)


def follow(visitor: Visitor, hall: Hall, query: str) -> Follower:
    return Follower(visitor, f"{hall.path}/stream?{query}")


def shared(hall: Hall) -> str:
    return "shared=" + hall.link("watch").rpartition("/")[2]


def test_walls_are_told_of_each_result_and_phones_of_the_plan_and_of_their_own_table(hall: Hall) -> None:
    hall.draw(1)
    wall, phone = follow(hall.director, hall, "kind=event"), follow(hall.phone(), hall, "kind=plan")
    tables = [follow(hall.phone(number), hall, f"table={number}") for number in (1, 2)]
    hall.enter_slip(1, 1, 7)
    assert [each.hears_a_change() for each in (wall, tables[0])] == [True, True]
    assert [each.hears_a_change(0.1) for each in (phone, tables[1])] == [False, False]
    hall.draw(2, start=False)
    assert all(each.hears_a_change() for each in (wall, phone, *tables))


def test_an_event_of_another_process_is_followed(hall: Hall, database: str, make_app: MakeApp) -> None:
    hall.draw(1)
    phone = same_phone(make_app(database), hall.phone(1))
    follower = follow(phone, hall, "table=1")
    hall.enter_slip(1, 1, 9)
    assert follower.hears_a_change()


def test_a_link_that_only_shows_the_event_follows_it_until_it_is_renewed(
    app: Flask, hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "ACCESS_SECONDS", 0)
    query, stranger = shared(hall), Visitor(app)
    follower = follow(stranger, hall, f"kind=event&{query}")
    hall.draw(1)
    assert follower.hears_a_change()
    hall.renew_links()
    assert follower.ends()
    assert stranger.client.get(f"{hall.path}/stream?{query}").status_code == 404


@pytest.mark.parametrize("path", ["now", "stream", "wall/now", "wall"])
def test_a_stranger_learns_nothing_of_an_event(app: Flask, hall: Hall, path: str) -> None:
    other = Hall(app)
    links = (other.link("watch"), hall.link("table", 1), hall.link("check-in"))
    queries = ["", "?shared=", "?shared=é", *(f"?shared={link.rpartition('/')[2]}" for link in links)]
    for query in queries:
        assert Visitor(app).client.get(f"{hall.path}/{path}{query}").status_code == 404


def test_a_question_says_when_there_is_news_of_an_event(hall: Hall) -> None:
    client = hall.phone().client

    def asked(kind: str, tag: str = "") -> Any:
        return client.get(f"{hall.path}/now?kind={kind}", headers={"If-None-Match": tag} if tag else {})

    tags = {kind: asked(kind).headers["ETag"] for kind in ("event", "plan")}
    assert [asked(kind, tag).status_code for kind, tag in tags.items()] == [304, 304]
    hall.draw(1, start=False)
    newer = {kind: asked(kind).headers["ETag"] for kind in tags}
    hall.enter_slip(1, 1, 3)
    assert [asked(kind, tag).status_code for kind, tag in newer.items()] == [200, 304]


@pytest.mark.parametrize("change", ["rename", "erase"])
def test_a_wall_does_not_go_on_showing_a_name_that_has_changed(hall: Hall, change: str) -> None:
    hall.draw(1)
    follower = follow(hall.director, hall, "kind=event")
    with hall.app.app_context():
        anne = db.session.scalars(db.select(Player).filter_by(name="Anne")).one()
        assert (people.rename(anne, "Annette") if change == "rename" else erasure.erase(anne)) is None
    assert follower.hears_a_change()
    assert '"name">Anne<' not in hall.director.client.get(f"{hall.path}/wall/now").text
