"""Dates as locales write them."""

from __future__ import annotations

from datetime import date

import pytest
from babel.localedata import locale_identifiers

from scorekeeper.i18n import dates

SUNDAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("tag", "without_year", "with_year"),
    [
        ("en_GB", "Sunday 22 November", "Sunday, 22 November 2026"),
        ("en_US", "Sunday, November 22", "Sunday, November 22, 2026"),
        ("en_CA", "Sunday, November 22", "Sunday, November 22, 2026"),
        ("fr_FR", "dimanche 22 novembre", "dimanche 22 novembre 2026"),
        ("fr_CH", "dimanche 22 novembre", "dimanche 22 novembre 2026"),
        ("fr_CA", "dimanche 22 novembre", "dimanche 22 novembre 2026"),
        ("de_AT", "Sonntag, 22. November", "Sonntag, 22. November 2026"),
        ("he", "יום ראשון, 22 בנובמבר", "יום ראשון, 22 בנובמבר 2026"),
        ("ja", "11月22日日曜日", "2026年11月22日日曜日"),
    ],
)
def test_a_day_is_written_in_the_order_of_the_locale(tag: str, without_year: str, with_year: str) -> None:
    assert dates.day_in_words(SUNDAY, tag, has_year=False) == without_year
    assert dates.day_in_words(SUNDAY, tag, has_year=True) == with_year


@pytest.mark.parametrize(
    ("tag", "day", "short_day", "month", "short_month"),
    [
        ("en_GB", "22 November 2026", "22 Nov", "November 2026", "Nov 2026"),
        ("en_US", "November 22, 2026", "Nov 22", "November 2026", "Nov 2026"),
        ("fr_CA", "22 novembre 2026", "22 nov.", "novembre 2026", "nov. 2026"),
        ("de_CH", "22. November 2026", "22. Nov.", "November 2026", "Nov. 2026"),
    ],
)
def test_days_and_months(tag: str, day: str, short_day: str, month: str, short_month: str) -> None:
    assert dates.long_day(SUNDAY, tag) == day
    assert dates.short_day(SUNDAY, tag) == short_day
    assert dates.month_in_words(SUNDAY, tag) == month
    assert dates.short_month(SUNDAY, tag) == short_month


@pytest.mark.parametrize(("tag", "day"), [("fr_CH", "dimanche 1er février"), ("de", "Sonntag, 1. Februar")])
def test_the_first_of_a_month_is_written_as_the_language_does(tag: str, day: str) -> None:
    assert dates.day_in_words(date(2026, 2, 1), tag, has_year=False) == day
    assert dates.day_in_words(date(2026, 2, 1), tag, has_year=True) == f"{day} 2026"
    assert "1er" not in dates.month_in_words(date(2026, 2, 1), tag)


def test_every_locale_can_write_every_kind_of_date() -> None:
    for tag in locale_identifiers():
        assert "22" in dates.day_in_words(SUNDAY, tag, has_year=False) or not tag.isascii(), tag
        assert dates.short_month(SUNDAY, tag)
