"""Power cuts at any moment of a recorded evening, and what is wrong afterwards.

A failing cut is repeated by `python -m tests.faults.power_cuts <folder of the recording> <number of the cut>`.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from scorekeeper.db import schemas
from scorekeeper.db.upgrades import upgrade
from scorekeeper.models import Base, db
from scorekeeper.services.verify import verify

from ..apps import open_app
from ..migrations.schemas import load_sqlite
from . import evening, traced
from .disk import Disk, write
from .evening import DATABASE, KEPT, KEYED, MARKS, NEW, OLD, PART, RESTORED, RESTORING, STORED

EARLIER = "editions-0002"  # the schema of the database that is upgraded
KEYS = " UNION ALL ".join(
    f"SELECT entry_key FROM {table.name}"  # noqa: S608  # our own names
    for table in Base.metadata.sorted_tables
    if "entry_key" in table.columns
)
BY_KEY = f"SELECT count(*) FROM ({KEYS}) WHERE entry_key = :key"  # noqa: S608  # our own names

Mark = list[Any]


def record(folder: Path) -> None:
    """Record an evening into an empty folder."""
    disk = folder / "disk"
    (disk / OLD).mkdir(parents=True)
    load_sqlite(EARLIER, disk / OLD / DATABASE)
    (disk / OLD / "secret_key").write_text("0123456789abcdef" * 4)
    shutil.copytree(disk, folder / "before")
    (folder / "path").write_text(str(disk))
    traced.record([sys.executable, "-m", "tests.faults.evening", str(disk)], folder / "trace")


class Recording:
    """A recorded evening.

    Attributes:
        operations: what was done to files, in order.
        marks: what was noted meanwhile; `mark_at` has the number of operations before each.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.operations: list[traced.Operation] = []
        self.marks: list[Mark] = []
        self.mark_at: list[int] = []
        for operation in traced.read(folder / "trace", (folder / "path").read_text()):
            if operation.path != MARKS:
                self.operations.append(operation)
            elif operation.kind == traced.WRITE:
                self.marks.append(json.loads(operation.data))
                self.mark_at.append(len(self.operations))
        self.final = self.disk(self.operations).seen()

    def without(self, kind: Callable[[traced.Operation], bool]) -> Recording:
        """Return the same recording as if some operations had not been done."""
        other = copy(self)
        other.operations = [
            operation._replace(path="") if kind(operation) else operation for operation in self.operations
        ]
        return other

    def disk(self, operations: Iterable[traced.Operation] = ()) -> Disk:
        disk = Disk(self.folder / "before")
        for operation in operations:
            disk.carry_out(operation)
        return disk

    def parts(self) -> list[tuple[str, int, int]]:
        """Return the name of each part, and its first and last moment, as numbers of operations before it."""
        found = [(mark[2], at) for mark, at in zip(self.marks, self.mark_at, strict=True) if mark[1] == PART]
        ends = [at for _, at in found[1:]] + [len(self.operations)]
        return [(name, start, end) for (name, start), end in zip(found, ends, strict=True) if end > start]

    def cuts(self, numbers: Iterable[int]) -> Iterator[Cut]:
        """Yield the cuts with these numbers, in the order of their moments; each number has one cut."""
        parts = self.parts()
        chosen = []
        for number in numbers:
            rng = Random(number)  # noqa: S311  # nothing secret
            part, start, end = rng.choice(parts)
            chosen.append((rng.randint(start, end), number, part, rng))
        disk, done = self.disk(), 0
        for at, number, part, rng in sorted(chosen, key=lambda cut: cut[:2]):
            for operation in self.operations[done:at]:
                disk.carry_out(operation)
            done = at
            yield Cut(number, part, disk.after_cut(rng), self._promises(at))

    def _promises(self, at: int) -> list[list[Mark]]:
        """Return what was acknowledged, as alternatives: while a restore runs, the old or the new may be there."""
        promised: list[Mark] = []
        backed_up: list[Mark] = []
        both: list[list[Mark]] = []
        for mark in self.marks[: bisect_right(self.mark_at, at)]:
            if mark[1] in (KEYED, STORED, KEPT):
                promised.append(mark)
            elif mark[1:] == [PART, evening.BACKUP]:
                backed_up = list(promised)
            elif mark[1] == RESTORING:
                lost = [[*mark, 0] for mark in promised if mark not in backed_up and mark[1] == KEYED]
                files = [mark for mark in promised if mark not in backed_up and mark[1] == KEPT]
                both = [promised, backed_up + lost + files]
            elif mark[1] == RESTORED:
                promised, both = both[1], []
        return both or [promised]


@dataclass
class Cut:
    number: int
    part: str
    files: dict[str, bytes]
    promises: list[list[Mark]]


@dataclass
class Judge:
    """Opens what cuts have left; a database with the same bytes is looked at once."""

    recording: Recording
    work: Path
    verified: dict[str, list[str]] = field(default_factory=dict)
    results: dict[tuple[str, str], object] = field(default_factory=dict)

    def faults(self, cut: Cut) -> list[str]:
        """Return what is wrong after a cut."""
        left = self.work / "left"
        shutil.rmtree(left, ignore_errors=True)
        write(cut.files.items(), left)
        found = []
        for path in cut.files:
            instance, _, name = path.partition("/")
            is_placed = "/" not in name and not name.startswith((DATABASE, "."))
            if is_placed and cut.files[path] != self.recording.final.get(path):
                found.append(f"{path} is not whole")
        contents: dict[str, str] = {}
        for instance in (NEW, OLD):
            try:
                contents[instance] = self._open(left / instance / DATABASE)
            except sqlite3.Error as error:
                found.append(f"{instance}: {error}")
        found += [fault for content in contents.values() for fault in self.verified[content]]
        broken = [[fault for mark in marks for fault in self._broken(mark, left, contents)] for marks in cut.promises]
        return found + min(broken, key=len)

    def _open(self, file: Path) -> str:
        """Open a database, verify it as the next start leaves it, and return a digest of its content."""
        content = b""
        if file.exists():
            with closing(sqlite3.connect(file)) as connection:
                connection.execute("PRAGMA synchronous=OFF")  # the disk of this machine has to keep none of it
                if connection.execute("PRAGMA page_count").fetchone() != (0,):
                    content = connection.serialize()
        digest = sha256(content).hexdigest()
        if digest not in self.verified:
            opened = self.work / DATABASE
            opened.write_bytes(content)
            self.verified[digest] = list(_verify(opened))
        return digest

    def _broken(self, mark: Mark, left: Path, contents: dict[str, str]) -> Iterator[str]:
        """Yield what does not hold of an acknowledgement: rows, a file, and the key with which cookies are signed."""
        instance, kind, what, *rest = mark
        folder = left / instance
        if not (folder / "secret_key").exists():
            yield f"{instance}: the secret key is lost"
        if kind == KEPT:
            if not (folder / what).exists():
                yield f"{instance}: {what} is lost"
            return
        query, parameters, expected = (BY_KEY, {"key": what}, *rest, 1)[:3] if kind == KEYED else (what, *rest)
        found = (contents.get(instance, ""), json.dumps(mark))
        if found not in self.results:
            self.results[found] = _result(query, parameters, folder / DATABASE)
        if self.results[found] != expected:
            yield f"{instance}: {what} {parameters} is there {self.results[found]} times instead of {expected}"


def _result(query: str, parameters: dict[str, str], file: Path) -> object:
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            return connection.execute(query, parameters).fetchone()[0]
    except sqlite3.Error as error:
        return error


def _verify(file: Path) -> Iterator[str]:
    """Yield the faults of a database once the server has started on it."""
    with open_app(f"sqlite:///{file}") as app, app.app_context():
        try:
            schemas.check(db.engine, schemas.Needs.UPGRADE)
            upgrade()
            yield from (str(fault) for fault in verify().faults)
        except Exception as error:
            yield repr(error)


def find_faults(recording: Recording, numbers: Iterable[int]) -> Iterator[tuple[Cut, list[str]]]:
    """Yield each of these cuts with what is wrong after it."""
    with TemporaryDirectory(prefix="power-cuts-") as work:
        judge = Judge(recording, Path(work))
        for cut in recording.cuts(numbers):
            yield cut, judge.faults(cut)


if __name__ == "__main__":
    for cut, faults in find_faults(Recording(Path(sys.argv[1])), map(int, sys.argv[2:])):
        print(f"Cut {cut.number}, in {cut.part}: {faults or 'nothing is wrong'}")
