"""The days of evenings that repeat, checked against a calendar, and the tables that people make."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.repeating import FORTNIGHT, LAST, MONTH, SEATS, WEEK, count_tables, find_week, list_days

FIRST, SINCE, UNTIL = date(2026, 12, 4), date(2026, 12, 1), date(2027, 2, 28)


@pytest.mark.parametrize(
    ("first", "repeats", "days"),
    [
        (FIRST, "", "2026-12-04"),
        (date(2026, 11, 27), "", ""),
        (FIRST, FORTNIGHT, "2026-12-04 2026-12-18 2027-01-01 2027-01-15 2027-01-29 2027-02-12 2027-02-26"),
        (date(2026, 11, 24), WEEK, " ".join(str(date(2026, 12, 1) + timedelta(weeks=n)) for n in range(13))),
        (date(2026, 9, 11), MONTH, "2026-12-11 2027-01-08 2027-02-12"),
        (date(2026, 7, 31), MONTH, "2026-12-25 2027-01-29 2027-02-26"),  # the fifth Friday: the last one
        (date(2027, 3, 5), MONTH, ""),
    ],
)
def test_an_evening_takes_place_on_the_days_that_a_calendar_shows(first: date, repeats: str, days: str) -> None:
    assert [day.isoformat() for day in list_days(first, repeats, SINCE, UNTIL)] == days.split()


@given(first=st.dates(date(2020, 1, 1), date(2030, 1, 1)), ahead=st.integers(0, 900))
def test_a_monthly_evening_keeps_its_weekday_and_its_place_in_every_month(first: date, ahead: int) -> None:
    since = first + timedelta(days=ahead)
    days = list_days(first, MONTH, since, since + timedelta(days=400))
    months = {(day.year, day.month) for day in days}
    assert len(months) == len(days) >= 12
    for day in days:
        assert day.weekday() == first.weekday()
        is_last = (day + timedelta(weeks=1)).month != day.month
        assert is_last if find_week(first) == LAST else find_week(day) == find_week(first)


@given(people=st.integers(0, 400))
def test_who_is_missing_completes_one_more_table(people: int) -> None:
    tables, missing = count_tables(people)
    assert 0 <= missing < SEATS
    assert people + missing == SEATS * (tables + (missing > 0))
