"""The order of names in a language: in French Ç stands with C, in Swedish Å after Z."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

from icu import Collator, Locale, UCollAttribute, UCollAttributeValue

T = TypeVar("T")


@lru_cache(maxsize=64)
def _collator(tag: str) -> Collator:
    collator = Collator.createInstance(Locale(tag))
    collator.setAttribute(UCollAttribute.NUMERIC_COLLATION, UCollAttributeValue.ON)  # Player 9 before Player 10
    return collator


def name_key(name: str, tag: str) -> bytes:
    """Return a key that sorts a name as the locale does."""
    return bytes(_collator(tag).getSortKey(name))


def sorted_by_name(items: Iterable[T], name_of: Callable[[T], str], tag: str) -> list[T]:
    """Sort items by their names as the locale does; equal names keep their order."""
    return sorted(items, key=lambda item: name_key(name_of(item), tag))
