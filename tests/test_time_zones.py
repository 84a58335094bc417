"""Names of time zones, and the evening a moment belongs to."""

from __future__ import annotations

import time
import zoneinfo
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorekeeper.time_zones import UTC_ZONE, find_evening, inhabited, local_time, parse, server_zone, utc_moment

LONDON, VANCOUVER = "Europe/London", "America/Vancouver"
NOON = datetime(2025, 11, 21, 12)


def move(monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()


@pytest.fixture(autouse=True)
def restored_clock() -> Iterator[None]:
    yield
    time.tzset()


def test_the_hours_after_midnight_belong_to_the_evening_before() -> None:
    assert find_evening(datetime(2026, 11, 21, 4, 59, 59), UTC_ZONE) == date(2026, 11, 20)
    assert find_evening(datetime(2026, 11, 21, 5), UTC_ZONE) == date(2026, 11, 21)
    assert find_evening(datetime(2026, 11, 20, 23), UTC_ZONE) == date(2026, 11, 20)


@given(moment=st.datetimes(datetime(2026, 1, 1), datetime(2028, 1, 1)), zone=st.sampled_from((LONDON, VANCOUVER, None)))
def test_a_moment_is_found_again_by_what_clocks_show_then(moment: datetime, zone: str | None) -> None:
    shown = local_time(moment, zone)
    found = utc_moment(shown.replace(tzinfo=None), zone)
    twice = timedelta(hours=1) if shown.fold else timedelta()  # in autumn: then it is the first of the two
    assert found.replace(tzinfo=None) == moment - twice


def test_without_a_zone_an_evening_follows_the_clock_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for zone, day in ((VANCOUVER, date(2025, 11, 20)), ("UTC", date(2025, 11, 21))):
        move(monkeypatch, zone)
        assert find_evening(NOON, None) == day  # in Vancouver it is four in the morning
        assert find_evening(NOON, "Atlantis/Capital") == day
    monkeypatch.undo()


def test_with_a_zone_the_clock_of_the_server_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    for zone in (VANCOUVER, "UTC", "Pacific/Kiritimati"):
        move(monkeypatch, zone)
        assert find_evening(NOON, VANCOUVER) == date(2025, 11, 20)
    monkeypatch.undo()


@pytest.mark.parametrize(
    ("zone", "moment", "day"),
    [
        # Fourteen hours before UTC, and twelve behind it: the farthest there are, and the farthest of fixed ones.
        ("Pacific/Kiritimati", datetime(2026, 11, 21, 14, 59), date(2026, 11, 21)),
        ("Pacific/Kiritimati", datetime(2026, 11, 21, 15), date(2026, 11, 22)),
        ("Etc/GMT-14", datetime(2026, 12, 31, 15), date(2027, 1, 1)),
        ("Etc/GMT+12", datetime(2026, 11, 21, 16, 59), date(2026, 11, 20)),
        ("Etc/GMT+12", datetime(2026, 11, 21, 17), date(2026, 11, 21)),
        ("Asia/Kathmandu", datetime(2026, 11, 20, 23, 14), date(2026, 11, 20)),  # 5:45 ahead
        ("Asia/Kathmandu", datetime(2026, 11, 20, 23, 15), date(2026, 11, 21)),
        # Clocks go back at 2:00 on 2 November, and forward at 2:00 on 9 March.
        (VANCOUVER, datetime(2025, 11, 2, 12, 59), date(2025, 11, 1)),
        (VANCOUVER, datetime(2025, 11, 2, 13), date(2025, 11, 2)),
        (VANCOUVER, datetime(2025, 11, 1, 11, 59), date(2025, 10, 31)),
        (VANCOUVER, datetime(2025, 3, 9, 11, 59), date(2025, 3, 8)),
        (VANCOUVER, datetime(2025, 3, 9, 12), date(2025, 3, 9)),
        (LONDON, datetime(2026, 3, 29, 3, 59), date(2026, 3, 28)),
        (LONDON, datetime(2026, 3, 29, 4), date(2026, 3, 29)),
        (LONDON, datetime(2026, 10, 25, 4, 59), date(2026, 10, 24)),
        (LONDON, datetime(2026, 10, 25, 5), date(2026, 10, 25)),
    ],
)
def test_an_evening_ends_when_clocks_show_five(zone: str, moment: datetime, day: date) -> None:
    assert find_evening(moment, zone) == day


@given(st.sampled_from(inhabited()), st.datetimes(datetime(1990, 1, 1), datetime(2035, 1, 1)), st.integers(0, 48 * 60))
def test_later_moments_never_belong_to_an_earlier_evening(zone: str, moment: datetime, minutes: int) -> None:
    """Also while clocks change. Islands have crossed the date line, so a day may be missing or come twice."""
    later = moment + timedelta(minutes=minutes)
    assert find_evening(later, zone) >= find_evening(moment, zone) - timedelta(days=1)
    if zone in (VANCOUVER, LONDON):
        assert find_evening(later, zone) >= find_evening(moment, zone)
    assert local_time(moment, zone).astimezone(UTC).replace(tzinfo=None) == moment


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


def test_every_zone_to_choose_from_has_rules_and_its_current_name() -> None:
    assert len(inhabited()) > 400
    for zone in inhabited():
        assert parse(zone) == zone
        assert ZoneInfo(zone).key == zone


def test_the_systems_own_database_is_not_needed() -> None:
    zoneinfo.reset_tzpath(to=())
    ZoneInfo.clear_cache()
    try:
        assert find_evening(NOON, VANCOUVER) == date(2025, 11, 20)
    finally:
        zoneinfo.reset_tzpath()


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
