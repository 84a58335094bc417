"""The entry points that the installed packages declare in a group.

`importlib.metadata` finds the same ones, but importing it takes longer than scoring a sheet. It is used where packages
are not installed as folders beside each other, but in zip files, as eggs or through finders of their own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import PathFinder
from typing import NamedTuple

_FOLDERS = (".dist-info", ".egg-info")  # how the names of folders with metadata end


class EntryPoint(NamedTuple):
    """An object that a distribution offers under a name."""

    name: str
    value: str  # `package.module:OBJECT`
    distribution: str

    @property
    def module(self) -> str:
        """The full name of the object's module."""
        return self.value.partition("[")[0].partition(":")[0].strip()

    def load(self) -> object:
        """Import the module and return the object."""
        found: object = import_module(self.module)
        for attribute in filter(None, self.value.partition("[")[0].partition(":")[2].strip().split(".")):
            found = getattr(found, attribute)
        return found


class _UnusualError(Exception):
    """Packages are installed in a way that only `importlib.metadata` can read."""


def find_entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group. Of two distributions with the same name, the first on the path counts."""
    try:
        return list(_from_folders(group))
    except _UnusualError:
        return _from_importlib(group)


def _from_importlib(group: str) -> list[EntryPoint]:
    from importlib import metadata  # noqa: PLC0415  # it imports a hundred modules

    found = metadata.entry_points(group=group)
    return [EntryPoint(point.name, point.value, point.dist.name if point.dist else "") for point in found]


def _from_folders(group: str) -> Iterator[EntryPoint]:
    for folder in _distributions():
        declared = _read(f"{folder}/entry_points.txt")
        if group.encode() in declared:
            pairs = list(_section(declared.decode(), group))
            distribution = _name(folder) if pairs else ""
            yield from (EntryPoint(name, value, distribution) for name, value in pairs)


def _distributions() -> Iterator[str]:
    """Yield the metadata folder of each distribution on the path. Raises _UnusualError."""
    if [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")] != [PathFinder]:
        raise _UnusualError
    seen = set()
    for place in sys.path:
        for child in _children(place):
            if child.lower().endswith(_FOLDERS):
                name, kind = os.path.splitext(child)
                normalized = _normalize(name.partition("-")[0])
                if not normalized or kind not in _FOLDERS:
                    raise _UnusualError
                if normalized not in seen:
                    seen.add(normalized)
                    yield os.path.join(place, child)


def _children(place: str) -> list[str]:
    """Return the names in a folder of the path, which need not exist."""
    if place.lower().endswith(".egg"):
        raise _UnusualError
    try:
        return os.listdir(place or ".")
    except FileNotFoundError:
        return []
    except OSError as error:  # a zip file
        raise _UnusualError from error


def _normalize(name: str) -> str:
    name = name.lower().replace(".", "_")
    while "__" in name:
        name = name.replace("__", "_")
    return name


def _read(path: str) -> bytes:
    """Return what is in a file; nothing if there is none, or if the metadata are one file instead of a folder."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
        return b""


def _section(text: str, group: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values under a heading."""
    heading = None
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            heading = line.strip("[]")
        elif heading == group and line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield name.strip(), value.strip()


def _name(folder: str) -> str:
    """Return the name of a distribution as it writes it itself. Raises _UnusualError."""
    head = (_read(f"{folder}/METADATA") or _read(f"{folder}/PKG-INFO")).decode(errors="replace")
    for line in head.splitlines():
        key, _, value = line.partition(":")
        if key.lower() == "name":
            return value.strip()
        if not line:
            break
    raise _UnusualError
