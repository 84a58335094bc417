"""What differs from one game to another, as the house rules say."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from . import rules
from .facts import CategoryDeal, PlacesDeal, WinnerDeal
from .options import Options

_ENTRIES: Mapping[str, Mapping[str, object]] = {
    "points": {},
    "categories": {"deal": CategoryDeal, "checks": rules.CATEGORY_CHECKS},
    "places": {"deal": PlacesDeal, "checks": rules.PLACES_CHECKS},
    "winner": {"deal": WinnerDeal, "checks": rules.WINNER_CHECKS},
}


def _fields(entry: str, *, in_sides: bool, has_end: bool) -> Mapping[str, object]:
    sides = {"in_sides": True, "player_counts": (4,)} if in_sides else {}
    return {**_ENTRIES[entry]} | sides | ({} if has_end else {"ends": ()})


_VARIANTS = {
    (entry, in_sides, has_end): _fields(entry, in_sides=in_sides, has_end=has_end)
    for entry, in_sides, has_end in product(_ENTRIES, (False, True), (False, True))
}


def adapt(options: Options) -> Mapping[str, object]:
    """Return the fields of the game that differ under these house rules."""
    entry = "categories" if options.categories else options.entry
    return _VARIANTS[entry, options.sides, options.has_end]
