"""The days of an evening that repeats, and the tables of four that the people who come make."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

WEEK, FORTNIGHT, MONTH = "week", "fortnight", "month"
REPEATS = (WEEK, FORTNIGHT, MONTH)  # how an evening may repeat
_STEPS = {WEEK: 7, FORTNIGHT: 14}  # days
LAST = 5  # stands for the last weekday of a month: not every month has a fifth one
SEATS = 4  # of a full table
LATEST = date(9999, 1, 1)  # no day is later: dates end soon after


def list_days(first: date, repeats: str, since: date, until: date) -> list[date]:
    """List the days from `since` to `until`, both included, of an evening that begins on `first`.

    By the month it keeps the weekday: on the second Friday, or on the last one if `first` is the fifth.
    """
    since, until = max(first, since), min(until, LATEST)
    if since > until:
        return []
    if repeats == MONTH:
        return [day for day in _list_monthly(first, since, until) if since <= day <= until]
    if not repeats:
        return [first] if since == first else []
    step = _STEPS[repeats]
    return [since + timedelta(days) for days in range((first - since).days % step, (until - since).days + 1, step)]


def _list_monthly(first: date, since: date, until: date) -> Iterator[date]:
    month = since.replace(day=1)
    while month <= until:
        yield _find_weekday(month, first.weekday(), find_week(first))
        month = _find_next_month(month)


def find_week(day: date) -> int:
    """Return which weekday of its month a day is: 1 for the first Friday, `LAST` for the fifth."""
    return (day.day - 1) // 7 + 1


def _find_weekday(month: date, weekday: int, week: int) -> date:
    """Return a weekday of the month that begins on this day; the last one for the fifth."""
    day = month + timedelta(days=(weekday - month.weekday()) % 7, weeks=week - 1)
    return day if day < _find_next_month(month) else day - timedelta(weeks=1)


def _find_next_month(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def count_tables(people: int) -> tuple[int, int]:
    """Return how many full tables so many people make, and how many people the next one misses, if it is begun."""
    return people // SEATS, -people % SEATS
