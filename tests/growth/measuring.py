"""What a request costs, counted, so that it does not depend on what else the machine does."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from flask import Flask
from sqlalchemy import event

import scorekeeper
from scorekeeper.models import Settlement, db

from .growing import Scene
from .pages import find_pages
from .world import HOST, World

EVERY = 10  # SQLite's steps between two calls of its progress handler
OWN = (f"{Path(scorekeeper.__file__).parent}/", f"{Path(scorekeeper.__file__).parent.parent / 'templates'}/")

Grow = Callable[[Scene], None]


class Cost(NamedTuple):
    """The functions that were called, with the lines of our own code and templates; and SQLite's steps."""

    python: int
    sqlite: int


class Counter:
    """Counts what this thread runs, and the steps of all connections of an app."""

    def __init__(self, app: Flask) -> None:
        self.python = self.sqlite = 0
        with app.app_context():
            event.listen(db.engine, "connect", self._listen)
            db.engine.dispose()

    def _listen(self, connection: Any, _record: Any) -> None:
        assert isinstance(connection, sqlite3.Connection)
        connection.set_progress_handler(self._step, EVERY)

    def _step(self) -> int:
        self.sqlite += EVERY
        return 0

    def _call(self, frame: Any, _what: str, _argument: Any) -> Any:
        self.python += 1
        return self._line if _is_own(frame.f_code) else None

    def _line(self, _frame: Any, _what: str, _argument: Any) -> Any:
        self.python += 1
        return self._line

    @contextmanager
    def counted(self) -> Iterator[list[Cost]]:
        """Put what the block costs into the list, at its end."""
        self.python, self.sqlite, found = 0, 0, list[Cost]()
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            yield found
        finally:
            sys.settrace(before)
            found.append(Cost(self.python, self.sqlite))


@cache
def _is_own(code: CodeType) -> bool:
    return code.co_filename.startswith(OWN)


class Meter:
    """Reads the pages of a prepared circle after some of its collections have grown."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.table, self.event = world.tables["open"].split("/")[2], world.events["paused"].rpartition("/")[2]
        with world.session():
            scene = Scene(self.table, self.event)
            scene.event.has_check_in, scene.event.fee, scene.event.currency, scene.event.cashier_id = (
                True,
                "5",
                "EUR",
                1,
            )
            db.session.commit()
            day, settlement = scene.table.day, str(scene.rows(Settlement)[0]["token"])
        world.store.save()
        self.paths = find_pages(world, self.table, self.event, settlement, day)

    def grow(self, *growing: Grow) -> None:
        """Let collections of the prepared circle grow."""
        self.world.reset()
        with self.world.session():
            scene = Scene(self.table, self.event)
            for each in growing:
                each(scene)
            scene.store()

    def read(self, path: str) -> int:
        """Read a page; return its length in bytes."""
        with self.world.client(HOST).get(path) as answer:
            assert answer.status_code == 200, path
            return len(answer.get_data())

    def title(self, path: str) -> str:
        """Return an address without what is random in it."""
        return path.replace(self.world.circle, "…").replace(self.table, "…").replace(self.event, "…")

    def costs(self, paths: Sequence[str]) -> dict[str, Cost]:
        """Return what each page costs when it is read once."""
        counter, costs = Counter(self.world.app), {}
        for path in paths:
            with counter.counted() as found:
                self.read(path)
            (costs[path],) = found
        return costs
