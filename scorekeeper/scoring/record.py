"""Dataclass <-> plain JSON, told by annotations. What does not fit is a located remark, never an exception.

The annotations understood: `bool`, `str`, `Annotated[int, Between(…)]` (with `MultipleOf` if need be),
`Literal[…]`, `Player`, `Side`, `Party` (either), `dict[Player | Side, …]`, `tuple[…, ...]`, unions, a dataclass
(a JSON object) and a NamedTuple (a JSON array whose last items may be left out where they have defaults).
`X | None = None` is a key that may be left out; JSON's null is never read as "left out". A field whose key is a
word of Python's own ends in an underscore: `from_` is the key `from`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from .remarks import Remark, key_shown, shown
from .values import BROKEN, PARTIES, Between, Reader, Seats, Side, checked, is_text, literal, number, party

T = TypeVar("T")


def reader(cls: Any, path: str = "") -> Reader:
    """What `load` reads records of this type with, for whoever reads many."""
    return _record_reader(cls, path)


def load(cls: type[T], raw: Any, seats: Seats, remarks: list[Remark], path: str = "") -> T | None:
    """The record of type `cls` that `raw` tells of, or None; every fault is added to `remarks`.

    A key that is not known is remarked on and does not keep the rest from being read.
    """
    value: T = reader(cls, path)(raw, seats, remarks)
    return None if value is BROKEN else value


def load_part(cls: Any, raw: dict[str, Any], seats: Seats) -> tuple[Any, set[str]]:
    """What of a record can be read, and the keys that are as they should be (left out where they may be, too).

    Fields of the other keys are missing from it; to look at one is an AttributeError.
    """
    part = object.__new__(cls)
    keys = set()
    for name, annotation, needed in fields_of(cls):
        key = _key(name)
        if key in raw:
            value = _reader(annotation, key)(raw[key], seats, [])
        else:
            value = BROKEN if needed else next(f.default for f in dataclasses.fields(cls) if f.name == name)
        if value is not BROKEN:
            object.__setattr__(part, name, value)
            keys.add(key)
    return part, keys


def dump(record: Any) -> Any:
    """The plain JSON of a record; what equals its default is left out, as `load` lets it be."""
    if dataclasses.is_dataclass(record):
        return {
            _key(f.name): dump(value)
            for f in dataclasses.fields(record)
            if (value := getattr(record, f.name)) != f.default
        }
    if isinstance(record, tuple):
        return [dump(item) for item in record]
    if isinstance(record, Mapping):
        return {key: dump(value) for key, value in record.items()}
    return record


# --- reading -----------------------------------------------------------------------------------------------


@cache
def _record_reader(cls: Any, path: str) -> Reader:
    prefix = f"{path}." if path else ""
    readers, required = {}, set()
    for name, annotation, needed in fields_of(cls):
        key = _key(name)
        readers[key] = name, _reader(annotation, prefix + key)
        if needed:
            required.add(key)
    return _object_reader(cls, path, readers, frozenset(required))


def _key(name: str) -> str:
    return name.rstrip("_")


@cache
def fields_of(cls: type) -> list[tuple[str, Any, bool]]:
    """Name, annotation and whether it must be there, for each field of a dataclass."""
    hints = get_type_hints(cls, include_extras=True)
    return [
        (f.name, hints[f.name], f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING)
        for f in dataclasses.fields(cls)
    ]


def _object_reader(cls: type, path: str, readers: dict[str, tuple[str, Reader]], required: frozenset[str]) -> Reader:
    prefix = f"{path}." if path else ""
    defaults = {f.name: f.default for f in dataclasses.fields(cls) if f.default is not dataclasses.MISSING}
    new, set_attribute = object.__new__, object.__setattr__

    def read(raw: Any, seats: Seats, remarks: list[Remark]) -> Any:
        if type(raw) is not dict:
            remarks.append(Remark(path, "an-object", {"found": shown(raw)}))
            return BROKEN
        values = defaults.copy()
        whole = True
        for key, value in raw.items():
            if key not in readers:
                remarks.append(Remark(f"{prefix}{key_shown(key)}", "unknown-key", {"keys": tuple(readers)}))
                continue
            name, read_value = readers[key]
            values[name] = found = read_value(value, seats, remarks)
            if found is BROKEN:
                whole = False
        if required and not required <= raw.keys():
            whole = False
            remarks.extend(Remark(prefix + key, "missing") for key in readers if key in required - raw.keys())
        if not whole:
            return BROKEN
        # A frozen dataclass is filled by its dictionary at once: its own __init__ costs more than all the checks.
        made: Any = new(cls)
        set_attribute(made, "__dict__", values)
        return made

    return read


def _reader(annotation: Any, path: str) -> Reader:
    if annotation is bool:
        return checked(path, "true-or-false", lambda value: type(value) is bool)
    if annotation is str:
        return checked(path, "text", lambda value: type(value) is str and is_text(value))
    if annotation in PARTIES:
        return party(path, *PARTIES[annotation])
    origin = get_origin(annotation)
    if origin is Annotated:
        return number(path, annotation.__metadata__)
    if origin is Literal:
        return literal(path, get_args(annotation))
    if origin is dict:
        return _mapping(path, *get_args(annotation))
    if origin is tuple:
        return _list(path, get_args(annotation)[0])
    if origin in (Union, UnionType):
        return _either(path, [a for a in get_args(annotation) if a is not NoneType])
    if dataclasses.is_dataclass(annotation):
        return _record_reader(annotation, path)  # type: ignore[arg-type]  # a class, not an instance
    return _array(path, annotation)


def _mapping(path: str, key_annotation: Any, value_annotation: Any) -> Reader:
    is_side = key_annotation == Side
    kind = "side" if is_side else "player"
    bounds = next(m for m in value_annotation.__metadata__ if isinstance(m, Between))
    low, high = bounds

    def read(raw: Any, seats: Seats, remarks: list[Remark]) -> Any:
        if type(raw) is not dict or not raw:
            remarks.append(Remark(path, f"by-{kind}", {"found": shown(raw), "low": low, "high": high}))
            return BROKEN
        parties = seats.sides if is_side else seats.players
        whole = True
        for key, value in raw.items():
            if key not in parties:
                remarks.append(Remark(f"{path}.{key_shown(key)}", kind, {"found": shown(key), "parties": parties}))
                whole = False
            elif type(value) is not int or not low <= value <= high:
                found = {"found": shown(value), "low": low, "high": high}
                remarks.append(Remark(f"{path}.{key_shown(key)}", "whole-number", found))
                whole = False
        return raw if whole else BROKEN

    return read


def _list(path: str, annotation: Any) -> Reader:
    item = _reader(annotation, path)

    def read(raw: Any, seats: Seats, remarks: list[Remark]) -> Any:
        if type(raw) is not list:
            remarks.append(Remark(path, "a-list", {"found": shown(raw)}))
            return BROKEN
        items = tuple(item(value, seats, remarks) for value in raw)
        return BROKEN if BROKEN in items else items

    return read


def _array(path: str, cls: Any) -> Reader:
    hints = get_type_hints(cls, include_extras=True)
    readers = [_reader(hints[name], path) for name in cls._fields]
    least = len(readers) - len(cls._field_defaults)

    def read(raw: Any, seats: Seats, remarks: list[Remark]) -> Any:
        if type(raw) is not list or not least <= len(raw) <= len(readers):
            remarks.append(Remark(path, "an-array", {"found": shown(raw), "keys": ", ".join(cls._fields)}))
            return BROKEN
        items = [reader(value, seats, remarks) for reader, value in zip(readers, raw, strict=False)]
        return BROKEN if BROKEN in items else cls(*items)

    return read


def _either(path: str, annotations: list[Any]) -> Reader:
    readers = [_reader(annotation, path) for annotation in annotations]
    if len(readers) == 1:
        return readers[0]

    def read(value: Any, seats: Seats, remarks: list[Remark]) -> Any:
        trials: list[list[Remark]] = []
        for reader in readers:
            trial: list[Remark] = []
            found = reader(value, seats, trial)
            if found is not BROKEN:
                return found
            trials.append(trial)
        remarks.extend(trials[0])
        return BROKEN

    return read
