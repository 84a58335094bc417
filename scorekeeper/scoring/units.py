"""Units: the kinds of counters that a game is paid in, and what they are worth."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence

SUBUNITS_PER_UNIT = 9_000_000  # of a currency; stored amounts are multiples of 1/9,000,000, so it never changes
MAX_VALUE_UNIT_LENGTH = 8  # characters, as stored

_NAME = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]")
_RESERVED = frozenset({"points", "to", "from", "reason"})  # keys of an adjustment


def value_unit(unit: str) -> str:
    """Return the name of one counter, as the value of a sheet uses it: `fiche` for the unit `fiches`."""
    return unit.removesuffix("s")


def check_units(units: Sequence[str], worth: Mapping[str, int]) -> None:
    """Check how a game declares its units.

    Raises:
        ValueError: A name cannot be a key of a sheet, or a worth is impossible.
    """
    for unit in units:
        if not _NAME.fullmatch(unit) or unit in _RESERVED or keyword.iskeyword(unit):
            raise ValueError(f"units: {unit!r} cannot be the name of a unit")
        if len(value_unit(unit)) > MAX_VALUE_UNIT_LENGTH:
            raise ValueError(f"units: {unit!r} is longer than {MAX_VALUE_UNIT_LENGTH} letters and an s")
    if len({value_unit(unit) for unit in units}) < len(units):
        raise ValueError("units: two have the same name")
    for unit, number in worth.items():
        if unit not in units:
            raise ValueError(f"worth: {unit!r} is not among the units")
        if type(number) is not int or number < 1:
            raise ValueError(f"worth: {unit} must be worth a whole number from 1")
    sizes = [worth.get(unit, 1) for unit in units]
    if sizes[:1] not in ([], [1]):
        raise ValueError(f"worth: {units[0]} is the smallest unit, so it is worth 1")
