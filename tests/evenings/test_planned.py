"""Evenings to come on pages: planned, answered by link, changed, ticked on the day."""

from __future__ import annotations

from datetime import date

import pytest
from flask import Flask

from scorekeeper.limits import MAX_GUESTS, MAX_NAME_LENGTH, MAX_PLACE_LENGTH

from ..support.visitor import Visitor, filled_in


def say(visitor: Visitor, answer: str, name: str = "", **fields: str | None) -> Visitor:
    return visitor.send({"answer": answer, "name": name} | fields, "/answer")


def test_what_is_wrong_is_said_at_once_and_what_was_typed_is_still_there(host: Visitor, next_week: date) -> None:
    wrong = {"day": "2020-01-31", "begins": "half past seven", "place": " ", "repeats": "fortnight"}
    host.visit(f"{host.circle}planned/new").send(wrong)
    assert host.status == 422
    assert host.problems() == [
        "This day is over. Choose today or a later day.",
        "half past seven is not a time. Write hours and minutes, such as 19:30.",
        "The place is missing. Enter where you meet.",
    ]
    assert (host.find("#day")["value"], host.find("#day")["type"]) == ("2020-01-31", "date")
    assert (host.find("#begins")["value"], host.find("#begins")["type"]) == ("half past seven", "text")
    assert host.find("#repeats option[selected]")["value"] == "fortnight"
    host.plan_evening(next_week)
    say(host, "", "Zoé", guests="many")
    assert host.status == 422
    assert len(host.problems()) == 2
    assert (host.find("#name")["value"], host.find("#guests")["value"]) == ("Zoé", "many")


@pytest.mark.parametrize(
    ("field", "typed", "problem"),
    [
        ("day", " ", "The date is missing. Enter the day of the evening."),
        ("day", "next Friday", "next Friday is not a date."),
        ("day", "9999-12-31", "This day is more than two years ahead."),
        ("begins", " ", "The time is missing. Enter when you begin."),
        ("begins", "24:00", "24:00 is not a time."),
        ("place", "x" * (MAX_PLACE_LENGTH + 1), "This text is too long."),
        ("repeats", "daily", "This cannot be chosen. Choose one from the list."),
    ],
)
def test_an_evening_is_not_planned_with_a_wrong_field(
    host: Visitor, next_week: date, field: str, typed: str, problem: str
) -> None:
    wanted = {"day": next_week.isoformat(), "begins": "19:30", "place": "Café"}
    host.visit(f"{host.circle}planned/new").send(wanted | {field: typed})
    assert host.status == 422
    assert [message.startswith(problem) for message in host.problems()] == [True]


@pytest.mark.parametrize("typed", ["19.05", "19h05", "19:05"])
def test_a_time_may_be_written_in_every_usual_way(host: Visitor, next_week: date, typed: str) -> None:
    path = host.plan_evening(next_week, begins=typed)
    assert host.visit(f"{path}/change").find("#begins")["value"] == "19:05"


def test_an_answer_is_refused_beside_what_is_wrong_with_it(host: Visitor, next_week: date) -> None:
    host.plan_evening(next_week)
    say(host, "maybe", "Z" * (MAX_NAME_LENGTH + 1), guests=str(MAX_GUESTS + 1), who="somebody")
    assert host.status == 422
    assert host.problems() == [
        "This cannot be chosen. Choose one from the list.",
        "This cannot be chosen. Choose one from the list.",
        f"This name is too long. Use at most {MAX_NAME_LENGTH} characters.",
        f"This must be a whole number from 0 to {MAX_GUESTS}.",
    ]
    say(host, "yes", guests="")
    assert host.problems() == ["The name is missing. Choose it or enter it."]


def test_somebody_new_answers_by_the_link_without_an_account(host: Visitor, another: Visitor, next_week: date) -> None:
    host.plan_evening(next_week)
    link = "/" + str(host.find("#link")["value"]).split("/", 3)[3]
    another.visit(link)
    assert "19:30" in another.text
    assert "Café" in another.text
    another.join(link)
    assert another.path == host.path
    say(another, "yes", "Zoé", guests="2")
    assert "3 are coming. 1 more makes 1 table." in another.text
    assert another.find("#who option[selected]").get_text() == "Zoé"
    say(another, "no")
    assert "Nobody has said yes yet." in host.visit(host.path).text
    assert another.page.select("#name, [name=is_own]") == []  # this phone answers for Zoé only
    form = filled_in(another.form("/answer")) | {"answer": "yes", "name": "Anne"}
    refused = another.client.post(f"{another.path}/answer", data=form).get_data(as_text=True)
    assert "With your link you can answer for yourself only." in refused


def test_an_answer_from_an_outdated_page_is_not_recorded_and_not_lost(
    host: Visitor, another: Visitor, next_week: date
) -> None:
    path = host.plan_evening(next_week)
    another.join(host.link("score")).visit(path)
    host.visit(f"{path}/change").send({"begins": "15:00"})
    say(another, "yes", "Zoé")
    assert another.status == 409
    assert "The evening has changed" in another.text
    assert (another.find("#name")["value"], "15:00" in another.text) == ("Zoé", True)
    another.send({}, "/answer")
    assert "1 is coming." in another.text


def test_on_the_day_those_who_said_yes_are_ticked_until_somebody_is_here(host: Visitor, today: date) -> None:
    host.plan_evening(today)
    for name, answer in (("Anne", "yes"), ("Bruno", "no"), ("Zoé", "yes")):
        say(host, answer, name)
    host.follow("Tonight")

    def ticked() -> set[str]:
        return {label.get_text(strip=True) for label in host.page.select("label:has(input[name=here][checked])")}

    assert ticked() == {"Anne", "Zoé"}
    host.send({}, "/tonight")
    host.send({"name": "Emma"}, "/tonight")
    assert ticked() == {"Anne", "Zoé", "Emma"}


def test_on_the_day_the_main_button_opens_tables_or_sends_a_guests_answer(
    app: Flask, host: Visitor, today: date
) -> None:
    path = host.plan_evening(today)
    guest = Visitor(app).join(host.link("watch")).visit(path)
    assert host.visit(path).find("#main-action").get_text() == "Tonight"
    assert guest.find("#main-action").get_text() == "Save the answer"
