"""The current time, as it is stored."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time in UTC, as a naive datetime, since SQLite stores no time zone."""
    return datetime.now(UTC).replace(tzinfo=None)
