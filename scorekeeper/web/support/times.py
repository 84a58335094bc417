"""Times and dates on pages, in the circle's time zone and the reader's language."""

from __future__ import annotations

from datetime import UTC, date, datetime

from babel.dates import format_datetime, format_time
from flask import Flask, g
from markupsafe import Markup

from ... import time_zones
from ...db.clock import now
from ...i18n import dates
from ...models import Circle
from ...time_zones import local_time


def init_app(app: Flask) -> None:
    """Register the template globals."""
    app.jinja_env.globals.update(
        moment=moment,
        find_evening=find_evening,
        day_in_words=day_in_words,
        served_at=lambda: datetime.now(UTC).isoformat(timespec="seconds"),
    )


def find_zone(circle: Circle | None = None) -> str | None:
    """Return the name of a circle's time zone, by default the page's circle; None for the server's.

    Everybody at a table sees the same times. A page outside a circle has the server's.
    """
    if circle is None:
        circle = g.browser.circle if "browser" in g else g.get("circle")
    return circle.time_zone if circle is not None else None


def moment(at: datetime, circle: Circle | None = None) -> Markup:
    """Return a <time> element for a naive UTC time, in the circle's time zone; of today, only the time.

    A script adds what time that is on the device, if it differs.
    """
    local, today = local_time(at, find_zone(circle)), local_time(now(), find_zone(circle)).date()
    form = format_time if local.date() == today else format_datetime
    text = form(local, "short", locale=g.language)
    return Markup('<time datetime="{}">{}</time>').format(local.isoformat(timespec="seconds"), text)


def current_time() -> str:
    """Return the time of day in the circle's time zone."""
    return str(format_time(local_time(now(), find_zone()), "short", locale=g.language))


def find_evening(at: datetime, circle: Circle | None = None) -> date:
    """Return the evening of a naive UTC time, in the circle's time zone."""
    return time_zones.find_evening(at, find_zone(circle))


def day_in_words(day: date) -> str:
    """Format a date: Saturday 21 November; with its year if it is not the current one."""
    return dates.day_in_words(day, g.language, has_year=day.year != local_time(now(), find_zone()).year)
