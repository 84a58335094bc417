"""Names of time zones, and the evening a moment belongs to."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date, datetime

import pytest

from scorekeeper.site.time_zones import UTC_ZONE, find_evening, parse, server_zone

LONDON, VANCOUVER = "Europe/London", "America/Vancouver"


def move(monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()


@pytest.fixture(autouse=True)
def restored_clock() -> Iterator[None]:
    yield
    time.tzset()


@pytest.mark.parametrize(
    ("zone", "moment", "day"),
    [
        ("Pacific/Kiritimati", datetime(2026, 11, 21, 14, 59), date(2026, 11, 21)),
        ("Pacific/Kiritimati", datetime(2026, 11, 21, 15), date(2026, 11, 22)),
        ("Asia/Kathmandu", datetime(2026, 11, 20, 23, 14), date(2026, 11, 20)),  # 5:45 ahead
        ("Asia/Kathmandu", datetime(2026, 11, 20, 23, 15), date(2026, 11, 21)),
        # Clocks go back at 2:00 on 2 November, and forward at 2:00 on 9 March.
        (VANCOUVER, datetime(2025, 11, 2, 12, 59), date(2025, 11, 1)),
        (VANCOUVER, datetime(2025, 11, 2, 13), date(2025, 11, 2)),
        (VANCOUVER, datetime(2025, 3, 9, 11, 59), date(2025, 3, 8)),
        (VANCOUVER, datetime(2025, 3, 9, 12), date(2025, 3, 9)),
    ],
)
def test_an_evening_ends_when_clocks_show_five(zone: str, moment: datetime, day: date) -> None:
    assert find_evening(moment, zone) == day


# --- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        (VANCOUVER, VANCOUVER),
        ("Asia/Calcutta", "Asia/Kolkata"),
        ("Europe/Kiev", "Europe/Kyiv"),
        ("US/Pacific", "America/Los_Angeles"),
        ("UTC", UTC_ZONE),
        ("Etc/GMT+8", "Etc/GMT+8"),
    ],
)
def test_former_names_become_current_ones(name: str, zone: str) -> None:
    assert parse(name) == zone


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "Atlantis/Capital", "Factory", "localtime", "posixrules", "zone.tab", "tzdata.zi", "__init__.py"),
        *("../../etc/passwd", "/etc/localtime", "Europe/../Europe/London", "Europe/London\0", "Europe/", "Europe"),
        *("europe/london", "x" * 10_000, "\ud800", "Ευρώπη/Αθήνα"),
    ],
)
def test_other_names_are_no_zones(name: str) -> None:
    assert parse(name) is None


@pytest.mark.parametrize(
    ("setting", "zone"),
    [(LONDON, LONDON), ("UTC", UTC_ZONE), ("Asia/Kolkata", "Asia/Kolkata"), ("WAT-1", None), ("GMT+3", None)],
)
def test_the_servers_zone_is_named_if_it_has_a_name(
    monkeypatch: pytest.MonkeyPatch, setting: str, zone: str | None
) -> None:
    move(monkeypatch, setting)
    found = server_zone()
    monkeypatch.undo()
    assert found == zone
