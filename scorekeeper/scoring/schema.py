"""Conversion between dataclasses and plain JSON, driven by annotations.

Invalid input is reported as a `Problem` with its path, never as an exception.

Supported annotations: `bool`, `str`, `Annotated[str, Text(…)]`, `Annotated[int, Range(…)]` (optionally with
`MultipleOf`), `Literal[…]`, `Player`, `Side`, `Party`, `Newcomer`, `dict[Player, …]`, `dict[Side, …]` and
`dict[Party, …]` of numbers, `dict[str, …]` of anything, `JsonObject` (any object; optionally `Annotated` with
`Cleaned(…)`), `tuple[…, ...]` (optionally `Annotated` with `Items(…)`), unions, dataclasses (JSON objects) and
NamedTuples (JSON arrays; trailing items with a default may be omitted). A field annotated `X | None = None` may be
omitted, but JSON null is not accepted for it. A field named after a Python keyword ends in an underscore: `from_` is
the key `from`. The objects in a list are counted from 1 in paths.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .problems import Problem, abbreviate_key, abbreviate_value
from .values import (
    MAX_CLEANED,
    PARTIES,
    Cleaned,
    Items,
    JsonObject,
    MultipleOf,
    Newcomer,
    Range,
    Seats,
    Text,
    is_text,
)

T = TypeVar("T")
Reader = Callable[[Any, Seats, list[Problem]], Any]  # returns None in place of a value it has reported a problem for

MAX_PROBLEMS = 20  # of the items of a list: further ones are not read


def load(cls: type[T], raw: Any, seats: Seats, problems: list[Problem], path: str = "") -> T | None:
    """Build a `cls` from plain JSON, or return None if it is invalid. Every problem is appended to `problems`."""
    value: T | None = object_reader(cls, path)(raw, seats, problems)  # type: ignore[arg-type]  # a class is hashable
    return value


def load_partial(cls: Any, raw: dict[str, Any], seats: Seats) -> tuple[Any, set[str]]:
    """Build a `cls` with only those fields that are valid, and return it with the JSON keys of these fields.

    An omitted optional key counts as valid. A required field that is not valid is not set: reading it raises
    AttributeError.
    """
    part = object.__new__(cls)
    keys = set()
    for name, annotation, is_required in list_fields(cls):
        key = _json_key(name)
        value = _choose_reader(annotation, key)(raw[key], seats, []) if key in raw else None
        if value is not None:
            object.__setattr__(part, name, value)
        if value is not None or not (is_required or key in raw):
            keys.add(key)
    return part, keys


def dump(record: Any) -> Any:
    """Return a dataclass as plain JSON; fields that have their default are left out."""
    if dataclasses.is_dataclass(record):
        return {
            _json_key(f.name): dump(value)
            for f in dataclasses.fields(record)
            if (value := getattr(record, f.name)) != f.default
        }
    if isinstance(record, tuple):
        return [dump(item) for item in record]
    if isinstance(record, Mapping):
        return {key: dump(value) for key, value in record.items()}
    return record


def _json_key(name: str) -> str:
    return name.rstrip("_")


@cache
def list_fields(cls: type) -> list[tuple[str, Any, bool]]:
    """Return name, annotation and whether it has no default of each field. Raises TypeError for a default_factory."""
    hints = get_type_hints(cls, include_extras=True)
    for f in dataclasses.fields(cls):
        if f.default_factory is not dataclasses.MISSING:
            raise TypeError(f"the field {f.name} has a default_factory: give it a default such as None or ()")
    return [(f.name, hints[f.name], f.default is dataclasses.MISSING) for f in dataclasses.fields(cls)]


@cache
def object_reader(cls: Any, path: str = "") -> Reader:
    """Return the reader of a JSON object as a dataclass. An unknown key is a problem, but the dataclass is still built.

    Raises TypeError if a field has a type that JSON cannot hold, or a `default_factory`.
    """
    prefix = f"{path}." if path else ""
    readers = {
        _json_key(name): (name, _choose_reader(annotation, prefix + _json_key(name)))
        for name, annotation, _ in list_fields(cls)
    }
    required = [_json_key(name) for name, _, is_required in list_fields(cls) if is_required]

    def read(raw: Any, seats: Seats, problems: list[Problem]) -> Any:
        if type(raw) is not dict:
            problems.append(Problem(path, "an-object", {"found": abbreviate_value(raw)}))
            return None
        values = {}
        for key, value in raw.items():
            if key in readers:
                name, read_value = readers[key]
                values[name] = read_value(value, seats, problems)
            else:
                problems.append(Problem(f"{prefix}{abbreviate_key(key)}", "unknown-key", {"keys": tuple(readers)}))
        missing = [key for key in required if key not in raw]
        problems.extend(Problem(prefix + key, "missing") for key in missing)
        return None if missing or None in values.values() else cls(**values)

    return read


# For annotations without parameters: the key of the problem with any other value, and what a value must be.
_PREDICATES: tuple[tuple[Any, str, Callable[[Any], bool]], ...] = (
    (bool, "true-or-false", lambda value: type(value) is bool),
    (str, "text", lambda value: type(value) is str and is_text(value)),
    (JsonObject, "an-object", lambda value: type(value) is dict),
)


def _choose_reader(annotation: Any, path: str) -> Reader:
    """Return the reader of the values that an annotation allows, for the field at `path`."""
    for plain, problem, is_valid in _PREDICATES:
        if annotation == plain:
            return _value_reader(path, problem, is_valid)
    if annotation in PARTIES:
        return _party_reader(path, *PARTIES[annotation])
    origin = get_origin(annotation)
    if origin is Annotated:
        return _annotated_reader(path, annotation)
    if origin is Literal:
        choices = get_args(annotation)  # all strings or all integers
        return _value_reader(
            path,
            "one-of",
            lambda value: type(value) is type(choices[0]) and value in choices,
            {"choices": choices},
        )
    if origin is dict:
        key, value = get_args(annotation)
        return _by_text_reader(path, value) if key is str else _by_party_reader(path, key, value)
    if _is_list(annotation):
        return _list_reader(path, get_args(annotation)[0], None)
    if origin in (Union, UnionType):
        return _union_reader(path, [member for member in get_args(annotation) if member is not NoneType])
    if dataclasses.is_dataclass(annotation):
        return object_reader(annotation, path)  # type: ignore[arg-type]  # a class is hashable
    return _named_tuple_reader(path, annotation)


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is tuple and get_args(annotation)[1:] == (...,)


def _unreadable(annotation: Any, path: str) -> TypeError:
    hint = "; by party only Annotated[int, Range(…)], or dict[str, …]" if get_origin(annotation) is dict else ""
    return TypeError(f"the field {path} has a type that JSON cannot hold: {annotation}{hint}")


def find_limit(annotation: Any, kind: type[T]) -> T | None:
    return next((limit for limit in getattr(annotation, "__metadata__", ()) if isinstance(limit, kind)), None)


def without_none(annotation: Any) -> Any:
    members = get_args(annotation)
    return members[0] if NoneType in members else annotation


def _annotated_reader(path: str, annotation: Any) -> Reader:
    if annotation == Newcomer:
        return _newcomer_reader(path)
    plain = annotation.__origin__
    text = find_limit(annotation, Text)
    items = find_limit(annotation, Items)
    cleaned = find_limit(annotation, Cleaned)
    if text is not None and plain is str:
        return _text_reader(path, text)
    if items is not None and _is_list(plain):
        return _list_reader(path, get_args(plain)[0], items)
    if cleaned is not None:
        read = _choose_reader(plain, path)
        clean = cleaned.clean
        return lambda raw, *args: None if (value := read(raw, *args)) is None else clean(value)
    if plain is int and (limits := find_limit(annotation, Range)) is not None:
        low, high = limits
        multiple = find_limit(annotation, MultipleOf)
        step = multiple.step if multiple is not None else 1
        return _value_reader(
            path,
            "whole-number" if step == 1 else "multiple",
            # `isinstance` would accept True and False.
            lambda value: type(value) is int and low <= value <= high and value % step == 0,
            {"low": low, "high": high, "step": step},
        )
    raise _unreadable(annotation, path)


def _value_reader(
    path: str,
    problem_key: str,
    is_valid: Callable[[Any], bool],
    params: Mapping[str, Any] = MappingProxyType({}),  # of the problem with any other value
) -> Reader:
    def read(value: Any, _seats: Seats, problems: list[Problem]) -> Any:
        if is_valid(value):
            return value
        problems.append(Problem(path, problem_key, {"found": abbreviate_value(value), **params}))
        return None

    return read


def _party_reader(path: str, kind: str, index: int) -> Reader:
    def read(value: Any, seats: Seats, problems: list[Problem]) -> Any:
        parties = seats[index]
        if type(value) is str and value in parties:
            return seats.names[index].get(value, value)
        problems.append(Problem(path, kind, {"found": abbreviate_value(value), "parties": parties}))
        return None

    return read


def _newcomer_reader(path: str) -> Reader:
    def read(value: Any, seats: Seats, problems: list[Problem]) -> Any:
        if type(value) is str and value.strip() and is_text(value):
            return seats.names[0].get(value, value)
        problems.append(Problem(path, "blank-name", {"found": abbreviate_value(value)}))
        return None

    return read


def _text_reader(path: str, text: Text) -> Reader:
    pattern = re.compile(text.pattern or r"(?s:.*\S.*)")

    def find_problem(value: Any) -> Problem | None:
        if type(value) is not str or not is_text(value) or "\0" in value:
            return Problem(path, "text", {"found": abbreviate_value(value)})
        if (problem := text.check(value)) is not None:
            return problem._replace(field=path)
        if pattern.fullmatch(value) is None:
            return Problem(path, text.problem, {"found": abbreviate_value(value), "most": text.most})
        return Problem(path, "long-text", {"most": text.most}) if len(value) > text.most else None

    def read(value: Any, _seats: Seats, problems: list[Problem]) -> Any:
        if text.clean is not None and type(value) is str:
            value = text.clean(value, max(MAX_CLEANED, 2 * text.most))
        if (problem := find_problem(value)) is None:
            return value
        problems.append(problem)
        return None

    return read


def _by_party_reader(path: str, key_annotation: Any, value_annotation: Any) -> Reader:
    limit = find_limit(value_annotation, Range)
    if key_annotation not in PARTIES or limit is None:
        raise _unreadable(dict[key_annotation, value_annotation], path)
    kind, index = PARTIES[key_annotation]
    low, high = limit

    def read(raw: Any, seats: Seats, problems: list[Problem]) -> Any:
        if type(raw) is not dict or not raw:
            asked = seats.sides if kind == "party" and seats.sides else seats[index]
            problems.append(Problem(path, f"by-{kind}", {"parties": asked, "low": low, "high": high}))
            return None
        parties = seats[index]
        before = len(problems)
        for key, value in raw.items():
            if key not in parties:
                place = f"{path}.{abbreviate_key(key)}"
                problems.append(Problem(place, kind, {"found": abbreviate_value(key), "parties": parties}))
            elif type(value) is not int or not low <= value <= high:
                params = {"found": abbreviate_value(value), "low": low, "high": high}
                problems.append(Problem(f"{path}.{abbreviate_key(key)}", "whole-number", params))
        if len(problems) > before:
            return None
        names = seats.names[index]
        return {names.get(key, key): value for key, value in raw.items()}

    return read


def _by_text_reader(path: str, annotation: Any) -> Reader:
    read_value = _choose_reader(annotation, path)

    def read(raw: Any, seats: Seats, problems: list[Problem]) -> Any:
        if type(raw) is not dict or not raw:
            problems.append(Problem(path, "nothing-entered"))
            return None
        values = {key: read_value(value, seats, problems) for key, value in raw.items()}
        return None if None in values.values() else values

    return read


def _list_reader(path: str, annotation: Any, limit: Items | None) -> Reader:
    has_objects = dataclasses.is_dataclass(annotation)
    read_item = _choose_reader(annotation, "" if has_objects else path)

    def read(raw: Any, seats: Seats, problems: list[Problem]) -> Any:
        if type(raw) is not list:
            problems.append(Problem(path, "a-list", {"found": abbreviate_value(raw)}))
            return None
        if limit is not None and not limit.least <= len(raw) <= limit.most:
            problems.append(Problem(path, "items", {"found": len(raw), **limit._asdict()}))
            return None
        items = []
        for place, value in enumerate(raw, start=1):
            found: list[Problem] = []
            items.append(read_item(value, seats, found))
            if has_objects:
                found = [each._replace(field=f"{path}.{place}.{each.field}".rstrip(".")) for each in found]
            problems += found
            if len(problems) >= MAX_PROBLEMS:
                return None
        return None if None in items else tuple(items)

    return read


def _named_tuple_reader(path: str, cls: Any) -> Reader:
    if not hasattr(cls, "_fields"):
        raise _unreadable(cls, path)
    hints = get_type_hints(cls, include_extras=True)
    readers = [_choose_reader(hints[name], path) for name in cls._fields]
    min_length = len(readers) - len(cls._field_defaults)

    def read(raw: Any, seats: Seats, problems: list[Problem]) -> Any:
        if type(raw) is not list or not min_length <= len(raw) <= len(readers):
            params = {"found": abbreviate_value(raw), "keys": ", ".join(cls._fields)}
            problems.append(Problem(path, "an-array", params))
            return None
        items = [read_item(value, seats, problems) for read_item, value in zip(readers, raw, strict=False)]
        return None if None in items else cls(*items)

    return read


def _union_reader(path: str, annotations: list[Any]) -> Reader:
    """Make a reader that tries each annotation in turn; if none fits, it reports the problems of the first."""
    readers = [_choose_reader(annotation, path) for annotation in annotations]
    if len(readers) == 1:
        return readers[0]

    def read(value: Any, seats: Seats, problems: list[Problem]) -> Any:
        attempts: list[list[Problem]] = []
        for read_member in readers:
            attempt: list[Problem] = []
            loaded = read_member(value, seats, attempt)
            if loaded is not None:
                return loaded
            attempts.append(attempt)
        problems.extend(attempts[0])
        return None

    return read
