"""The names of time zones, and the list to choose one from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from babel import Locale
from babel.dates import get_timezone_gmt
from flask import g

from ...db.clock import now
from ...i18n import sorted_by_name
from ...models import Circle
from ...time_zones import UTC_ZONE, in_force, inhabited, is_known, local_time

_FIXED = "Etc"  # the region of zones without a place; in their names the sign of the offset is the wrong way round


class Region(NamedTuple):
    """A part of the world, by its message's key, with the names of its zones by zone, in order of name."""

    key: str
    zones: Sequence[tuple[str, str]]


def zone_name(zone: str | None) -> str:
    """Return the name of a zone's place, or its distance from UTC; of the server's zone for None."""
    known = in_force(zone)
    if known is None or (known.startswith(_FIXED) and known != UTC_ZONE):
        return str(get_timezone_gmt(local_time(now(), known), locale=g.language))
    return _place_name(known, g.language)


def choices(circle: Circle) -> list[Region]:
    """Return the zones to choose from by region, the circle's own among them."""
    regions, own = _regions(g.language), circle.time_zone
    if own is None or not is_known(own) or own in inhabited():
        return regions
    return [Region("own", [(own, zone_name(own))]), *regions]


@cache
def _regions(language: str) -> list[Region]:
    named = groupby(inhabited(), lambda zone: zone.split("/")[0])
    regions = [Region(key.lower(), [(zone, _place_name(zone, language)) for zone in zones]) for key, zones in named]
    return [region._replace(zones=sorted_by_name(region.zones, itemgetter(1))) for region in regions]


def _place_name(zone: str, language: str) -> str:
    if zone == UTC_ZONE:
        return "UTC"
    place = Locale.parse(language).time_zones.get(zone, {}).get("city")
    return str(place or zone.rsplit("/", maxsplit=1)[-1].replace("_", " "))
