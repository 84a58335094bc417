"""What a guest of an event reaches, and who has a link to look at one."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.events.phones import EventLink
from scorekeeper.models import Event, db

from ..support.filled import Circle, requests
from ..support.rights import FAIR, send_request, who_may
from ..support.visitor import Visitor

# What a guest of an event may do with addresses of the event; of the others it may know, but not use them.
GUESTS = {
    *("events.show", "events.claim"),
    *("event_table.show", "event_table.send", "event_table.confirm"),
    *("event_table.call", "event_table.end_call", "event_table.open_pad"),
    *("events.stream", "event_displays.wall"),
    *("event_results.show", "event_results.card", "event_results.of_round"),
    *("event_results.standings_csv", "event_results.tables_csv"),
}
# By the phone of this table only.
PLAYED = {
    *("event_table.open_pad", "event_table.call", "event_table.confirm", "event_table.end_call", "event_table.send"),
}
# What a guest may do at the table at which they play in the current round, with the game's pad.
PADS = {
    *("table.show", "table.undo", "table.redo", "live.show_update", "live.stream"),
    *("deals.new", "deals.amend", "deals.insert", "deals.show", "deals.withdraw", "deals.restore"),
    "deals.withdraw_announcement",
}


def event_with(token: str) -> Event:
    return db.session.scalars(db.select(Event).filter_by(token=token)).one()


def event_link(circle: Circle, kind: str, table: int | None = None) -> str:
    app = circle.host.client.application
    with app.app_context():
        link = EventLink(event_with(circle.values["event"]), kind, table)
    return f"/events/join/{link.signed(app.config['SECRET_KEY'])}"


@pytest.mark.parametrize("table", [1, None])
def test_a_guest_of_an_event_reaches_nothing_else(
    app: Flask, circle: Circle, another: Visitor, table: int | None
) -> None:
    another.visit(event_link(circle, "watch" if table is None else "table", table)).send({}, "/join")
    csrf = another.csrf_token()
    for rule, method, path in requests(app, circle.values):
        if not who_may(rule):
            continue
        status = send_request(another, method, path, csrf)
        if not rule.rule.startswith("/events/"):
            assert status == 404, (method, path, status)
        elif rule.endpoint in GUESTS and (table is not None or rule.endpoint not in PLAYED):
            assert status in FAIR, (method, path, status)
        else:
            assert status == 403, (method, path, status)


def test_a_guest_at_the_pad_reaches_only_its_pages(app: Flask, circle: Circle, another: Visitor) -> None:
    """The pages of the table that was opened for the event; of the circle's other table, none."""
    another.visit(event_link(circle, "table", 1)).send({}, "/join").send({}, "/pad")
    own = another.table.split("/")[2]
    another.record(tricks="ns-5")
    csrf = another.csrf_token()
    for token, at_own in ((circle.values["token"], False), (own, True)):
        for rule, method, path in requests(app, circle.values | {"token": token, "deal_id": 1 if at_own else 3}):
            if not who_may(rule) or rule.rule.startswith("/events/"):
                continue
            status = send_request(another, method, path, csrf)
            if at_own and rule.endpoint in PADS:
                assert status in FAIR, (method, path, status)
            else:
                assert status == 404, (method, path, status)


def test_a_link_to_look_at_an_event_shows_its_pages_and_changes_nothing(
    app: Flask, circle: Circle, another: Visitor
) -> None:
    csrf, shared = another.csrf_token(), event_link(circle, "watch").rpartition("/")[2]
    for rule, method, path in requests(app, circle.values):
        if who_may(rule):
            data = {"csrf_token": csrf, "seen": "0", "key": "k"}
            address = f"{path}?shared={shared}"
            with another.client.open(address, method=method, data=data if method == "POST" else None) as answer:
                status = answer.status_code
            may = method == "GET" and rule.endpoint in GUESTS
            assert (status in (200, 204)) if may else (status == 404), (method, path, status)


def test_a_removed_phone_that_had_joined_an_event_reaches_nothing(app: Flask, circle: Circle, another: Visitor) -> None:
    another.join(circle.host.link("watch")).visit(event_link(circle, "table", 1)).send({}, "/join")
    circle.host.visit(f"{circle.path}links").send({}, "/phones/2/end")
    csrf = another.csrf_token()
    for rule, method, path in requests(app, circle.values):
        if who_may(rule):
            assert send_request(another, method, path, csrf) == 404, (method, path)
