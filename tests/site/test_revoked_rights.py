"""Rights revoked during a write: after it has read the circle, and before it holds the circle's lock."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Thread

import pytest
from flask import Flask
from sqlalchemy import Connection

from scorekeeper.db import transactions
from scorekeeper.db.engine import begin_writing
from scorekeeper.models import Circle, Membership, db

from ..support.filled import Circle as FilledCircle
from ..support.filled import requests
from ..support.rights import who_may
from ..support.statements import count_rows
from ..support.visitor import Visitor, filled_in

Act = Callable[[], object]
Before = Callable[[Act], None]


@pytest.fixture
def before_the_lock(monkeypatch: pytest.MonkeyPatch) -> Before:
    """Run a function once, in another thread, after the next write has read and before it takes the lock."""

    def before_the_lock(act: Act) -> None:
        def begin_after(connection: Connection) -> None:
            monkeypatch.setattr(transactions, "begin_writing", begin_writing)
            thread = Thread(target=act)
            thread.start()
            thread.join()
            begin_writing(connection)

        monkeypatch.setattr(transactions, "begin_writing", begin_after)

    return before_the_lock


# The page whose form is sent, what the form's address ends with, and what is typed.
WRITES = {
    "title": ("more", "/title", {"title": "Ours"}),
    "renew": ("links", "/links/score/renew", {}),
    "rename another": ("links", "/phones/3/name", {"name": "Mine"}),
    "remove": ("links", "/phones/3/end", {}),
    "remove and renew": ("links", "/phones/3/end", {"renew": "yes"}),
    "dismiss the reminder": ("", "/recovery/leave", {}),
    "erase": ("erase", "/erase", {"typed": "erase the circle"}),
}
# A page tells its time; so does each signed token.
NEW_EACH_SECOND = re.compile(r'\d\d:\d\d:\d\d|name="csrf_token"[^>]* value="[^"]*"')


def write_form(host: Visitor, circle: str, what: str) -> Callable[[], int]:
    page, action, typed = WRITES[what]
    form = host.visit(f"{circle}{page}").form(action)
    data, path = filled_in(form) | typed, str(form.get("action", host.path))
    return lambda: host.client.post(path, data=data).status_code


def all_rows(app: Flask) -> object:
    with app.app_context():
        memberships = [(b.number, b.name, b.right) for b in db.session.query(Membership).order_by(Membership.number)]
        return memberships, [(c.title, c.recovery_at) for c in db.session.query(Circle)], count_rows(app)


def remover_of(host: Visitor, circle: str, number: int) -> Act:
    form = filled_in(host.visit(f"{circle}links").form(f"/phones/{number}/end"))

    def remove() -> None:
        answer = host.client.post(f"{circle}phones/{number}/end", data=form)
        assert answer.status_code == 303

    return remove


def renewer_of(host: Visitor, circle: str, right: str) -> Act:
    form = filled_in(host.visit(f"{circle}links").form(f"/links/{right}/renew"))

    def renew() -> None:
        assert host.client.post(f"{circle}links/{right}/renew", data=form).status_code == 303

    return renew


@pytest.mark.parametrize(
    ("what", "ended", "status"), [*((what, "removed", 404) for what in WRITES), ("title", "only watches", 403)]
)
def test_a_write_is_rejected_if_the_host_loses_the_right_before_the_lock(
    app: Flask, visitor: Visitor, another: Visitor, before_the_lock: Before, what: str, ended: str, status: int
) -> None:
    visitor.open_table("whist")
    circle = visitor.circle
    another.join(visitor.link("watch")).join(visitor.link("host"))
    Visitor(app).join(visitor.link("score"))
    write = write_form(another, circle, what)
    end = remover_of(visitor, circle, 2) if ended == "removed" else renewer_of(visitor, circle, "host")
    after: list[object] = []

    def end_and_read() -> None:
        end()
        after.append(all_rows(app))

    before_the_lock(end_and_read)
    assert write() == status
    assert all_rows(app) == after[0]
    assert another.visit(circle).status == (404 if ended == "removed" else 200)


def test_a_seat_is_not_claimed_by_a_phone_removed_meanwhile(
    app: Flask, visitor: Visitor, another: Visitor, before_the_lock: Before
) -> None:
    table = visitor.open_table("francion").table
    another.join(visitor.link("watch")).visit(table)
    data = filled_in(another.form("/me")) | {"seat": "2"}
    before_the_lock(remover_of(visitor, visitor.circle, 2))
    assert another.client.post(f"{table}me", data=data).status_code == 404
    with app.app_context():
        assert [membership.player_id for membership in db.session.query(Membership)] == [None, None]


def test_a_circle_erased_before_the_tap_on_join_cannot_be_joined(
    app: Flask, visitor: Visitor, another: Visitor, before_the_lock: Before
) -> None:
    visitor.open_table("whist")
    form = another.visit(visitor.link("score")).find("form[action^='/join/']")
    erase = write_form(visitor, visitor.circle, "erase")
    before_the_lock(erase)
    assert another.send({}, form=form).status == 404
    assert not any(count_rows(app).values())


def test_a_write_without_the_right_shows_what_was_typed_and_a_stranger_nothing_of_the_circle(
    app: Flask, circle: FilledCircle, another: Visitor
) -> None:
    watching = Visitor(app).join(circle.host.link("watch"))
    data = {"csrf_token": another.csrf_token(), "comment": "Long thought about"}
    watching_data = data | {"csrf_token": watching.csrf_token()}
    names = {
        str(value): "nowhere" for name, value in circle.values.items() if name in ("token", "circle_token", "event")
    }
    refused = 0
    for rule, method, path in requests(app, circle.values):
        if not who_may(rule) or method != "POST":
            continue
        answer, elsewhere = another.client.post(path, data=data), path
        shown = answer.text
        for name, other in names.items():
            elsewhere, shown = elsewhere.replace(name, other), shown.replace(name, other)
        assert answer.status_code == 404, path
        assert "Long thought about" in shown, path
        other_page = another.client.post(elsewhere, data=data).text
        assert NEW_EACH_SECOND.sub("", shown) == NEW_EACH_SECOND.sub("", other_page)
        answer = watching.client.post(path, data=watching_data)
        if answer.status_code == 403:
            refused += 1
            assert "Long thought about" in answer.text, path
    assert refused > 30


def test_a_deal_refused_after_the_link_was_renewed_can_be_sent_again_with_the_new_one(
    visitor: Visitor, another: Visitor
) -> None:
    table = visitor.open_table("whist").table
    another.join(visitor.link("score")).visit(f"{table}deals/new")
    renewer_of(visitor, visitor.circle, "score")()
    assert another.send({"tricks": "ns-5", "do": "record"}).status == 404
    again, form = str(another.form("/deals/new")["action"]), filled_in(another.form("/deals/new"))
    another.join(visitor.link("score"))
    assert another.client.post(again, data=form).status_code == 303
    assert len(visitor.visit(table).export()["deals"]) == 1


def test_an_address_that_does_not_exist_repeats_nothing_that_was_sent_to_it(visitor: Visitor) -> None:
    answer = visitor.client.post("/no-such-page", data={"comment": "Call this number"})
    assert (answer.status_code, "Call this number" in answer.text) == (404, False)
