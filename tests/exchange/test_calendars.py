"""Calendars of evenings, as programs read them."""

from __future__ import annotations

from datetime import UTC, datetime

from icalendar import Calendar

from scorekeeper.exchange.calendars import CANCELLED, CONFIRMED, CalendarEntry, write_calendar

BEGINS, CHANGED = datetime(2026, 12, 4, 18, 30, tzinfo=UTC), datetime(2026, 11, 27, 9, 15)
FIRST = CalendarEntry("first", BEGINS, "Chez Zoé; 2, rue\nHaute", "https://cards.example/first", CONFIRMED, 0, CHANGED)
SECOND = FIRST._replace(uid="second", status=CANCELLED, changes=3)


def test_each_entry_says_when_and_where_and_how_often_it_was_changed() -> None:
    calendar = Calendar.from_ical(write_calendar("Cartes", [FIRST, SECOND]))
    events = calendar.walk("VEVENT")
    assert calendar["x-wr-calname"] == "Cartes"
    assert [str(event["uid"]) for event in events] == ["first@scorekeeper", "second@scorekeeper"]
    assert [(str(event["status"]), event["sequence"]) for event in events] == [(CONFIRMED, 0), (CANCELLED, 3)]
    assert {event["dtstart"].dt for event in events} == {BEGINS}
    assert {str(event["location"]) for event in events} == {FIRST.place}


def test_what_has_not_changed_is_the_same_file() -> None:
    assert write_calendar("Cartes", [FIRST]) == write_calendar("Cartes", [FIRST])
    assert Calendar.from_ical(write_calendar("Cartes", [])).walk("VEVENT") == []
