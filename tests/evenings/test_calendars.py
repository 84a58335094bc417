"""Calendars of evenings, as programs read them: their addresses, and what is in them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from icalendar import Calendar

from scorekeeper.cli.server import remove_secrets
from scorekeeper.models import Circle, db
from scorekeeper.site.rate_limits import WRONG_LINKS_RATE

from ..support.visitor import Visitor


def follow(visitor: Visitor) -> str:
    """Make the address of the phone's calendar; return its path."""
    visitor.visit(f"{visitor.circle}calendar").send({})
    return "/" + str(visitor.find("#calendar")["value"]).split("/", 3)[3]


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
    visitor: Visitor, zone: str, hours: tuple[float, ...], next_week: date
) -> None:
    visitor.open_table("whist", time_zone=zone)
    path = follow(visitor)
    (only,) = Calendar.from_ical(visitor.client.get(path).get_data()).subcomponents
    assert (only.name, only["TZID"]) == ("VTIMEZONE", zone.removeprefix("Etc/"))
    visitor.plan_evening(next_week)
    text = visitor.client.get(path).get_data(as_text=True)
    assert f"DTSTART;TZID={zone}:" in text or zone == "Etc/UTC"
    (event,) = events_in(visitor, path)
    begins = event["dtstart"]
    assert isinstance(begins, datetime)
    assert begins.strftime("%H:%M") == "19:30"
    assert begins.utcoffset() in [timedelta(hours=offset) for offset in hours]
    assert Calendar.from_ical(text).get_missing_tzids() == set()


def test_a_program_without_a_cookie_follows_a_calendar_through_every_change(
    app: Flask, host: Visitor, next_week: date
) -> None:
    path, program = host.plan_evening(next_week), Visitor(app)
    with app.app_context():
        db.session.execute(db.update(Circle).values(time_zone="America/Vancouver", title="Fridays; at Zoé’s, «whist»"))
        db.session.commit()
    address = follow(host)
    (before,) = events_in(program, address)
    assert before["summary"] == "Fridays; at Zoé’s, «whist»"
    begins = before["dtstart"]
    assert isinstance(begins, datetime)
    assert begins == datetime.combine(next_week, time(19, 30), ZoneInfo("America/Vancouver"))
    host.visit(f"{path}/change").send({"place": "Bar", "day": (next_week + timedelta(days=1)).isoformat()})
    host.visit(path).send({}, "/cancel")
    (after,) = events_in(program, address)
    assert after["uid"] == before["uid"]
    assert (after["location"], after["status"], after["sequence"]) == ("Bar", "CANCELLED", 2)
    assert program.client.get_cookie("scorekeeper") is None


def test_an_address_ends_when_it_is_renewed_and_with_its_phones_access(
    host: Visitor, another: Visitor, next_week: date
) -> None:
    host.plan_evening(next_week)
    another.join(host.link("watch"))
    first = follow(another)
    second = follow(another)
    program = Visitor(host.client.application)
    assert [program.client.get(path).status_code for path in (first, second)] == [404, 200]
    host.visit(f"{host.circle}links").send({}, "/links/watch/renew")
    assert program.client.get(second).status_code == 404
    another.join(host.link("watch"))
    assert program.client.get(second).status_code == 200


def test_an_address_opens_nothing_in_another_circle_and_guesses_are_counted(
    host: Visitor, another: Visitor, next_week: date
) -> None:
    host.plan_evening(next_week)
    secret = follow(host).rpartition("/")[2]
    another.open_table("whist")
    own, others = (phone.circle.replace("circles", "calendars") for phone in (another, host))
    assert another.client.get(f"{own}{secret}").status_code == 404
    statuses = {another.client.get(f"{others}wrong.ics").status_code for _ in range(40)}
    assert statuses == {404, 429}
    assert WRONG_LINKS_RATE.startswith("30")
    assert another.client.get(f"{others}{secret}").status_code == 200


def test_the_log_has_no_address_of_a_calendar(host: Visitor) -> None:
    address = follow(host)
    assert address.rpartition("/")[2] not in remove_secrets(f"GET {address} 200")


def test_a_calendar_has_no_evening_for_which_its_owner_said_no(host: Visitor, next_week: date) -> None:
    for days, answer in enumerate(("yes", "perhaps", "no")):
        host.plan_evening(next_week + timedelta(days=days), place=answer)
        host.send({"name": "Anne", "answer": answer, "is_own": "y"}, "/answer")
    host.plan_evening(next_week, place="silent")
    statuses = {event["location"]: event["status"] for event in events_in(host, follow(host))}
    assert statuses == {"yes": "CONFIRMED", "perhaps": "TENTATIVE", "silent": "CONFIRMED"}


def test_each_day_of_an_evening_that_repeats_has_its_own_name_and_stays_the_same(
    host: Visitor, next_week: date
) -> None:
    host.plan_evening(next_week, repeats="week")
    path = follow(host)
    names = {event["uid"] for event in events_in(host, path)}
    assert len(names) == len(events_in(host, path)) > 50
    etag = host.client.get(path).headers["ETag"]
    assert host.client.get(path, headers={"If-None-Match": etag}).status_code == 304
