"""Tests that would repeat on PostgreSQL what others show.

While tests run on SQLite, what each of them does with the database is written down: the statements, by whom in the app,
and those that failed. PostgreSQL then leaves out the tests that passed there and of which two others, or as many as
there are, do each thing too. Both need a folder, as `make test-all` has one:

    STATEMENTS=/tmp/statements DATABASE=sqlite .venv/bin/python -m pytest -m "not apart"
    STATEMENTS=/tmp/statements DATABASE=postgresql .venv/bin/python -m pytest
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter
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
AT_LEAST = 2  # tests for each thing that is done
_PACKAGE = str(Path(scorekeeper.__file__).parent)
_DB = os.path.join(_PACKAGE, "db")  # where everything passes
_LISTS = re.compile(r"\(\?(?:, \?)*\)(?:, \(\?(?:, \?)*\))*")  # of values, as many as there are


class Done(NamedTuple):
    """What a test did, and how many milliseconds it took."""

    test: str
    things: frozenset[int]
    took: int


@contextmanager
def recorded(test: str) -> Iterator[list[bool]]:
    """Write down what a test does in this block, if its outcomes are all true in the end."""
    assert FOLDER is not None
    things: set[int] = set()

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        things.add(_digest(_find_caller(), statement))

    def note_failure(context: ExceptionContext) -> None:
        things.add(_digest(type(context.original_exception).__name__, context.statement or ""))

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
        line = json.dumps([test, sorted(things), (time.monotonic_ns() - started) // 1_000_000])
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
    done = {found[0]: Done(found[0], frozenset(found[1]), found[2]) for found in map(json.loads, lines)}
    candidates = [done[test] for test in tests if test in done]
    return {each.test for each in candidates} - {each.test for each in choose(candidates)}


def choose(candidates: list[Done]) -> list[Done]:
    """Choose tests so that `AT_LEAST` of them do each thing, if there are as many; those that do most in their time."""
    does = Counter(thing for done in candidates for thing in done.things)
    missing = {thing: min(times, AT_LEAST) for thing, times in does.items()}

    def loss(done: Done) -> float:
        return -sum(missing[thing] > 0 for thing in done.things) / (done.took + 50)

    chosen = []
    waiting = [(loss(done), done) for done in candidates]
    heapify(waiting)
    while any(missing.values()):
        reckoned, best = heappop(waiting)
        if reckoned != (now := loss(best)):  # what others do meanwhile makes it only less
            heappush(waiting, (now, best))
            continue
        chosen.append(best)
        for thing in best.things:
            missing[thing] = max(0, missing[thing] - 1)
    return chosen
