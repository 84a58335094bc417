"""The outcomes of a write, and `seen`, by which a form says what its page has shown.

A write that breaks a rule has a refusal or a problem instead.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Done(Generic[T]):
    """It is as the request wants it, by this request or an earlier one with the same key."""

    value: T  # what there is


@dataclass(frozen=True)
class Stale(Generic[T]):
    """Nothing was written: others have written since the page was shown, or its key has recorded something else."""

    current: T  # what the page did not show


def make_seen(*shown: object) -> str:
    """Return a hash of values of JSON, or of days: if they give another one under the lock, the page is stale."""
    return hashlib.sha256(json.dumps(shown, sort_keys=True, default=str).encode()).hexdigest()[:16]
