"""The JSON Schema of the file of a circle, made from its records."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin

from ..scoring import schema
from ..scoring.values import Cleaned, Items, JsonObject, Range, Text
from .circle_records import (
    FORMAT,
    LISTS,
    OPTIONAL,
    SECTIONS,
    CircleRecord,
    Day,
)

_DESCRIPTION = (
    "A whole circle without secrets. The top-level keys stand in the order of `properties`; `events` and `seasons` "
    "are left out if there are none. References between records, sums, the rules of the games and which keys stand "
    "together are checked by an import."
)


def make_circle_schema() -> JsonObject:
    """Return the JSON Schema (draft 2020-12)."""
    defined: JsonObject = {}
    lists = {name: {"type": "array", "items": _refer(cls, defined)} for name, cls in LISTS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FORMAT,
        "description": _DESCRIPTION,
        "type": "object",
        "properties": {"format": {"const": FORMAT}, "circle": _refer(CircleRecord, defined), **lists},
        "required": [section for section in SECTIONS if section not in OPTIONAL],
        "additionalProperties": False,
        "$defs": defined,
    }


def _refer(cls: Any, defined: JsonObject) -> JsonObject:
    """Return a reference to a record's schema, which is added to the defined ones."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__.removesuffix("Record")).lower()
    if name not in defined:
        defined[name] = {}  # keeps the place of a record before those that it holds
        defined[name] |= _describe_record(cls, defined)
    return {"$ref": f"#/$defs/{name}"}


def _describe_record(cls: Any, defined: JsonObject) -> JsonObject:
    defaults = {field.name: field.default for field in fields(cls)}
    properties, required = {}, []
    for name, annotation, is_required in schema.list_fields(cls):
        key = name.rstrip("_")
        properties[key] = _describe(annotation, defined)
        if is_required:
            required.append(key)
        elif defaults[name] not in (None, (), MISSING):
            properties[key] |= {"default": defaults[name]}
    described = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"description": " ".join((inspect.getdoc(cls) or "").split()), **described}


def _describe(annotation: Any, defined: JsonObject) -> JsonObject:
    """Return the schema of a value."""
    annotation = schema.unwrap(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if is_dataclass(annotation):
        return _refer(annotation, defined)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": _describe(arguments[0], defined)}
    if schema.find_limit(annotation, Cleaned) is not None:
        return _describe(annotation.__origin__, defined)
    if annotation in (bool, JsonObject):
        return {"type": "boolean" if annotation is bool else "object"}
    return _describe_limited(annotation, defined)


def _describe_limited(annotation: Any, defined: JsonObject) -> JsonObject:
    """Return the schema of a value with a limit; each value that is not in a list has one."""
    text, items = schema.find_limit(annotation, Text), schema.find_limit(annotation, Items)
    if text is not None:
        pattern = f"^({text.pattern})$" if text.pattern is not None else r"\S"
        form = {"format": "date"} if annotation == Day else {}
        return {"type": "string", "minLength": 1, "maxLength": text.most, "pattern": pattern, **form}
    if items is not None:
        least = {"minItems": items.least} if items.least else {}
        return _describe(annotation.__origin__, defined) | least | {"maxItems": items.most}
    numbers = schema.find_limit(annotation, Range)
    if numbers is None:
        raise TypeError(f"{annotation} has no limit")
    return {"type": "integer", "minimum": numbers.low, "maximum": numbers.high}
