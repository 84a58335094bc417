"""Copy values between the database's rows and the records of a circle's file, which say where they are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import inspect

from ...exchange.circle_records import Column, Day, Moment, Reference, format_moment, parse_day, parse_moment
from ...models import Base
from ...scoring import schema
from ...scoring.values import Items, JsonObject, Text
from ...tables.revisions import RevisionRow

Numbers = Mapping[str, Mapping[int, int]]  # of each section of the file: the numbers by id, or the ids by number
M = TypeVar("M", bound=Base | RevisionRow)

_PARSERS: dict[Text | None, Callable[[str], object]] = {
    schema.find_limit(Moment, Text): parse_moment,
    schema.find_limit(Day, Text): parse_day,
}


class StoredField(NamedTuple):
    """A field of a record, and how it is stored."""

    name: str
    column: str
    section: str | None  # to which the value refers
    record: type | None  # of which the value is one
    parse: Callable[[Any], object] | None  # if the value is not stored as it is in the record
    default: object  # as plain JSON


def dump_row(cls: type, row: Any, numbers: Numbers, **given: object) -> JsonObject:
    """Return a row as plain JSON of the record `cls`: the values of `given` fields, and the others from the row."""
    dumped = {}
    for field in find_fields(cls):
        value = given[field.name] if field.name in given else _read(field, row, numbers)
        if value != field.default:
            dumped[field.name.rstrip("_")] = value
    return dumped


def _read(field: StoredField, row: Any, numbers: Numbers) -> object:
    value = row.get(field.column, field.default) if isinstance(row, dict) else getattr(row, field.column)
    if value is None:
        return None
    if field.section is not None:
        return numbers[field.section][value]
    if field.record is not None:
        return dump_row(field.record, value, numbers)
    if isinstance(value, datetime):
        return format_moment(value)
    return value.isoformat() if isinstance(value, date) else value


def make_values(model: Any, record: Any, ids: Numbers, **given: object) -> dict[str, Any]:
    """Return the values of a row: those of `given` columns, and the record's of the others that the model has."""
    cls: Any = type(record)
    columns = _columns(model) - given.keys()
    return given | {
        field.column: _parse(field, getattr(record, field.name), ids)
        for field in find_fields(cls)
        if field.column in columns
    }


def _parse(field: StoredField, value: Any, ids: Numbers) -> object:
    if value is None:
        return None
    if field.section is not None:
        return ids[field.section][value]
    return field.parse(value) if field.parse is not None else value


def make_row(model: type[M], record: Any, ids: Numbers, **given: object) -> M:
    """Return a row: see `make_values`."""
    return model(**make_values(model, record, ids, **given))


@cache
def find_fields(cls: Any) -> list[StoredField]:
    """Return the fields of a record. A field of which the row has no such column is made of other rows."""
    defaults = {field.name: schema.dump(field.default) for field in fields(cls)}
    found = []
    for name, declared, _ in schema.list_fields(cls):
        annotation = schema.unwrap(declared)
        column, reference = schema.find_limit(annotation, Column), schema.find_limit(annotation, Reference)
        section = reference.section if reference is not None else None
        name_of_column = column.name if column is not None else f"{name}_id" if section is not None else name
        record = annotation if isinstance(annotation, type) and is_dataclass(annotation) else None
        is_json = record is not None or schema.find_limit(annotation, Items) is not None
        parse = schema.dump if is_json else _PARSERS.get(schema.find_limit(annotation, Text))
        found.append(StoredField(name, name_of_column, section, record, parse, defaults[name]))
    return found


@cache
def _columns(model: Any) -> frozenset[str]:
    return frozenset(RevisionRow._fields if model is RevisionRow else inspect(model).columns.keys())
