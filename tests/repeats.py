"""Choose the tests that PostgreSQL need not repeat.

The tests on SQLite record their use of the database: each statement with the function of the app that runs it, and each
statement that fails. PostgreSQL then leaves out tests that passed there, as long as one test repeats each use. Both
runs need the same folder; `make test-all` makes one:

    STATEMENTS=/tmp/statements DATABASE=sqlite .venv/bin/python -m pytest -m "not apart"
    STATEMENTS=/tmp/statements DATABASE=postgresql .venv/bin/python -m pytest
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.engine.interfaces import ExceptionContext

import scorekeeper

FOLDER = os.environ.get("STATEMENTS")
_PACKAGE = str(Path(scorekeeper.__file__).parent)
_DB = os.path.join(_PACKAGE, "db")  # all statements pass through it
_LISTS = re.compile(r"\(\?(?:, \?)*\)(?:, \(\?(?:, \?)*\))*")  # of values, of any length


class Recording(NamedTuple):
    """How a test uses the database, as checksums of each use; and how many milliseconds it takes."""

    test: str
    uses: frozenset[int]
    milliseconds: int


@contextmanager
def recorded(test: str) -> Iterator[list[bool]]:
    """Record how a test uses the database in this block, if its outcomes are all true at the end."""
    assert FOLDER is not None
    uses: set[int] = set()

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        uses.add(_digest(_find_caller(), statement))

    def note_failure(context: ExceptionContext) -> None:
        uses.add(_digest(type(context.original_exception).__name__, context.statement or ""))

    outcomes: list[bool] = []
    started = time.monotonic_ns()
    event.listen(Engine, "before_cursor_execute", note)
    event.listen(Engine, "handle_error", note_failure)
    try:
        yield outcomes
    finally:
        event.remove(Engine, "before_cursor_execute", note)
        event.remove(Engine, "handle_error", note_failure)
    if all(outcomes):
        line = json.dumps([test, sorted(uses), (time.monotonic_ns() - started) // 1_000_000])
        Path(FOLDER).mkdir(exist_ok=True)
        with Path(FOLDER, f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def _digest(who: str, statement: str) -> int:
    return crc32(f"{who}: {_LISTS.sub('(?)', statement)}".encode())


def _find_caller() -> str:
    """Return the function of the app that runs the statement."""
    frame, found = sys._getframe(2), ""
    while frame.f_back is not None:
        name = frame.f_code.co_filename
        if name.startswith(_PACKAGE):
            found = f"{name.removeprefix(_PACKAGE)} {frame.f_code.co_name}"
            if not name.startswith(_DB):
                break
        frame = frame.f_back
    return found


def find_repeats(tests: Iterable[str]) -> set[str]:
    """Return those of the tests that can be left out."""
    assert FOLDER is not None
    lines = [line for file in Path(FOLDER).glob("*.jsonl") for line in file.read_text(encoding="utf-8").splitlines()]
    recordings = {found[0]: Recording(found[0], frozenset(found[1]), found[2]) for found in map(json.loads, lines)}
    candidates = [recordings[test] for test in tests if test in recordings]
    return {each.test for each in candidates} - {each.test for each in choose(candidates)}


def choose(candidates: list[Recording]) -> list[Recording]:
    """Choose tests so that each use has one; most uses per second first."""
    missing = {use for recording in candidates for use in recording.uses}

    def cost(recording: Recording) -> float:
        return -len(missing & recording.uses) / (recording.milliseconds + 50)

    chosen = []
    waiting = [(cost(recording), recording) for recording in candidates]
    heapify(waiting)
    while missing:
        earlier, best = heappop(waiting)
        if earlier != (current := cost(best)):  # tests chosen since have some of its uses; a cost only grows
            heappush(waiting, (current, best))
            continue
        chosen.append(best)
        missing -= best.uses
    return chosen
