"""Occasions for notices: features have kinds and say what has happened; the sender of notices listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from .features import features

MINUTE, HOUR, DAY = 60, 3_600, 86_400  # seconds


@dataclass(frozen=True)
class Notice:
    """A notice to the phones of a person, or to all phones of the circle."""

    page: Mapping[str, object]  # what the address of the page in question needs
    person_id: int | None = None
    variant: str = ""  # the end of its message's key, if it has several: ".cancelled"
    words: Callable[[], Mapping[str, object]] = dict  # returns what its message names, in the language of the phone


@dataclass(frozen=True)
class Kind:
    """A kind of notice, which a phone can choose."""

    key: str
    endpoint: str  # of the page that a tap opens
    # Yields the notices of an occasion, by its circle and its subject; none if it is no longer one.
    find: Callable[..., Iterator[Notice]] = field(repr=False)
    lifetime: int = DAY  # the seconds for which it is of use, and its push service keeps it for a phone that is off


Subject = tuple[str | int, ...]  # what an occasion is about, by tokens or numbers, as its kind has it


def read_kinds() -> dict[str, Kind]:
    """Return the kinds of all features by key."""
    return {kind.key: kind for feature in features() for kind in feature.notices}


def notify(kind: str, circle_id: int, subject: Subject, membership_id: int) -> None:
    """Tell the listeners, in the caller's transaction, what the phone `membership_id` of a circle has done."""
    for feature in features():
        feature.listen(kind, circle_id, subject, membership_id)
