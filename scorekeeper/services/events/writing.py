"""Writing to an event: under its circle's lock, with the right checked again."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from sqlalchemy import bindparam, select
from sqlalchemy.orm import contains_eager, undefer

from ...db.transactions import (
    IS_PHONE,
    AccessRevokedError,
    CircleErasedError,
    RightRevokedError,
    get_id,
    write_to_circle,
)
from ...models import SCORE, WATCH, Browser, Circle, Device, Event, EventPhone, db, may
from ..access import hash_secret

T = TypeVar("T")

VIEW = "view"  # to see who sits where, and the results
PLAY = "play"  # to send the results of one table
DIRECT = "direct"  # everything


class EventAccess(NamedTuple):
    """A browser that may at least see an event; `phone` is None if it has not joined by a valid link of the event."""

    event: Event
    browser: Browser
    phone: EventPhone | None

    @property
    def is_guest(self) -> bool:
        """Whether the browser has access to the event, and to nothing else of its circle."""
        return self.browser.right is None

    @property
    def table(self) -> int | None:
        """The number of the table whose phone this is."""
        return self.phone.table_number if self.phone is not None else None

    def may(self, needed: str, table: int | None = None) -> bool:
        """Return whether the browser may do this, and to PLAY at this table."""
        if may(self.browser.right, SCORE) or needed == VIEW:
            return True
        return needed == PLAY and self.table is not None and self.table == table


_BROWSERS = (
    select(Event, Browser, EventPhone)
    .join(Event.circle)
    .join(Circle.browsers)
    .outerjoin(EventPhone, IS_PHONE & (EventPhone.browser_id == Browser.id))
    .where(Browser.revoked_at.is_(None))
    .options(contains_eager(Event.circle), undefer(Browser.right))  # the browser's circle is the event's
)
# Built once: every page of an event begins with it.
_READER = _BROWSERS.join(Browser.device).where(
    Event.token == bindparam("token"), Device.secret_hash == bindparam("secret_hash")
)
_WRITER = _BROWSERS.where(
    Event.circle_id == bindparam("circle_id"), Event.id == bindparam("event_id"), Browser.id == bindparam("browser_id")
)


def read_access(device_secret: str, token: str) -> EventAccess | None:
    """Return the access of a device to the event with this token; None if it has none, or there is no such event."""
    row = db.session.execute(_READER, {"token": token, "secret_hash": hash_secret(device_secret)}).one_or_none()
    return _access(EventAccess(*row)) if row is not None else None


def _access(found: EventAccess) -> EventAccess | None:
    return found if may(found.browser.right, WATCH) or found.phone is not None else None


def check_access(circle_id: int, event_id: int, browser_id: int, needed: str, table: int | None = None) -> EventAccess:
    """Return the browser's access to the event as it is now; the caller holds the circle's lock.

    Raises:
        AccessRevokedError: the browser's access to the event ended meanwhile.
        RightRevokedError: it may still see the event, and no longer do this.
    """
    ids = {"circle_id": circle_id, "event_id": event_id, "browser_id": browser_id}
    row = db.session.execute(_WRITER, ids, execution_options={"populate_existing": True}).one_or_none()
    access = _access(EventAccess(*row)) if row is not None else None
    if access is None:
        raise AccessRevokedError
    if not access.may(needed, table):
        raise RightRevokedError
    return access


def write_to_event(event: Event, work: Callable[[Event], T], by: Browser) -> T:
    """Run `work` on the event as it is now, with the circle's lock; `by` needs the right to score in the circle.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser's access ended meanwhile, or its right.
    """
    id_ = get_id(event)
    return write_to_circle(event.circle_id, lambda circle: work(_read_locked(circle, id_)), browser=by, right=SCORE)


def write_at_table(
    event: Event, table_number: int, work: Callable[[Event, EventAccess], T], by: Browser, needs: str = PLAY
) -> T:
    """Run `work` as `write_to_event` does, with the browser's access; the phone of this table may write too.

    `needs`: DIRECT if it may not.

    Raises:
        CircleErasedError: the circle, or the event, is no longer there.
        AccessRevokedError, RightRevokedError: the browser may no longer write at this table.
    """
    id_, browser_id = get_id(event), get_id(by)

    def check_and_work(circle: Circle) -> T:
        locked = _read_locked(circle, id_)
        return work(locked, check_access(circle.id, id_, browser_id, needs, table_number))

    return write_to_circle(event.circle_id, check_and_work)


def _read_locked(circle: Circle, event_id: int) -> Event:
    query = select(Event).where(Event.circle_id == circle.id, Event.id == event_id)
    event = db.session.scalar(query.execution_options(populate_existing=True))
    if event is None:
        raise CircleErasedError
    return event
