"""The JSON Schemas of the app's formats."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator

from scorekeeper import files
from scorekeeper.files.circle_format import make_circle_schema


def schema_of(name: str) -> dict[str, Any]:
    if name == "circle":
        return make_circle_schema()
    text = resources.files(files).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema_of(name), format_checker=Draft202012Validator.FORMAT_CHECKER)
