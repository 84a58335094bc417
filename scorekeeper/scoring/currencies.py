"""The currencies that people can pay with, from Unicode CLDR."""

from __future__ import annotations

from functools import cache

from babel.core import get_global

_SINCE = (2026, 1, 1)  # what has been legal tender since then stays readable, even where another takes its place


@cache
def list_currencies() -> tuple[str, ...]:
    """Return the ISO 4217 codes of all legal tenders: neither metals, funds and codes for tests nor former money."""
    periods = (period for of_place in get_global("territory_currencies").values() for period in of_place)
    return tuple(sorted({code for code, _, end, is_tender in periods if is_tender and (end is None or end >= _SINCE)}))
