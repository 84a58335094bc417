"""Checking in to an event by its link."""

from __future__ import annotations

import pytest
from flask import Flask

from scorekeeper.models import Player, db
from scorekeeper.site import rate_limits

from ..support.visitor import Visitor, filled_in
from .hall import EIGHT, Hall


@pytest.fixture
def hall(app: Flask) -> Hall:
    return Hall(app, has_check_in=True)


def names(hall: Hall) -> list[str]:
    page = hall.visit("entrants").page
    return [row.get_text(" ", strip=True) for row in page.select(".entrants a")]


def check_in(visitor: Visitor, hall: Hall, *typed: str) -> Visitor:
    visitor.visit(hall.link("check-in"))
    data = filled_in(visitor.find("form.sheet-form")) | {f"name-{place}": name for place, name in enumerate(typed)}
    return visitor.receive(visitor.client.post(visitor.path, data=data, follow_redirects=True))


def test_a_guest_gets_the_next_number_and_the_phone_knows_it(app: Flask, hall: Hall) -> None:
    phone = check_in(Visitor(app), hall, "Zoé")
    assert names(hall)[-1] == "9 Zoé"
    assert "You are Zoé, number 9." in phone.text


def test_a_phone_that_checks_somebody_else_in_learns_that_it_worked(app: Flask, hall: Hall) -> None:
    phone = check_in(Visitor(app), hall, "Zoé")
    assert "The check-in is recorded." in check_in(phone, hall, "Yann").text
    assert "You are Zoé, number 9." in phone.text
    assert "The check-in is recorded." not in phone.visit(hall.path).text


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("", "Enter your name."),
        ("\u200b", "Enter your name."),
        ("x" * 41, "This text is too long. Use at most 40 characters."),
    ],
)
def test_a_name_that_is_none_is_answered_in_words(app: Flask, hall: Hall, typed: str, problem: str) -> None:
    phone = check_in(Visitor(app), hall, typed)
    assert phone.status == 422
    assert phone.problems() == [problem]
    assert len(names(hall)) == 8


def test_a_guest_says_which_group_they_belong_to(app: Flask) -> None:
    hall = Hall(app, format="progressive", has_check_in=True)
    Visitor(app).visit(hall.link("check-in")).send({"name-0": "Zoé", "group": "b"})
    assert hall.state().entrants[9].group == "b"


@pytest.mark.parametrize(("kind", "table"), [("watch", None), ("table", 1)])
def test_only_the_link_to_check_in_lets_people_enter_their_names(
    app: Flask, hall: Hall, kind: str, table: int | None
) -> None:
    secret = hall.link(kind, table).rpartition("/")[2]
    phone = Visitor(app).visit(f"/events/join/{secret}/check-in")
    assert (phone.status, phone.path) == (404, "/events/join")
    phone = hall.phone(table)
    phone.client.post(f"/events/join/{secret}/check-in", data={"csrf_token": phone.csrf_token(), "name-0": "Zoé"})
    assert len(names(hall)) == 8


def test_a_guest_is_not_asked_about_another_name_of_the_circle(app: Flask, hall: Hall) -> None:
    """Who is asked would learn that the circle has a Zénobie."""
    phone = check_in(Visitor(app), hall, "Zenobie")
    assert "You are Zénobie, number 9." in phone.text
    with app.app_context():
        assert "Zenobie" not in db.session.scalars(db.select(Player.name)).all()


def test_partners_check_in_together(app: Flask) -> None:
    hall = Hall(app, format="howell", scoring="difference", has_check_in=True)
    phone = Visitor(app).visit(hall.link("check-in"))
    assert len(phone.page.select("[name^=name-]")) == 2
    assert check_in(phone, hall, "Zoé", "").problems() == ["Enter 2 different names."]
    assert check_in(phone, hall, "Zoé", EIGHT[0]).problems() == [f"{EIGHT[0]} is entered already. Ask the director."]
    check_in(phone, hall, "Zoé", "Yann")
    assert names(hall)[-2:] == ["9 Zoé", "10 Yann"]


def test_check_ins_are_limited(app: Flask, hall: Hall) -> None:
    assert rate_limits.CHECK_INS_RATE.startswith("120 per minute")
    phone = Visitor(app).visit(hall.link("check-in"))
    form = filled_in(phone.find("form.sheet-form")) | {"name-0": ""}
    statuses = [phone.client.post(phone.path, data=form).status_code for _ in range(121)]
    assert statuses == [422] * 120 + [429]


@pytest.mark.parametrize(("event_format", "numbers"), [("individual", (3,)), ("howell", (3, 4))])
def test_somebody_who_left_and_checks_in_again_plays_again(
    app: Flask, event_format: str, numbers: tuple[int, ...]
) -> None:
    hall = Hall(app, has_check_in=True, format=event_format, scoring="difference")
    hall.draw(1)
    for number in numbers:
        hall.visit(f"entrants/{number}").send({"round": "1"}, "/leave")
    assert hall.state().entrants[3].last_round == 1
    phone = check_in(Visitor(app), hall, *(EIGHT[number - 1] for number in numbers))
    assert f"You are {EIGHT[2]}, number 3." in phone.text
    assert "You are back in, from round 2." in phone.text
    assert "back in" not in check_in(phone, hall, *(EIGHT[number - 1] for number in numbers)).text
    for table in hall.state().current_tables:
        hall.enter_slip(1, table.number, 7)
    hall.draw(2)
    assert hall.state().seats.get(3) or 3 in hall.state().sits_out
