"""Circles: creating one, the recovery reminder, and erasing it."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import DateTime, Select, delete, func, select, update

from ... import time_zones
from ...db.clock import now
from ...db.engine import forget_deleted
from ...db.transactions import CircleErasedError, get_id, write, write_to_circle
from ...limits import MAX_CIRCLE_TEXT
from ...models import (
    HOST,
    RIGHTS,
    SCORE,
    Base,
    Browser,
    BrowserLink,
    CalendarFeed,
    Circle,
    Confirmation,
    DrawnRound,
    Entrant,
    EntrantSubstitution,
    EveningAnswer,
    Event,
    EventPhone,
    Handicap,
    Link,
    NoticeSubscription,
    Part,
    Payment,
    PlannedEvening,
    Player,
    Presence,
    ResultConfirmation,
    Revision,
    RoundResult,
    RoundTable,
    Season,
    Seat,
    Settlement,
    Summary,
    Table,
    db,
    may,
)
from ...scoring.problems import Problem
from ...scoring.values import clean_name
from ..access import add_link, browser_for, browsers_of_device, delete_unused, get_device, new_secret, seal, store_link

TEXTS = {"title": MAX_CIRCLE_TEXT, "motto": MAX_CIRCLE_TEXT}  # and how long they may be
SETTINGS = (*TEXTS, "settles_games_together", "confirms_payments", "shows_ratings")


def change_setting(circle: Circle, name: str, value: str | bool, by: Browser | None = None) -> Problem | None:
    """Set a text, or turn a choice on or off; a blank text is none. Return what is wrong with the text, if anything."""
    if isinstance(value, str):
        value = clean_name(value)
        if len(value) > TEXTS[name]:
            return Problem(name, "long-text", {"most": TEXTS[name]})

    def change(locked: Circle) -> None:
        setattr(locked, name, None if value == "" else value)

    write_to_circle(get_id(circle), change, browser=by, right=HOST)
    return None


class NewCircle(NamedTuple):
    """A circle's first browser, and the secret of its device."""

    browser: Browser
    secret: str


def create_circle(
    device_secret: str | None = None, sample_title: str | None = None, zone: str = ""
) -> tuple[NewCircle, dict[str, str]]:
    """Make a circle with a link for each right, and its first browser, a host; return the links' secrets by right.

    Without `device_secret` the host is a new device. `sample_title` makes it a sample circle with that title. `zone` is
    what the device calls its time zone: an unknown name is ignored, and the server's zone is used.
    """
    secret = device_secret or new_secret()
    return write(lambda: _add_circle(secret, sample_title, zone))


def circle_to_score_in(device_secret: str, zone: str = "") -> Browser:
    """Return the device's browser in the newest circle it may score in; create a circle if there is none.

    Two concurrent requests of a device create one circle. `zone` is what the device calls its time zone.
    """

    def find_or_add() -> Browser:
        get_device(device_secret)
        mine = [browser for browser in browsers_of_device(device_secret) if not browser.circle.is_sample]
        scoring = [browser for browser in mine if may(browser.right, SCORE)]
        if scoring:
            return max(scoring, key=lambda browser: browser.id)
        return _add_circle(device_secret, zone=zone)[0].browser

    return write(find_or_add)


def _add_circle(
    device_secret: str, sample_title: str | None = None, zone: str = ""
) -> tuple[NewCircle, dict[str, str]]:
    circle = Circle(name=secrets.token_urlsafe(9), created_at=now(), time_zone=time_zones.parse(zone))
    if sample_title is not None:
        circle.title, circle.is_sample, circle.recovery_at = sample_title, True, now()  # needs no recovery sheet
    db.session.add(circle)
    db.session.flush()
    browser = browser_for(circle, get_device(device_secret))
    return NewCircle(browser, device_secret), add_links(circle, browser, device_secret)


def add_links(circle: Circle, host: Browser | None = None, device_secret: str = "") -> dict[str, str]:
    """Add a link for each right in the caller's transaction, and return their secrets by right.

    `host` is the browser of the device that gets them, if any does.
    """
    link_secrets = {}
    for right in RIGHTS:
        link, link_secrets[right] = add_link(circle, right)
        if host is not None:
            store_link(host, link, seal(device_secret, link_secrets[right]), joined=right == HOST)
    return link_secrets


def dismiss_recovery_reminder(circle: Circle, by: Browser) -> None:
    """Store that a host has seen the recovery sheet or dismissed the reminder."""

    def work(circle: Circle) -> None:
        circle.recovery_at = circle.recovery_at or now()

    if circle.recovery_at is None:
        write_to_circle(circle.id, work, browser=by, right=HOST)


# --- erasing -----------------------------------------------------------------------------------------------


class Holdings(NamedTuple):
    """The numbers of a circle's tables, recorded deals, persons and events."""

    tables: int
    deals: int
    players: int
    events: int


def count_holdings(circle: Circle) -> Holdings:
    """Count what erasing the circle would delete."""
    deals = func.coalesce(func.sum(Summary.data["deals"].as_integer()), 0)
    tables = select(func.count(Table.id), deals).outerjoin(Table.summary).where(Table.circle_id == circle.id)
    persons = select(func.count(Player.id)).where(Player.circle_id == circle.id, Player.person_id.is_(None))
    counted, played = db.session.execute(tables).one()
    events = select(func.count(Event.id)).where(Event.circle_id == circle.id)
    return Holdings(counted, played, db.session.scalar(persons) or 0, db.session.scalar(events) or 0)


def erase_circle(
    circle_id: int, by: Browser | None = None, is_agreed: Callable[[Circle], bool] = lambda _circle: True
) -> bool:
    """Delete a circle and everything in it, irreversibly, if `is_agreed` returns True for the locked circle.

    Nothing else in the app deletes recorded facts. Devices that were in no other circle are deleted as well.
    Returns True also if another request has just erased the circle.

    Raises:
        AccessRevokedError: the browser's access ended meanwhile.
    """

    def erase(circle: Circle) -> bool:
        agreed = is_agreed(circle)
        if agreed:
            _erase(circle_id)
        return agreed

    try:
        agreed = write_to_circle(circle_id, erase, browser=by, right=HOST)
    except CircleErasedError:
        return True
    if agreed:
        forget_deleted()
    return agreed


# What belongs to events, evenings to come, seasons and notices, children before parents.
_OF_EVENTS = (
    NoticeSubscription,
    Handicap,
    Season,
    EveningAnswer,
    PlannedEvening,
    CalendarFeed,
    ResultConfirmation,
    RoundResult,
    RoundTable,
    DrawnRound,
    EventPhone,
    EntrantSubstitution,
    Entrant,
    Event,
)


def _erase(circle_id: int) -> None:
    tables = select(Table.id).where(Table.circle_id == circle_id)
    settlements = select(Settlement.id).where(Settlement.circle_id == circle_id)
    payments = select(Payment.id).where(Payment.circle_id == circle_id)
    browsers = select(Browser.id).where(Browser.circle_id == circle_id)
    devices = list(db.session.scalars(select(Browser.device_id).where(Browser.circle_id == circle_id)))
    # Clear self-references, then delete children before parents.
    for statement in (
        update(Settlement).where(Settlement.circle_id == circle_id).values(successor_id=None),
        update(Player).where(Player.circle_id == circle_id).values(person_id=None),
        delete(Confirmation).where(Confirmation.circle_id == circle_id, Confirmation.payment_id.in_(payments)),
        delete(Payment).where(Payment.circle_id == circle_id),
        delete(Part).where(Part.circle_id == circle_id, Part.settlement_id.in_(settlements)),
        delete(Settlement).where(Settlement.circle_id == circle_id),
        *(delete(model).where(model.circle_id == circle_id) for model in _OF_EVENTS),
        delete(Summary).where(Summary.circle_id == circle_id, Summary.table_id.in_(tables)),
        delete(Revision).where(Revision.circle_id == circle_id, Revision.table_id.in_(tables)),
        delete(Seat).where(Seat.circle_id == circle_id, Seat.table_id.in_(tables)),
        delete(Table).where(Table.circle_id == circle_id),
        delete(BrowserLink).where(BrowserLink.circle_id == circle_id, BrowserLink.browser_id.in_(browsers)),
        delete(Link).where(Link.circle_id == circle_id),
        delete(Browser).where(Browser.circle_id == circle_id),
        delete(Presence).where(Presence.circle_id == circle_id),
        delete(Player).where(Player.circle_id == circle_id),
        delete(Circle).where(Circle.id == circle_id),
    ):
        db.session.execute(statement, execution_options={"synchronize_session": False})
    delete_unused(devices)


# --- all circles of a server for its host: how large each is, and when it was last used


class ListedCircle(NamedTuple):
    """A circle; its numbers of rows, tables and phones that have access; the time of the last write, in UTC."""

    id: int
    name: str
    title: str | None
    is_sample: bool
    rows: int
    tables: int
    phones: int
    used_at: datetime


def list_circles(unused_days: int = 0) -> list[ListedCircle]:
    """List the circles in which nothing was written for so many days, the one used last at the end.

    Who only reads leaves no trace.
    """
    circles = db.session.scalars(select(Circle)).all()
    rows = Counter({circle.id: 1 for circle in circles})
    used_at = {circle.id: circle.created_at for circle in circles}
    for table in Base.metadata.tables.values():
        if "circle_id" not in table.c:
            continue
        times = [func.max(column) for column in table.c if isinstance(column.type, DateTime)]
        query = select(table.c.circle_id, func.count(), *times).group_by(table.c.circle_id)
        for circle_id, count, *latest in db.session.execute(query):
            if circle_id in used_at:
                rows[circle_id] += count
                used_at[circle_id] = max([used_at[circle_id], *filter(None, latest)])
    tables = _counts(select(Table.circle_id, func.count()).group_by(Table.circle_id))
    phones = _counts(
        select(Browser.circle_id, func.count()).where(Browser.right.is_not(None)).group_by(Browser.circle_id)
    )
    listed = [
        ListedCircle(
            circle.id,
            circle.name,
            circle.title,
            circle.is_sample,
            rows[circle.id],
            tables[circle.id],
            phones[circle.id],
            used_at[circle.id],
        )
        for circle in circles
    ]
    before = now() - timedelta(days=unused_days)
    return sorted((circle for circle in listed if circle.used_at <= before), key=lambda circle: circle.used_at)


def _counts(query: Select[int, int]) -> Counter[int]:
    return Counter({row[0]: row[1] for row in db.session.execute(query)})
