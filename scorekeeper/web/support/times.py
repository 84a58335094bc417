"""Times and dates on pages, in the reader's language."""

from __future__ import annotations

from datetime import UTC, date, datetime

from babel.dates import format_date, format_datetime
from flask import Flask, g
from markupsafe import Markup


def init_app(app: Flask) -> None:
    """Register the template globals."""
    app.jinja_env.globals.update(
        moment=moment,
        day_in_words=day_in_words,
        served_at=lambda: datetime.now(UTC).isoformat(timespec="seconds"),
    )


def moment(at: datetime) -> Markup:
    """Return a <time> element for a naive UTC time, in the server's time zone; a script converts it to the reader's."""
    aware = at.replace(tzinfo=UTC)
    text = format_datetime(aware.astimezone(), "short", locale=g.language)
    return Markup('<time datetime="{}">{}</time>').format(aware.isoformat(timespec="seconds"), text)


def day_in_words(day: date) -> str:
    """Format a date: Saturday 21 November; with its year if it is not the current one."""
    pattern = "EEEE d MMMM" if day.year == datetime.now(UTC).year else "EEEE d MMMM y"
    return format_date(day, pattern, locale=g.language)
