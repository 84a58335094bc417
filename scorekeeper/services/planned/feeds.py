"""Calendars of evenings to come, which phones follow by a secret address.

An address belongs to the browser that made it, and opens as long as the browser has access to the circle. It shows all
evenings of the circle, or those to which the browser's owner comes, or perhaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import undefer

from ...db.clock import now
from ...db.transactions import get_id, write_to_circle
from ...exchange.calendars import CANCELLED, CONFIRMED, TENTATIVE, CalendarEntry
from ...models import Browser, CalendarFeed, Circle, db
from ...models.rights import WATCH
from ...time_zones import UTC_ZONE, in_force, load_rules, utc_moment
from ..access.devices import hash_secret, new_secret, seal
from ..circles.players import read_owner
from .answers import NO, PERHAPS, read_coming
from .evenings import Meeting, list_meetings

BEHIND = 30  # days
AHEAD = timedelta(days=366)
MOST = 60  # days of one evening: more than weeks in that time


def list_feeds(browser: Browser) -> list[CalendarFeed]:
    """List the calendars of a browser: of its circle, and of its owner."""
    is_own = (CalendarFeed.circle_id == browser.circle_id, CalendarFeed.browser_id == browser.id)
    return list(db.session.scalars(select(CalendarFeed).where(*is_own)))


def renew_feed(browser: Browser, is_personal: bool, seen: str, device_secret: str) -> None:
    """Make the address of a calendar; an earlier one of this kind and browser opens no more.

    Nothing is done unless that is still the one with the hash `seen`, blank if there was none: a tap may come twice.

    Raises:
        CircleErasedError, AccessRevokedError: there is no such circle any more, or no access to it.
    """
    secret, browser_id = new_secret(), get_id(browser)
    sealed = seal(device_secret, secret)

    def work(circle: Circle) -> None:
        key = (browser_id, is_personal, circle.id)
        feed = db.session.get(CalendarFeed, key, populate_existing=True)
        if (feed.secret_hash if feed is not None else "") != seen:
            return
        feed = feed or CalendarFeed(circle_id=circle.id, browser_id=browser_id, is_personal=is_personal)
        feed.secret_hash, feed.sealed_secret, feed.created_at = hash_secret(secret), sealed, now()
        db.session.add(feed)

    write_to_circle(browser.circle_id, work, browser=browser, right=WATCH)


def find_feed(circle: str, secret: str) -> tuple[CalendarFeed, Browser] | None:
    """Return the calendar with this secret in the circle of this name, and whose it is; None without access."""
    is_of_browser = (Browser.circle_id == CalendarFeed.circle_id) & (Browser.id == CalendarFeed.browser_id)
    query = select(CalendarFeed, Browser).join(Browser, is_of_browser).join(Browser.circle)
    is_it = (CalendarFeed.secret_hash == hash_secret(secret), Circle.name == circle)
    found = db.session.execute(query.where(*is_it).options(undefer(Browser.right))).one_or_none()
    return (found[0], found[1]) if found is not None and found[1].right is not None else None


def find_zone(circle: Circle) -> ZoneInfo:
    """Return the zone of the times in a circle's calendars: its own, or UTC on a server whose zone has no name."""
    return load_rules(in_force(circle.time_zone) or UTC_ZONE)


def list_entries(feed: CalendarFeed, browser: Browser, find_url: Callable[[Meeting], str]) -> Iterator[CalendarEntry]:
    """Yield the entries of a calendar: the evenings of the last month and of the next year."""
    circle = browser.circle
    meetings = list_meetings(circle, MOST, BEHIND, AHEAD)
    coming = read_coming(circle, meetings) if feed.is_personal else {}
    owner = read_owner(browser) if feed.is_personal else None
    for meeting in meetings:
        own = coming[meeting.key].by_person.get(owner.id) if owner is not None else None
        if not feed.is_personal or (own is not None and own.answer != NO):
            status = TENTATIVE if own is not None and own.answer == PERHAPS else CONFIRMED
            yield _make_entry(circle, meeting, CANCELLED if meeting.is_cancelled else status, find_url(meeting))


def _make_entry(circle: Circle, meeting: Meeting, status: str, url: str) -> CalendarEntry:
    evening, day = meeting.evening, meeting.day
    # The first keeps its name if it is moved; those after it are named by their day.
    uid = evening.token if day == evening.day else f"{evening.token}-{day:%Y%m%d}"
    begins = utc_moment(datetime.combine(day, time.fromisoformat(evening.begins)), circle.time_zone)
    return CalendarEntry(uid, begins, evening.place, url, status, evening.changes, evening.changed_at)
