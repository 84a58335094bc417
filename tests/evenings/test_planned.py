"""Evenings to come on pages: planned, answered by link, cancelled, ticked on the day, followed by a calendar."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from icalendar import Calendar

from scorekeeper.cli.server import remove_secrets
from scorekeeper.models import Circle, db
from scorekeeper.site.rate_limits import MAX_WRONG_LINKS
from scorekeeper.site.time_zones import find_evening, now

from ..support.visitor import Visitor, filled_in

TODAY = find_evening(now(), None)
NEXT = TODAY + timedelta(days=7)


@pytest.fixture
def host(visitor: Visitor) -> Visitor:
    return visitor.open_table("whist")


def say(visitor: Visitor, answer: str, name: str = "", **fields: str | None) -> Visitor:
    return visitor.send({"answer": answer, "name": name} | fields, "/answer")


def follow(visitor: Visitor, kind: str) -> str:
    """Make the address of a calendar; return its path."""
    visitor.visit(f"{visitor.circle}calendars").send({}, f"/{kind}")
    return "/" + str(visitor.find(f"#calendar-{kind}")["value"]).split("/", 3)[3]


def events_in(visitor: Visitor, path: str) -> list[dict[str, object]]:
    """Return the events of a calendar, read by the library that phones might have."""
    answer = visitor.client.get(path)
    assert (answer.status_code, answer.mimetype) == (200, "text/calendar")
    calendar = Calendar.from_ical(answer.get_data())
    fields = ("uid", "summary", "location", "status", "sequence", "dtstart")
    return [{field: event.decoded(field) for field in fields} for event in calendar.walk("VEVENT")]


@pytest.mark.parametrize(
    ("zone", "hours"), [("America/Vancouver", (-8, -7)), ("Etc/UTC", (0,)), ("Asia/Kolkata", (5.5,))]
)
def test_a_calendar_is_valid_without_an_evening_and_has_times_in_the_circles_zone(
    visitor: Visitor, zone: str, hours: tuple[float, ...]
) -> None:
    visitor.open_table("whist", time_zone=zone)
    path = follow(visitor, "circle")
    (only,) = Calendar.from_ical(visitor.client.get(path).get_data()).subcomponents
    assert (only.name, only["TZID"]) == ("VTIMEZONE", zone.removeprefix("Etc/"))
    visitor.plan_evening(NEXT)
    text = visitor.client.get(path).get_data(as_text=True)
    assert f"DTSTART;TZID={zone}:" in text or zone == "Etc/UTC"
    (event,) = events_in(visitor, path)
    begins = event["dtstart"]
    assert isinstance(begins, datetime)
    assert begins.strftime("%H:%M") == "19:30"
    assert begins.utcoffset() in [timedelta(hours=each) for each in hours]
    assert Calendar.from_ical(text).get_missing_tzids() == set()


def test_what_is_wrong_is_said_at_once_and_what_was_typed_is_still_there(host: Visitor) -> None:
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
    host.plan_evening(NEXT)
    say(host, "", "Zoé", guests="many")
    assert host.status == 422
    assert len(host.problems()) == 2
    assert (host.find("#name")["value"], host.find("#guests")["value"]) == ("Zoé", "many")


def test_somebody_new_answers_by_the_link_without_an_account(host: Visitor, another: Visitor) -> None:
    host.plan_evening(NEXT)
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


def test_an_answer_from_an_outdated_page_is_not_recorded_and_not_lost(host: Visitor, another: Visitor) -> None:
    path = host.plan_evening(NEXT)
    another.join(host.link("score")).visit(path)
    host.visit(f"{path}/change").send({"begins": "15:00"})
    say(another, "yes", "Zoé")
    assert another.status == 409
    assert "The evening has changed" in another.text
    assert (another.find("#name")["value"], "15:00" in another.text) == ("Zoé", True)
    another.send({}, "/answer")
    assert "1 is coming." in another.text


def test_on_the_day_those_who_said_yes_are_ticked_until_somebody_is_here(host: Visitor) -> None:
    host.plan_evening(TODAY)
    for name, answer in (("Anne", "yes"), ("Bruno", "no"), ("Zoé", "yes")):
        say(host, answer, name)
    host.follow("Tonight")

    def ticked() -> set[str]:
        return {label.get_text(strip=True) for label in host.page.select("label:has(input[name^=here-][checked])")}

    assert ticked() == {"Anne", "Zoé"}
    host.send({}, "/tonight")
    host.send({f"here-{box['name']}": None for box in host.page.select("[name^=here-]")} | {"name": "Emma"}, "/tonight")
    assert ticked() == {"Anne", "Zoé", "Emma"}


# --- calendars ---------------------------------------------------------------------------------------------


def test_a_program_without_a_cookie_follows_a_calendar_through_every_change(app: Flask, host: Visitor) -> None:
    path, program = host.plan_evening(NEXT), Visitor(app)
    with app.app_context():
        db.session.execute(db.update(Circle).values(time_zone="America/Vancouver", title="Fridays; at Zoé’s, «whist»"))
        db.session.commit()
    address = follow(host, "circle")
    (before,) = events_in(program, address)
    assert before["summary"] == "Fridays; at Zoé’s, «whist»"
    begins = before["dtstart"]
    assert isinstance(begins, datetime)
    assert begins == datetime.combine(NEXT, time(19, 30), ZoneInfo("America/Vancouver"))
    host.visit(f"{path}/change").send({"place": "Bar", "day": (NEXT + timedelta(days=1)).isoformat()})
    host.visit(path).send({}, "/cancel")
    (after,) = events_in(program, address)
    assert after["uid"] == before["uid"]
    assert (after["location"], after["status"], after["sequence"]) == ("Bar", "CANCELLED", 2)
    assert program.client.get_cookie("scorekeeper") is None


def test_an_address_ends_when_it_is_renewed_and_with_its_phones_access(host: Visitor, another: Visitor) -> None:
    host.plan_evening(NEXT)
    another.join(host.link("watch"))
    first = follow(another, "circle")
    second = follow(another, "circle")
    program = Visitor(host.client.application)
    assert [program.client.get(path).status_code for path in (first, second)] == [404, 200]
    host.visit(f"{host.circle}links").send({}, "/links/watch/renew")
    assert program.client.get(second).status_code == 404
    another.join(host.link("watch"))
    assert program.client.get(second).status_code == 200


def test_an_address_opens_nothing_in_another_circle_and_guesses_are_counted(host: Visitor, another: Visitor) -> None:
    host.plan_evening(NEXT)
    secret = follow(host, "circle").rpartition("/")[2]
    another.open_table("whist")
    own, others = (phone.circle.replace("circles", "calendars") for phone in (another, host))
    assert another.client.get(f"{own}{secret}").status_code == 404
    statuses = {another.client.get(f"{others}wrong.ics").status_code for _ in range(40)}
    assert statuses == {404, 429}
    assert MAX_WRONG_LINKS.startswith("30")
    assert another.client.get(f"{others}{secret}").status_code == 200


def test_the_log_has_no_address_of_a_calendar(host: Visitor) -> None:
    address = follow(host, "circle")
    assert address.rpartition("/")[2] not in remove_secrets(f"GET {address} 200")


def test_on_the_day_the_main_button_opens_tables_or_sends_a_guests_answer(app: Flask, host: Visitor) -> None:
    path = host.plan_evening(TODAY)
    guest = Visitor(app).join(host.link("watch")).visit(path)
    assert host.visit(path).find("#main-action").get_text() == "Tonight"
    assert guest.find("#main-action").get_text() == "Save the answer"
