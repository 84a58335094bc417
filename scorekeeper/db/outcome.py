"""The outcomes of a write. A write that breaks a rule has a refusal or a problem instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Done(Generic[T]):
    """It is as the request wants it, by this request or an earlier one with the same key; `value` is what there is."""

    value: T


@dataclass(frozen=True)
class Stale(Generic[T]):
    """Nothing was written: others have written since the page was shown. `current` is what it did not show."""

    current: T


@dataclass(frozen=True)
class Conflict(Generic[T]):
    """Nothing was written: the page's key was used before, with other contents. `earlier` is what it wrote then."""

    earlier: T
