"""Catalogues compiled when the app is installed, as Python's modules are: reading all texts takes half a second.

`cli/compiling.py` writes them beside Python's compiled modules. One is used only while everything that it was made of
is unchanged; otherwise the texts are read again, which takes longer and gives the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..games import games
from .sources import fallbacks, message_files, own_rules_file, regions_file, rules_texts

_HERE = Path(__file__).parent
FOLDER = _HERE / "__pycache__"


class Compiled(NamedTuple):
    """A tag's messages in gettext's binary form, their keys, and the expression that chooses a plural form.

    Those of English are not among them, unless the tag is English.
    """

    messages: bytes
    keys: list[str]
    plural: str


def read(tag: str) -> Compiled | None:
    """Return the compiled messages of a tag; None if there are none, or they are outdated."""
    try:
        head, messages = _file(tag).read_bytes().split(b"\n", 1)
        found = json.loads(head)
        return Compiled(messages, found["keys"], found["plural"]) if found["made of"] == _made_of(tag) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_current(tag: str) -> bool:
    """Return whether a tag's texts are compiled as they are now, and so are known to be complete and undamaged."""
    return read(tag) is not None


def write(tag: str, compiled: Compiled) -> None:
    """Keep the compiled messages of a tag. Raises OSError."""
    FOLDER.mkdir(exist_ok=True)
    head = {"made of": _made_of(tag), "keys": compiled.keys, "plural": compiled.plural}
    unfinished = _file(tag).with_suffix(".new")
    unfinished.write_bytes(json.dumps(head).encode() + b"\n" + compiled.messages)
    unfinished.replace(_file(tag))


def _file(tag: str) -> Path:
    return FOLDER / f"{tag}.catalogue"


def _made_of(tag: str) -> list[Any]:
    """Return what decides about the texts of a tag: files, the code that compiles them, games and their variants."""
    return [
        _code(),
        [_state(path) for used in fallbacks(tag) for path in _files(used)],
        [[slug, game.variant_of] for slug, game in games().items()],
    ]


def _files(tag: str) -> Iterator[Path]:
    yield from (file.path for file in message_files(tag))
    yield from (path for name in rules_texts() if (path := own_rules_file(name, tag)) is not None)
    yield from filter(None, [regions_file(tag)])


@cache
def _code() -> list[list[Any]]:
    return [_state(path) for path in sorted(_HERE.glob("*.py"))]


def _state(path: Path) -> list[Any]:
    found = path.stat()
    return [str(path), found.st_size, found.st_mtime_ns]
