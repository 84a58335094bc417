"""Calendars of evenings, as programs read them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from scorekeeper.evenings.calendars import CANCELLED, CONFIRMED, CalendarEntry, write_calendar

PARIS = ZoneInfo("Europe/Paris")
BEGINS, CHANGED = datetime(2026, 12, 4, 18, 30, tzinfo=UTC), datetime(2026, 11, 27, 9, 15)
FIRST = CalendarEntry("first", BEGINS, "Chez Zoé; 2, rue\nHaute", "https://cards.example/first", CONFIRMED, 0, CHANGED)
SECOND = FIRST._replace(uid="second", status=CANCELLED, changes=3)


def lines(*entries: CalendarEntry) -> list[str]:
    return write_calendar("Cartes", PARIS, entries).decode().replace("\r\n ", "").splitlines()


def test_each_entry_says_when_and_where_and_how_often_it_was_changed() -> None:
    found = lines(FIRST, SECOND)
    assert {"X-WR-CALNAME:Cartes", "X-PUBLISHED-TTL:PT1H"} <= {*found}
    assert [line for line in found if line.startswith("UID")] == ["UID:first@scorekeeper", "UID:second@scorekeeper"]
    assert [line for line in found if line.startswith("STATUS")] == ["STATUS:CONFIRMED", "STATUS:CANCELLED"]
    assert [line for line in found if line.startswith("SEQUENCE")] == ["SEQUENCE:0", "SEQUENCE:3"]
    assert (
        found.count("DTSTART;TZID=Europe/Paris:20261204T193000") == found.count("LAST-MODIFIED:20261127T091500Z") == 2
    )
    assert found.count("DTEND;TZID=Europe/Paris:20261204T233000") == found.count("SUMMARY:Cartes") == 2
    assert found.count("LOCATION:Chez Zoé\\; 2\\, rue\\nHaute") == 2


def test_what_has_not_changed_is_the_same_file() -> None:
    assert lines(FIRST) == lines(FIRST)
    assert "BEGIN:VEVENT" not in lines()
    assert lines().count("BEGIN:VTIMEZONE") == 1  # at least one component is needed
