"""Calendars of the evenings to come, which phones follow: iCalendar, RFC 5545.

A calendar's secret address belongs to the phone that made it, and opens as long as the phone has access to the circle.
It shows the circle's evenings, but for those to which the phone's owner has said no.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event, Timezone, vDuration, vText
from sqlalchemy import select
from sqlalchemy.orm import undefer

from ..circles.phones import seal
from ..db.transactions import get_id, writing_to_circle
from ..models import WATCH, CalendarFeed, Circle, Membership, db, hash_secret, new_secret, now
from ..people.reading import read_owner
from ..site.time_zones import UTC_ZONE, effective_zone, utc_moment
from .answers import NO, PERHAPS, read_coming
from .planned import Meeting, list_meetings

BEHIND = timedelta(days=30)
AHEAD = timedelta(days=366)
LENGTH = timedelta(hours=4)  # of an evening: nobody says when it ends, and phones show what has no length as a line
REFRESH = timedelta(hours=1)  # how often programs are asked to look


def find_feed(membership: Membership) -> CalendarFeed | None:
    return db.session.get(CalendarFeed, membership.id)


def renew_feed(membership: Membership, seen: str, device_secret: str) -> None:
    """Make the address of a phone's calendar; an earlier one opens no more.

    Nothing is done unless that is still the one with the hash `seen`, blank if there was none: a tap may come twice.
    """
    secret = new_secret()
    sealed = seal(device_secret, secret)
    membership_id = get_id(membership)
    with writing_to_circle(membership.circle_id, membership=membership, right=WATCH) as circle:
        feed = db.session.get(CalendarFeed, membership_id, populate_existing=True)
        if (feed.secret_hash if feed is not None else "") != seen:
            return
        feed = feed or CalendarFeed(circle_id=circle.id, membership_id=membership_id)
        feed.secret_hash = hash_secret(secret)
        feed.sealed_secret = sealed
        feed.created_at = now()
        db.session.add(feed)


def find_follower(circle_token: str, secret: str) -> Membership | None:
    """Return the phone whose calendar has this secret; None without access to the circle."""
    query = select(Membership).join(CalendarFeed, CalendarFeed.membership_id == Membership.id).join(Membership.circle)
    query = query.where(CalendarFeed.secret_hash == hash_secret(secret), Circle.token == circle_token)
    query = query.where(Membership.right.is_not(None)).options(undefer(Membership.right))
    return db.session.scalar(query)


def write_calendar(membership: Membership, title: str, find_url: Callable[[Meeting], str]) -> bytes:
    """Return a phone's calendar with this title, which its events have too, and times in the circle's zone."""
    circle = membership.circle
    zone = ZoneInfo(effective_zone(circle.time_zone) or UTC_ZONE)  # UTC on a server whose zone has no name
    calendar = Calendar()
    calendar.add("prodid", "-//Scorekeeper//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", vText(title))
    calendar.add("refresh-interval", vDuration(REFRESH), {"value": "DURATION"})
    calendar.add("x-published-ttl", vDuration(REFRESH))
    # Also without events: a calendar needs a component (RFC 5545, 3.4).
    calendar.add_component(Timezone.from_tzinfo(zone))
    owner = read_owner(membership)
    meetings = list_meetings(circle, behind=BEHIND, ahead=AHEAD)
    for meeting, coming in read_coming(circle, meetings).items():
        own = coming.by_person.get(owner.id) if owner is not None else None
        if own is not None and own.answer == NO:
            continue
        local = datetime.combine(meeting.day, time.fromisoformat(meeting.evening.begins))
        event = _build_event(meeting, utc_moment(local, circle.time_zone), zone)
        event.add("summary", title)
        event.add("url", find_url(meeting))
        is_tentative = own is not None and own.answer == PERHAPS
        event.add("status", "CANCELLED" if meeting.is_cancelled else "TENTATIVE" if is_tentative else "CONFIRMED")
        calendar.add_component(event)
    return bytes(calendar.to_ical())


def _build_event(meeting: Meeting, begins: datetime, zone: ZoneInfo) -> Event:
    evening, day = meeting
    changed_at = evening.changed_at.replace(tzinfo=UTC)
    # The first keeps its name if it is moved; those after it are named by their day.
    uid = evening.token if day == evening.day else f"{evening.token}-{day:%Y%m%d}"
    event = Event()
    event.add("uid", f"{uid}@scorekeeper")
    event.add("dtstart", begins.astimezone(zone))
    event.add("dtend", (begins + LENGTH).astimezone(zone))
    event.add("location", evening.place)
    event.add("sequence", evening.changes)
    event.add("dtstamp", changed_at)  # not the time of asking: what has not changed is the same file
    event.add("last-modified", changed_at)
    return event
