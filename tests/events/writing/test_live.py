"""Live updates of events: walls, phones at tables and who only looks on."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from scorekeeper.models import Player, db
from scorekeeper.people import erasure, writing
from scorekeeper.site import live

from ...support.apps import MakeApp
from ...support.following import Follower
from ...support.visitor import Visitor
from ..hall import Hall


def follow(visitor: Visitor, hall: Hall, query: str) -> Follower:
    return Follower(visitor, f"{hall.path}/stream?{query}")


def shared(hall: Hall) -> str:
    return "shared=" + hall.link("watch").rpartition("/")[2]


def test_walls_are_told_of_each_result_and_phones_of_the_plan_and_of_their_own_table(hall: Hall) -> None:
    hall.draw(1)
    wall, phone = follow(hall.director, hall, "kind=event"), follow(hall.phone(), hall, "kind=plan")
    tables = [follow(hall.phone(number), hall, f"table={number}") for number in (1, 2)]
    hall.enter_slip(1, 1, 7)
    assert [each.is_notified() for each in (wall, tables[0])] == [True, True]
    assert [each.is_notified(0.1) for each in (phone, tables[1])] == [False, False]
    hall.draw(2, start=False)
    assert all(each.is_notified() for each in (wall, phone, *tables))


def test_an_event_of_another_process_is_followed(hall: Hall, database: str, make_app: MakeApp) -> None:
    hall.draw(1)
    phone = hall.phone(1).on(make_app(database))
    follower = follow(phone, hall, "table=1")
    hall.enter_slip(1, 1, 9)
    assert follower.is_notified()


def test_a_link_that_only_shows_the_event_follows_it_until_it_is_renewed(
    app: Flask, hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "ACCESS_SECONDS", 0)
    query, stranger = shared(hall), Visitor(app)
    follower = follow(stranger, hall, f"kind=event&{query}")
    hall.draw(1)
    assert follower.is_notified()
    hall.renew_links()
    assert follower.ends()
    assert stranger.client.get(f"{hall.path}/stream?{query}").status_code == 404


@pytest.mark.parametrize("path", ["stream", "wall"])
def test_a_stranger_learns_nothing_of_an_event(app: Flask, hall: Hall, path: str) -> None:
    other = Hall(app)
    links = (other.link("watch"), hall.link("table", 1), hall.link("check-in"))
    queries = ["", "?shared=", "?shared=é", *(f"?shared={link.rpartition('/')[2]}" for link in links)]
    for query in queries:
        assert Visitor(app).client.get(f"{hall.path}/{path}{query}").status_code == 404


def test_a_question_says_when_there_is_news_of_an_event(hall: Hall) -> None:
    client = hall.phone().client

    def asked(page: str, tag: str = "") -> Any:
        return client.get(hall.path + page, headers={"If-None-Match": tag} if tag else {})

    tags = {page: asked(page).headers["ETag"] for page in ("/wall", "")}
    assert [asked(page, tag).status_code for page, tag in tags.items()] == [304, 304]
    hall.draw(1, start=False)
    newer = {page: asked(page).headers["ETag"] for page in tags}
    hall.enter_slip(1, 1, 3)
    assert [asked(page, tag).status_code for page, tag in newer.items()] == [200, 304]


@pytest.mark.parametrize("change", ["rename", "erase"])
def test_a_wall_does_not_go_on_showing_a_name_that_has_changed(hall: Hall, change: str) -> None:
    hall.draw(1)
    follower = follow(hall.director, hall, "kind=event")
    with hall.app.app_context():
        anne = db.session.scalars(db.select(Player).filter_by(name="Anne")).one()
        assert (writing.rename(anne, "Annette") if change == "rename" else erasure.erase(anne)) is None
    assert follower.is_notified()
    assert '"name">Anne<' not in hall.director.client.get(f"{hall.path}/wall").text
