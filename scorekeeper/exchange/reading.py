"""Plain JSON out of a document of somebody else's, strictly: what Python's reader would let pass is refused."""

from __future__ import annotations

import json
from typing import Any

from ..scoring.remarks import Refusal, Remark, first_twice, refuse, shown

_UNREADABLE: dict[type[OSError], str] = {
    FileNotFoundError: "no-such-file",
    IsADirectoryError: "is-a-folder",
    PermissionError: "may-not-be-read",
}


def unreadable(error: OSError) -> Remark:
    """Why a file could not be opened."""
    return Remark("file", _UNREADABLE.get(type(error), "cannot-be-read"))


def read(text: bytes) -> Any | Refusal:
    """The plain JSON of a document, or why it is none."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except NotJsonError as error:
        return refuse(None, [error.remark])
    except json.JSONDecodeError as error:
        return refuse(None, [Remark("format", "not-json", {"line": error.lineno, "column": error.colno})])
    except UnicodeDecodeError:
        return refuse(None, [Remark("format", "not-utf-8")])
    except RecursionError:
        return refuse(None, [Remark("format", "nested-too-deep")])
    except ValueError:  # what is left: Python reads no number of more than 4,300 digits
        return refuse(None, [Remark("format", "too-many-digits")])


class NotJsonError(Exception):
    """What Python's reader would let pass; it is caught where the document is read."""

    def __init__(self, remark: Remark) -> None:
        super().__init__(remark.key)
        self.remark = remark


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused where a key stands twice: one of the two would be lost unseen."""
    read = dict(pairs)
    if len(read) < len(pairs):
        raise NotJsonError(Remark("format", "key-twice", {"found": shown(first_twice(name for name, _ in pairs))}))
    return read


def _no_constant(name: str) -> None:
    raise NotJsonError(Remark("format", "no-json-number", {"found": name}))
