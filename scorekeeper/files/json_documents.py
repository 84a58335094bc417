"""Write JSON line by line; parse it strictly: duplicate keys, NaN, infinity and unpaired surrogates are rejected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import IO, Any

from ..scoring.problems import Problem, Refusal, abbreviate_value, first_duplicate, refuse

_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")  # of half a character
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(value: object) -> str:
    """Convert a moment in UTC, a day or a Decimal."""
    if isinstance(value, datetime):
        return f"{value.isoformat()}Z"
    return value.isoformat() if isinstance(value, date) else str(value)


def write_lists(
    head: Mapping[str, object],
    lists: Mapping[str, Iterable[object]],
    file: IO[bytes],
    to_json: Callable[[object], object] = to_json,
) -> None:
    """Write a document of lists, each item on a line. `to_json` converts values for which JSON has no type."""

    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, default=to_json)

    file.write(("{\n" + ",\n".join(f"{line(key)}: {line(value)}" for key, value in head.items())).encode())
    for name, items in lists.items():
        file.write(f",\n{line(name)}: [".encode())
        separator = "\n"
        for item in items:
            file.write(f"{separator}{line(item)}".encode())
            separator = ",\n"
        file.write(b"]" if separator == "\n" else b"\n]")
    file.write(b"\n}\n")


def read(text: bytes) -> Any | Refusal:  # any JSON: the caller checks its shape
    """Parse a document, or return why it is invalid. All strings in the result can be encoded as UTF-8."""
    try:
        decoded = text.decode(json.detect_encoding(text))  # json.loads would accept unpaired surrogates
        raw = json.loads(decoded, object_pairs_hook=_build_object, parse_constant=_reject_constant)
    except _NotJsonError as error:
        problem = Problem("format", error.args[0], {"found": error.args[1]})
    except json.JSONDecodeError as error:
        problem = Problem("format", "not-json", {"line": error.lineno, "column": error.colno})
    except UnicodeDecodeError:
        problem = Problem("format", "not-utf-8")
    except RecursionError:
        problem = Problem("format", "nested-too-deep")
    except ValueError:  # Python limits integers to 4,300 digits
        problem = Problem("format", "too-many-digits")
    else:
        lone = _LONE_SURROGATE.search(json.dumps(raw, ensure_ascii=False)) if _ESCAPE.search(decoded) else None
        if lone is None:
            return raw
        problem = Problem("format", "half-character", {"found": ascii(lone[0])})
    return refuse([problem])


class _NotJsonError(Exception):
    """JSON that Python's parser would accept: the key of the problem, and what was found."""


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build a JSON object. Duplicate keys are rejected, since one value would be lost silently."""
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _NotJsonError("key-twice", abbreviate_value(first_duplicate(name for name, _ in pairs)))
    return result


def _reject_constant(name: str) -> None:
    raise _NotJsonError("no-json-number", name)
