"""What is wrong with a fact or a sheet, as values. Words for them are found at the edge."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_SHOWN = 40  # characters of a broken value that a remark repeats


@dataclass(frozen=True, slots=True)
class Remark:
    """One fault. `field` is the key it is about (`welche.player`), `key` names the sentence, `params` fill it."""

    field: str
    key: str
    params: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a sheet cannot stand: the number of the deal at fault (None: the sheet itself) and every remark on it."""

    deal: int | None
    remarks: tuple[Remark, ...]

    @property
    def first(self) -> Remark:
        return self.remarks[0]


def refuse(deal: int | None, remarks: Iterable[Remark]) -> Refusal:
    return Refusal(deal, tuple(remarks))


def first_twice(names: Iterable[str]) -> str | None:
    """The first name that stands there a second time."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def key_shown(key: str) -> str:
    """A key of somebody else's as it stands in a field, cut where it is long."""
    return key if len(key) <= _SHOWN else shown(key)


def shown(value: Any) -> str:
    """A broken value as JSON, cut to a length that fits in a sentence."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        # Numbers of thousands of digits and towers of brackets have no short form.
        return "…"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
