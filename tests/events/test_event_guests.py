"""Guests of an event: joining by its links, and what they cannot reach."""

from __future__ import annotations

import pytest
from flask import Flask
from itsdangerous import URLSafeSerializer

from scorekeeper.models import EventPhone, db

from ..support.visitor import Visitor
from .hall import EIGHT, Hall


@pytest.fixture
def hall(app: Flask) -> Hall:
    hall = Hall(app)
    hall.draw(1)
    return hall


def status(visitor: Visitor, path: str) -> int:
    return visitor.client.get(path).status_code


# --- joining -----------------------------------------------------------------------------------------------


def test_opening_a_tables_link_changes_nothing_until_it_is_tapped(app: Flask, hall: Hall) -> None:
    phone = Visitor(app).visit(hall.link("table", 2))
    assert "Spring drive" in phone.text
    with app.app_context():
        assert db.session.scalar(db.select(db.func.count()).select_from(EventPhone)) == 0
    assert status(phone, hall.table(2)) == 404
    phone.send({}, "/join")
    assert phone.path == hall.table(2)
    assert phone.status == 200


def test_a_guest_who_follows_the_event_by_its_shared_link_chooses_a_name_and_sees_the_seat(
    app: Flask, hall: Hall
) -> None:
    phone = Visitor(app).visit(hall.link("watch")).send({}, "/join")
    assert phone.path == hall.path
    phone.send({"number": "3"}, "/me")
    seat = hall.state().seats.get(3)
    assert seat is not None
    assert f"Round 1: Table {seat.table}, {seat.direction.capitalize()}, with " in phone.text
    assert "You are Chloé, number 3." in phone.text
    phone.send({}, "/me")
    assert "Who are you?" in phone.text


# --- wrong links -------------------------------------------------------------------------------------------


def wrong_links(hall: Hall) -> list[str]:
    right = hall.link("table", 1).rpartition("/")[2]
    key, said = hall.app.config["SECRET_KEY"], [hall.state().event.generation, "table", 1]
    forged = URLSafeSerializer("another key", "event link").dumps(said)
    other_salt = URLSafeSerializer(key, "cookie").dumps(said)
    wrong = [right[:-1], right + "A", forged, other_salt, "x", "." * 50, "é" * 50, right.upper()]
    return [str(secret) for secret in wrong]


def test_wrong_links_lead_to_a_page_that_says_nothing_about_the_event(hall: Hall) -> None:
    for secret in wrong_links(hall):
        visitor = Visitor(hall.app).visit(f"/events/join/{secret}")
        assert (visitor.status, visitor.path) == (404, "/events/join"), secret
        assert "This link does not work" in visitor.text
        assert "Spring drive" not in visitor.text
        assert visitor.visit(f"{hall.path}?shared={secret}").status == 404


def test_wrong_links_are_limited_and_a_right_one_still_opens(hall: Hall) -> None:
    visitor = Visitor(hall.app)
    answers = [visitor.client.get("/events/join/x").status_code for _ in range(31)]
    assert answers == [303] * 30 + [429]
    assert visitor.visit(hall.link("table", 1)).status == 200


# --- renewed links -----------------------------------------------------------------------------------------


def test_renewing_the_links_ends_the_access_of_all_who_joined_by_them(hall: Hall) -> None:
    phone, watching = hall.phone(1).visit(hall.table(1)), hall.phone()
    old = hall.link("table", 1)
    hall.renew_links()
    phone.send({"score-0": "9"}, "/result")
    assert phone.status == 404
    assert hall.state().tables[1, 1].result is None
    assert status(watching, hall.path) == 404
    assert Visitor(hall.app).visit(old).path == "/events/join"
    assert phone.visit(hall.link("table", 1)).send({}, "/join").path == hall.table(1)


# --- what guests cannot reach ------------------------------------------------------------------------------


def test_a_guest_sees_nothing_else_of_the_circle(hall: Hall) -> None:
    """Every address is tried in test_rights.py."""
    phone = hall.phone(1)
    assert "Zénobie" not in phone.visit(hall.table(1)).text
    assert "Zénobie" not in phone.visit(hall.path).text
    assert not phone.page.select(".places")
    assert phone.visit("/").status == 200
    assert "Zénobie" not in phone.text


def test_the_page_of_the_event_names_who_sits_out(app: Flask) -> None:
    nine = Hall(app, names=(*EIGHT, "Inès"))
    nine.draw(1)
    [who] = nine.state().sits_out
    assert f"Sits out: {nine.state().name_of(who)}" in nine.director.visit(nine.path).text
