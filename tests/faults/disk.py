"""A disk that loses power: which of the recorded changes of files are on it afterwards.

A write is on the disk once its file has been synced after it; until then, each sector of 512 bytes may be the old or
the new one. A name that was given, changed or taken away is so once its folder has been synced; until then, either
may be the case. A rename is done or not done, also between folders. This is what POSIX promises; most file systems
promise more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from .traced import CREATE, MAKE_FOLDER, RENAME, SYNC, TRUNCATE, UNLINK, WRITE, Operation

SECTOR = 512


@dataclass(eq=False)
class File:
    """The bytes of a file: as processes see them, and those on the disk with the changes that may follow."""

    seen: bytearray = field(default_factory=bytearray)
    synced: bytearray = field(default_factory=bytearray)
    waiting: list[Operation] = field(default_factory=list)  # with an offset each

    def change(self, operation: Operation) -> None:
        if operation.kind == WRITE and operation.offset is None:
            operation = operation._replace(offset=len(self.seen))
        _apply(self.seen, operation)
        self.waiting.append(operation)

    def sync(self, begun: int) -> None:
        for operation in self.waiting:
            if operation.done < begun:
                _apply(self.synced, operation)
        self.waiting = [operation for operation in self.waiting if operation.done >= begun]

    def after_cut(self, rng: Random, kept: float) -> bytes:
        """Return what may be left. `kept`: the probability of each later change."""
        left = bytearray(self.synced)
        for operation in self.waiting:
            is_torn = operation.kind == WRITE and rng.random() < 0.3
            for part in _sectors(operation) if is_torn else (operation,):
                if rng.random() < kept:
                    _apply(left, part)
        return bytes(left)


def _apply(content: bytearray, operation: Operation) -> None:
    if operation.kind == TRUNCATE:
        del content[operation.size :]
        content.extend(bytes(operation.size - len(content)))
        return
    start = operation.offset or 0
    content.extend(bytes(max(0, start - len(content))))
    content[start : start + len(operation.data)] = operation.data


def _sectors(operation: Operation) -> Iterator[Operation]:
    """Split a write where the disk may tear it."""
    start = operation.offset or 0
    end = start + len(operation.data)
    for sector in range(start // SECTOR * SECTOR, end, SECTOR):
        first, last = max(sector, start), min(sector + SECTOR, end)
        yield operation._replace(offset=first, data=operation.data[first - start : last - start])


@dataclass(eq=False)
class Folder:
    """The names in a folder: as processes see them, and those on the disk."""

    seen: dict[str, File | Folder] = field(default_factory=dict)
    synced: dict[str, File | Folder] = field(default_factory=dict)


@dataclass
class Naming:
    """Names given or taken away by one call, which the sync of `folder` brings to the disk."""

    folder: Folder
    done: int
    names: list[tuple[Folder, str, File | Folder | None]]


class Disk:
    """All below one folder, which is on the disk from the start."""

    def __init__(self, before: Path) -> None:
        self.root = _read(before)
        self.waiting: list[Naming] = []

    def carry_out(self, operation: Operation) -> None:
        """Let processes see an operation, and the disk know it as far as it must."""
        kind, path = operation.kind, operation.path
        if not path:
            return  # a file without a name is gone after a cut, or as old as it was when it lost its name
        if kind == SYNC:
            self._sync(self._find(path), operation.begun)
        elif kind in (WRITE, TRUNCATE):
            found = self._find(path)
            assert isinstance(found, File)
            found.change(operation)
        elif kind == CREATE:
            folder, name = self._place(path)
            if name not in folder.seen:
                self._name(operation, folder, (folder, name, File()))
        elif kind == MAKE_FOLDER:
            folder, name = self._place(path)
            self._name(operation, folder, (folder, name, Folder()))
        elif kind == UNLINK:
            folder, name = self._place(path)
            self._name(operation, folder, (folder, name, None))
        elif kind == RENAME:
            (old, name), (new, new_name) = self._place(path), self._place(operation.to)
            self._name(operation, new, (new, new_name, old.seen[name]), (old, name, None))

    def _name(self, operation: Operation, folder: Folder, *names: tuple[Folder, str, File | Folder | None]) -> None:
        self.waiting.append(Naming(folder, operation.done, list(names)))
        for where, name, what in names:
            _set(where.seen, name, what)

    def _sync(self, found: File | Folder, begun: int) -> None:
        if isinstance(found, File):
            found.sync(begun)
            return
        for naming in [naming for naming in self.waiting if naming.folder is found and naming.done < begun]:
            for where, name, what in naming.names:
                _set(where.synced, name, what)
            self.waiting.remove(naming)

    def _find(self, path: str) -> File | Folder:
        if path == ".":
            return self.root
        folder, name = self._place(path)
        return folder.seen[name]

    def _place(self, path: str) -> tuple[Folder, str]:
        *folders, name = path.split("/")
        found = self.root
        for each in folders:
            below = found.seen[each]
            assert isinstance(below, Folder)
            found = below
        return found, name

    def seen(self) -> dict[str, bytes]:
        """Return the files as processes see them, by path."""
        return {path: bytes(file.seen) for path, file in _files(self.root, {})}

    def after_cut(self, rng: Random) -> dict[str, bytes]:
        """Return the files that may be left if the power fails now, by path."""
        kept, named = rng.choice((0, 0.1, 0.5, 0.9, 1)), rng.choice((0, 0.5, 1))
        names: dict[Folder, dict[str, File | Folder]] = {}
        for naming in self.waiting:
            if rng.random() < named:
                for where, name, what in naming.names:
                    _set(names.setdefault(where, dict(where.synced)), name, what)
        return {path: file.after_cut(rng, kept) for path, file in _files(self.root, names, is_seen=False)}


def _set(names: dict[str, File | Folder], name: str, what: File | Folder | None) -> None:
    if what is None:
        names.pop(name, None)
    else:
        names[name] = what


def _files(
    folder: Folder, changed: dict[Folder, dict[str, File | Folder]], path: str = "", *, is_seen: bool = True
) -> Iterator[tuple[str, File]]:
    for name, what in changed.get(folder, folder.seen if is_seen else folder.synced).items():
        if isinstance(what, Folder):
            yield from _files(what, changed, f"{path}{name}/", is_seen=is_seen)
        else:
            yield f"{path}{name}", what


def _read(folder: Path) -> Folder:
    found = Folder()
    for path in folder.iterdir():
        what = _read(path) if path.is_dir() else File(bytearray(path.read_bytes()), bytearray(path.read_bytes()))
        found.seen[path.name] = found.synced[path.name] = what
    return found


def write(files: Iterable[tuple[str, bytes]], folder: Path) -> None:
    """Write files below a folder."""
    for path, content in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
