"""Read the records of a circle's file one by one: their keys, the form of their values, and the length of texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from typing import Any, TypeVar, cast

from ...exchange.circle_file import CircleFileError, Item
from ...exchange.circle_records import (
    BrowserRecord,
    CircleRecord,
    EventRecord,
    FlagRecord,
    PartRecord,
    PaymentRecord,
    PlayerRecord,
    PresenceRecord,
    Signed,
    TableRecord,
)
from ...exchange.sheets import MAX_NAME_LENGTH, MAX_TEXT_LENGTH, text_problems
from ...scoring import schema
from ...scoring.problems import Problem, abbreviate_value
from ...scoring.values import JsonObject, Seats, clean_name
from ..access.links import MAX_BROWSER_NAME
from ..circles import MAX_TITLE
from ..flags import MAX_COMMENT
from ..table_details import MAX_NOTE, MAX_PLACE

MAX_PROBLEMS = 20  # that are reported at once
MAX_KEY_LENGTH = 100  # characters of an entry key, as in forms
GROWTH = 4  # a text may be so many times longer than it was typed: placeholders replace the names that are erased
FIRST_YEAR, LAST_YEAR = 1970, 9998  # of moments: a clock that was never set begins in 1970

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?Z")
_AMOUNT = re.compile(r"-?[1-9][0-9]{0,999}")
_NO_SEATS = Seats((), (), ())

R = TypeVar("R")


@dataclass
class Problems:
    """The problems found so far. Reading ends with CircleFileError when there are many, or at the end of a section."""

    found: list[Problem] = field(default_factory=list)

    def add(self, path: str, key: str, **params: object) -> None:
        """Add a problem."""
        self.add_all("", [Problem(path, key, params)])

    def add_all(self, path: str, problems: list[Problem]) -> None:
        """Add problems whose fields are relative to a path."""
        self.found += [Problem(join(path, problem.field), problem.key, problem.params) for problem in problems]
        if len(self.found) >= MAX_PROBLEMS:
            self.raise_if_any()

    def expect_place(self, item: Item, number: int) -> None:
        """Add a problem if the number of an item is not its place in its list."""
        if number != item.place:
            self.add(join(item.path, "number"), "next-number", found=str(number), must=str(item.place))

    def raise_if_any(self) -> None:
        """Raise CircleFileError if there are problems."""
        if self.found:
            raise CircleFileError(*self.found[:MAX_PROBLEMS])


def join(path: str, name: str | int) -> str:
    """Return the path of a key or an item in an object or a list."""
    return f"{path}.{name}" if path and name != "" else path or str(name)


def load(cls: type[R], content: object, path: str, problems: Problems) -> R | None:
    """Build a record with cleaned texts, or return None and add what is wrong with it."""
    found: list[Problem] = []
    record = schema.load(cls, content, _NO_SEATS, found)
    if record is not None:
        record = _cleaned(record)
        found += _value_problems(record)
    problems.add_all(path, found)
    return None if found else record


def items_of(content: object, key: str, path: str, problems: Problems) -> tuple[JsonObject, Iterator[Item]]:
    """Split an object's list `key` from its other keys; return those, and the items of the list with their paths."""
    if not isinstance(content, dict):
        problems.add(path, "an-object", found=abbreviate_value(content))
        return {}, iter(())
    items = content.get(key)
    if key not in content:
        problems.add(join(path, key), "missing")
    elif not isinstance(items, list):
        problems.add(join(path, key), "a-list", found=abbreviate_value(items))
    rest = {name: value for name, value in content.items() if name != key}
    found = enumerate(items, start=1) if isinstance(items, list) else iter(())
    return rest, (Item(join(path, key), place, item) for place, item in found)


def parse_moment(text: str) -> datetime:
    """Return a moment in UTC as it is stored. Raises ValueError."""
    if _MOMENT.fullmatch(text) is None or not FIRST_YEAR <= int(text[:4]) <= LAST_YEAR:
        raise ValueError(text)
    return datetime.fromisoformat(text.removesuffix("Z"))


def format_moment(moment: datetime | None) -> str | None:
    """Return a stored moment as it stands in the file."""
    return f"{moment.isoformat()}Z" if moment is not None else None


def parse_day(text: str) -> date:
    """Return a day. Raises ValueError."""
    day = date.fromisoformat(text)
    if day.isoformat() != text:  # date.fromisoformat accepts other forms, such as 20261122
        raise ValueError(text)
    return day


# --- values --------------------------------------------------------------------------------------------------

# The longest text of each key, and those that are cleaned as names are when they are typed.
_LENGTHS: Mapping[type, Mapping[str, int]] = {
    CircleRecord: {"title": MAX_TITLE, "time_zone": 64},
    PlayerRecord: {"name": MAX_NAME_LENGTH},
    BrowserRecord: {"name": MAX_BROWSER_NAME},
    TableRecord: {"title": GROWTH * MAX_TEXT_LENGTH, "place": GROWTH * MAX_PLACE, "note": GROWTH * MAX_NOTE},
    EventRecord: {"title": GROWTH * MAX_TEXT_LENGTH, "place": GROWTH * MAX_PLACE},
    FlagRecord: {"comment": GROWTH * MAX_COMMENT},
}
_CLEANED: Mapping[type, tuple[str, ...]] = {
    CircleRecord: ("title",),
    PlayerRecord: ("name",),
    BrowserRecord: ("name",),
}
_MOMENTS = {"created_at", "retired_at", "erased_at", "revoked_at", "at", "opened_at", "closed_at"}
_MOMENTS |= {"joined_at", "drawn_at", "started_at", "paused_at", "finished_at"}  # of events
_DAYS = {"day", "played_on"}


def _cleaned(record: R) -> R:
    names = _CLEANED.get(type(record), ())
    texts = {name: clean_name(text) for name in names if (text := getattr(record, name)) is not None}
    return cast(R, replace(cast(Any, record), **texts)) if texts else record


def _value_problems(record: object) -> list[Problem]:
    return [problem for name, value in _texts(record) for problem in _problems_of(type(record), name, value)]


def _texts(record: object) -> Iterator[tuple[str, str]]:
    """Yield the texts of a record by key, with those of the records in it."""
    for each in fields(cast(Any, record)):
        value = getattr(record, each.name)
        if isinstance(value, str):
            yield each.name, value
        elif isinstance(value, Signed):
            yield f"{each.name}.at", value.at
        elif isinstance(value, PresenceRecord):
            yield from ((f"{each.name}.day", value.day), (f"{each.name}.at", value.at))
        elif each.name == "confirmed" and value:
            yield from ((f"confirmed.{place}.at", given.at) for place, given in enumerate(value, start=1))


def _problems_of(cls: type, name: str, value: str) -> Iterator[Problem]:
    key = name.rpartition(".")[2]
    if key in _MOMENTS and not _parses(parse_moment, value):
        yield Problem(name, "moment", {"found": abbreviate_value(value)})
    elif key in _DAYS and not _parses(parse_day, value):
        yield Problem(name, "date", {"found": abbreviate_value(value)})
    elif key == "key" and not (0 < len(value) <= MAX_KEY_LENGTH and value.isprintable()):
        yield Problem(name, "entry-key", {"most": MAX_KEY_LENGTH})
    elif key == "amount" and not _is_amount(cls, value):
        yield Problem(name, "subunits", {"found": abbreviate_value(value)})
    elif name in _LENGTHS.get(cls, {}):
        yield from text_problems(name, value, _LENGTHS[cls][name])
        if not value.strip():
            yield Problem(name, "blank-text")


def _is_amount(cls: type, value: str) -> bool:
    """Return whether a text is an amount in subunits: above 0 for a payment, but not 0 for a part."""
    return _AMOUNT.fullmatch(value) is not None and (cls is PartRecord or (cls is PaymentRecord and value[0] != "-"))


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True
