"""The JSON Schemas of the app's formats."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from jsonschema import Draft202012Validator

from scorekeeper import exchange


@cache
def validator(name: str) -> Draft202012Validator:
    text = resources.files(exchange).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text), format_checker=Draft202012Validator.FORMAT_CHECKER)
