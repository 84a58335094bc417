"""Calendars that phones follow: iCalendar, RFC 5545."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

if TYPE_CHECKING:  # 3 MB, which only calendars need
    from icalendar import Timezone

CONFIRMED, TENTATIVE, CANCELLED = "CONFIRMED", "TENTATIVE", "CANCELLED"
LENGTH = timedelta(hours=4)  # of an evening: nobody says when it ends, and phones show what has no length as a line
REFRESH = timedelta(hours=1)  # how often programs are asked to look


class CalendarEntry(NamedTuple):
    """An evening in a calendar: `begins` in any zone, `changed_at` naive UTC, `url` of the page about it."""

    uid: str
    begins: datetime
    place: str
    url: str
    status: str
    changes: int
    changed_at: datetime


def write_calendar(title: str, zone: ZoneInfo, entries: Iterable[CalendarEntry]) -> bytes:
    """Return a calendar with this title, which its entries have too, and times in this zone.

    The zone stands in it without entries too: a calendar without any component is invalid (RFC 5545, 3.4).
    """
    from icalendar import Calendar, Event, vDuration, vText  # noqa: PLC0415  # see above

    calendar = Calendar()
    calendar.add("prodid", "-//Scorekeeper//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", vText(title))
    calendar.add("refresh-interval", vDuration(REFRESH), {"value": "DURATION"})
    calendar.add("x-published-ttl", vDuration(REFRESH))
    calendar.add_component(_describe_zone(zone))
    for entry in entries:
        changed_at = entry.changed_at.replace(tzinfo=UTC)
        event = Event()
        event.add("uid", f"{entry.uid}@scorekeeper")
        event.add("summary", title)
        event.add("dtstart", entry.begins.astimezone(zone))
        event.add("dtend", (entry.begins + LENGTH).astimezone(zone))
        event.add("location", entry.place)
        event.add("url", entry.url)
        event.add("sequence", entry.changes)
        event.add("status", entry.status)
        event.add("dtstamp", changed_at)  # not the time of asking: what has not changed is the same file
        event.add("last-modified", changed_at)
        calendar.add_component(event)
    return bytes(calendar.to_ical())


@cache  # it takes 50 ms
def _describe_zone(zone: ZoneInfo) -> Timezone:
    from icalendar import Timezone  # noqa: PLC0415  # see above

    return Timezone.from_tzinfo(zone)
