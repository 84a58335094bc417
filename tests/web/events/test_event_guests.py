"""Guests of an event: joining by its links, and what they cannot reach."""

from __future__ import annotations

import pytest
from flask import Flask
from itsdangerous import URLSafeSerializer

from scorekeeper.models import Browser, EventPhone, db
from scorekeeper.services.access.links import list_browsers
from scorekeeper.services.events.phones import EventLink, read_link

from ...visitor import Visitor, filled_in
from .hall import Hall


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


def test_a_link_that_was_opened_leads_to_the_table_the_next_time(hall: Hall) -> None:
    assert hall.phone(2).visit(hall.link("table", 2)).path == hall.table(2)


def test_joining_twice_adds_one_browser_without_a_right(app: Flask, hall: Hall) -> None:
    phone = Visitor(app).visit(hall.link("table", 1))
    form = phone.find("form[action$='/join']")
    for _ in range(2):
        phone.send({}, form=form)
    with app.app_context():
        joined = db.session.scalars(db.select(EventPhone)).one()
        assert [browser.id for browser in list_browsers(joined.browser.circle)] != [joined.browser_id]
        assert db.session.scalar(db.select(Browser.right).where(Browser.id == joined.browser_id)) is None


def test_a_phone_is_that_of_the_table_whose_card_it_scanned_last(hall: Hall) -> None:
    phone = hall.phone(1)
    phone.visit(hall.link("table", 2)).send({}, "/join")
    phone.visit(hall.table(2)).send({"score-0": "9"}, "/result")
    assert phone.status == 200
    assert not phone.visit(hall.table(1)).page.select("form.slip")


def test_a_link_to_watch_shows_the_event_without_joining(app: Flask, hall: Hall) -> None:
    reader = Visitor(app).visit(hall.link("watch"))
    assert reader.path == hall.path
    assert "Anne" in reader.text
    reader.visit(str(reader.find(".hall-seats a")["href"]))
    assert reader.status == 200
    assert not reader.page.select("form.slip")
    with app.app_context():
        assert db.session.scalar(db.select(db.func.count()).select_from(EventPhone)) == 0
    assert status(reader, hall.path) == 404  # without the link in the address


def test_who_follows_the_event_by_its_shared_link_chooses_a_name_and_sees_the_seat(app: Flask, hall: Hall) -> None:
    phone = Visitor(app).visit(hall.link("watch")).send({}, "/join")
    assert phone.path == hall.path
    phone.send({"number": "3"}, "/me")
    seat = hall.state().seat_of(3)
    assert seat is not None
    assert f"Round 1: Table {seat.table}, {seat.direction.capitalize()}, with " in phone.text
    assert "You are Chloé, number 3." in phone.text
    phone.send({}, "/me")
    assert "Who are you?" in phone.text


def test_a_members_own_phone_shows_its_owners_seat(hall: Hall) -> None:
    member = Visitor(hall.app).join(hall.director.link("watch")).visit(hall.path)
    member.send({"number": "2"}, "/me")
    assert "You are Bruno, number 2." in member.text


def test_a_member_who_only_watches_the_circle_may_be_the_phone_of_a_table(hall: Hall) -> None:
    member = Visitor(hall.app).join(hall.director.link("watch"))
    assert not member.visit(hall.table(1)).page.select("form.slip")
    member.visit(hall.link("table", 1)).send({}, "/join")
    assert member.send({"score-0": "9"}, "/result").status == 200
    assert hall.state().tables[1, 1].scores == {"scores": [9, 4]}


# --- wrong links -------------------------------------------------------------------------------------------


def wrong_links(hall: Hall) -> list[str]:
    right = hall.link("table", 1).rpartition("/")[2]
    key, said = hall.app.config["SECRET_KEY"], [hall.state().event.generation, "table", 1]
    forged = URLSafeSerializer("another key", "event link").dumps(said)
    other_salt = URLSafeSerializer(key, "cookie").dumps(said)
    by_id = URLSafeSerializer(key, "event link").dumps([1, 0, "table", 1])  # as earlier versions signed them
    wrong = [right[:-1], right + "A", forged, other_salt, by_id, "x", "." * 50, "é" * 50, right.upper()]
    return [str(secret) for secret in wrong]


def test_wrong_links_lead_to_a_page_that_says_nothing_about_the_event(hall: Hall) -> None:
    for secret in wrong_links(hall):
        visitor = Visitor(hall.app).visit(f"/events/join/{secret}")
        assert (visitor.status, visitor.path) == (404, "/events/join"), secret
        assert "This link does not work" in visitor.text
        assert "Spring drive" not in visitor.text
        assert visitor.visit(f"{hall.path}?shared={secret}").status == 404


def test_a_post_with_a_wrong_link_does_not_join(hall: Hall) -> None:
    for secret in wrong_links(hall):
        phone = Visitor(hall.app).visit(hall.link("table", 1)).send({"secret": secret}, "/join")
        assert phone.status == 404
        assert status(phone, hall.path) == 404


def test_wrong_links_are_limited_and_a_right_one_still_opens(hall: Hall) -> None:
    visitor = Visitor(hall.app)
    answers = [visitor.client.get("/events/join/x").status_code for _ in range(31)]
    assert answers == [303] * 30 + [429]
    assert visitor.visit(hall.link("table", 1)).status == 200


@pytest.mark.parametrize(
    "payload",
    [
        [],
        {},
        None,
        "table",
        ["1"],
        ["1", "host"],
        ["1", "table", 1, 2],
        [[], "table"],
        [1, 0, "table", 1],
        [1, "table"],
    ],
)
def test_a_signed_text_of_another_shape_is_no_link(payload: object) -> None:
    assert read_link("key", str(URLSafeSerializer("key", "event link").dumps(payload))) is None


def test_a_link_reads_as_it_was_signed() -> None:
    link = EventLink("generation", "table", 12)
    assert read_link("key", link.signed("key")) == link


def test_a_tables_link_is_no_link_to_look_without_joining(hall: Hall) -> None:
    secret = hall.link("table", 1).rpartition("/")[2]
    assert Visitor(hall.app).visit(f"{hall.path}?shared={secret}").status == 404


# --- renewed links -----------------------------------------------------------------------------------------


def test_renewing_the_links_ends_the_access_of_all_who_joined_by_them(hall: Hall) -> None:
    phone, watching = hall.phone(1).visit(hall.table(1)), hall.phone()
    old = hall.link("table", 1)
    hall.renew_links()
    phone.send({"score-0": "9"}, "/result")
    assert phone.status == 404
    assert hall.state().tables[1, 1].scores is None
    assert status(watching, hall.path) == 404
    assert Visitor(hall.app).visit(old).path == "/events/join"
    assert phone.visit(hall.link("table", 1)).send({}, "/join").path == hall.table(1)


def test_a_shared_page_ends_with_its_link(app: Flask, hall: Hall) -> None:
    reader = Visitor(app).visit(hall.link("watch"))
    address = reader.response.request.full_path
    hall.renew_links()
    assert reader.visit(address).status == 404


def test_the_director_renews_the_links_once_with_a_page_sent_twice(hall: Hall) -> None:
    before = str(hall.director.visit(f"{hall.path}/links").find("#link-watch")["value"])
    form = hall.director.form("/links/renew")
    once, twice = (str(hall.director.send({}, form=form).find("#link-watch")["value"]) for _ in range(2))
    assert once == twice != before


def test_the_link_to_check_in_is_shown_where_people_may_check_in(hall: Hall) -> None:
    assert not hall.director.visit(f"{hall.path}/links").page.select("#link-check-in")
    hall.change(has_check_in=True)
    assert hall.director.visit(f"{hall.path}/links").page.select("#link-check-in")


def test_a_guest_cannot_renew_the_links(hall: Hall) -> None:
    phone, generation = hall.phone(1), hall.state().event.generation
    csrf = filled_in(phone.visit(hall.table(1)).find("form.slip"))["csrf_token"]
    answer = phone.client.post(f"{hall.path}/links/renew", data={"csrf_token": csrf, "generation": generation})
    assert answer.status_code == 403
    assert hall.state().event.generation == generation


# --- what guests cannot reach ------------------------------------------------------------------------------


def test_a_guest_sees_nothing_else_of_the_circle(hall: Hall) -> None:
    """Every address of the circle is tried in tests/web/support/test_rights.py."""
    phone = hall.phone(1)
    circle, table = hall.director.circle, hall.director.table
    for path in (f"/circles/{circle}/", f"/circles/{circle}/people", f"/circles/{circle}/links", table):
        assert status(phone, path) == 404, path
    assert "Zénobie" not in phone.visit(hall.table(1)).text
    assert "Zénobie" not in phone.visit(hall.path).text
    assert not phone.page.select(".places")
    assert phone.visit("/").status == 200
    assert "Zénobie" not in phone.text


def test_a_guest_cannot_send_the_result_of_another_table(hall: Hall) -> None:
    phone = hall.phone(1).visit(hall.table(1))
    fields = filled_in(phone.find("form.slip")) | {"score-0": "9"}
    assert phone.client.post(f"{hall.table(2)}/result", data=fields).status_code == 403
    assert phone.client.post(f"{hall.table(2)}/confirm", data=fields | {"version": "1", "side": "0"}).status_code == 403
    assert hall.state().tables[1, 2].scores is None


def test_a_phone_that_watches_cannot_send_results(hall: Hall) -> None:
    phone = hall.phone()
    fields = filled_in(hall.phone(1).visit(hall.table(1)).find("form.slip")) | {"score-0": "9"}
    fields["csrf_token"] = filled_in(phone.visit("/tables/new/whist").form())["csrf_token"]
    assert phone.client.post(f"{hall.table(1)}/result", data=fields).status_code == 403


def test_a_guest_of_one_event_has_no_access_to_another(hall: Hall) -> None:
    another = Hall(hall.app)
    another.draw(1)
    phone = hall.phone(1)
    assert status(phone, another.path) == 404
    assert status(phone, another.table(1)) == 404
    secret = hall.link("watch").rpartition("/")[2]
    assert status(phone, f"{another.path}?shared={secret}") == 404


def test_a_name_that_is_not_entered_cannot_be_claimed(hall: Hall) -> None:
    phone = hall.phone()
    for number in ("99", "0", "x", "999999999"):
        assert phone.visit(hall.path).send({"number": number}, "/me").status == 400, number
    with hall.app.app_context():
        assert db.session.scalars(db.select(EventPhone.number)).all() == [None]


def test_writes_need_the_csrf_token(hall: Hall) -> None:
    phone = hall.phone(1).visit(hall.table(1))
    fields = filled_in(phone.find("form.slip")) | {"score-0": "9", "csrf_token": ""}
    for path in (f"{hall.table(1)}/result", f"{hall.table(1)}/confirm", f"{hall.path}/me", "/events/join"):
        assert phone.client.post(path, data=fields).status_code == 400, path
    assert hall.state().tables[1, 1].scores is None


def test_a_removed_phone_loses_the_event_too_until_it_joins_again(hall: Hall) -> None:
    member = Visitor(hall.app).join(hall.director.link("watch"))
    member.visit(hall.link("table", 1)).send({}, "/join")
    hall.director.visit(f"/circles/{hall.director.circle}/links").send({}, "/browsers/2/end")
    for address in (hall.table(1), f"{hall.path}/now", f"{hall.path}/stream"):
        assert status(member, address) == 404, address
    assert member.visit(hall.link("table", 1)).send({}, "/join").path == hall.table(1)
    assert status(member, f"/circles/{hall.director.circle}/") == 404


def test_the_home_page_leads_a_guest_back_while_the_event_lasts(hall: Hall) -> None:
    hall.draw(1)
    phone, other = hall.phone(table=2), hall.phone()
    assert hall.table(2) in links_of(phone.visit("/"))
    assert hall.path in links_of(other.visit("/"))
    hall.renew_links()
    assert not any(hall.path in link for visitor in (phone, other) for link in links_of(visitor.visit("/")))


def links_of(visitor: Visitor) -> list[str]:
    return [str(link["href"]) for link in visitor.page.select("a.go-on")]
