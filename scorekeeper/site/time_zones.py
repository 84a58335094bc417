"""Time zones: their names, the local time in them, and the evening a moment belongs to.

A zone is named as in the IANA database ("America/Vancouver"). None stands for the server's own zone, as do names that
this server does not know, which a backup from elsewhere may contain. The rules are those of the pinned package `tzdata`
and not of the system, which may have old ones or none: so a circle has the same evenings on every machine.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo, available_timezones, reset_tzpath

from babel.core import get_global
from babel.localtime import get_localzone

from ..models import now

EVENING_END = timedelta(hours=5)  # after midnight
UTC_ZONE = "Etc/UTC"
_PLACEHOLDER = "Factory"  # the name of no zone: a computer that is not set up yet

reset_tzpath(())  # so that `ZoneInfo` reads the package


def parse(name: str) -> str | None:
    """Return the current name of a time zone, which may have been renamed; None if there is none of this name."""
    if not is_known(name):
        return None
    current = str(get_global("zone_aliases").get(name, name))
    return current if is_known(current) else name


def is_known(name: str) -> bool:
    return name in _known_names()


def local_time(moment: datetime, zone: str | None) -> datetime:
    return moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone) if zone is not None and is_known(zone) else None)


def utc_moment(local: datetime, zone: str | None) -> datetime:
    """Return the moment at which clocks in this zone show a naive datetime, as an aware one in UTC."""
    aware = local.replace(tzinfo=ZoneInfo(zone)) if zone is not None and is_known(zone) else local.astimezone()
    return aware.astimezone(UTC)


def find_evening(moment: datetime, zone: str | None) -> date:
    """Return the evening of a naive UTC datetime in this zone. An evening ends when clocks show 5 in the morning."""
    return (local_time(moment, zone).replace(tzinfo=None) - EVENING_END).date()


def find_today(zone: str | None) -> date:
    """Return the evening of now: what is on it or after is still to come."""
    return find_evening(now(), zone)


@cache
def inhabited_zones() -> tuple[str, ...]:
    """Return the zones to choose from, in order of name: those of places where people live, and UTC."""
    lines = resources.files("tzdata").joinpath("zoneinfo", "zone.tab").read_text(encoding="utf-8").splitlines()
    names = {line.split("\t")[2] for line in lines if line and not line.startswith("#")}
    return (*sorted(names), UTC_ZONE)


def effective_zone(zone: str | None) -> str | None:
    """Return the name of the zone that times are in; None if it is the server's and has no name."""
    return zone if zone is not None and is_known(zone) else server_zone()


def server_zone() -> str | None:
    """Return the name of the server's own zone; None if the system does not give one that matches its clock."""
    try:
        name = parse(getattr(get_localzone(), "key", ""))
    except (LookupError, ValueError):  # TZ is not the name of a zone
        return None
    now = datetime.now(UTC)
    matches = name is not None and now.astimezone(ZoneInfo(name)).utcoffset() == now.astimezone().utcoffset()
    return name if matches else None


@cache
def _known_names() -> frozenset[str]:
    return frozenset(available_timezones()) - {_PLACEHOLDER}
