"""How many partitions a statement reaches, on a database that tests/partitioned.py has made.

All rows of a circle are in partitions of one number. A statement that names the circle for every table reaches one
number, as it would one machine of several; another one all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask
from sqlalchemy import event

from scorekeeper.models import db

_PARTITION = re.compile(r"_p(\d+)$")


class Reach:
    """The number of partitions that each different statement reached at most, and how often it was executed."""

    def __init__(self) -> None:
        self.partitions: dict[str, int] = {}
        self.times: dict[str, int] = {}

    def add(self, cursor: Any, statement: str, parameters: Any) -> None:
        """Note a statement before it is executed."""
        if not statement.startswith(("SELECT", "UPDATE", "DELETE", "INSERT")):
            return
        self.times[statement] = self.times.get(statement, 0) + 1
        if self.partitions.get(statement, 0) <= 1:
            first = parameters[0] if isinstance(parameters, list) else parameters
            found = self._explained(cursor, statement, first, "")
            if len(found) > 1:  # such a plan may skip most partitions when it runs
                found = self._explained(cursor, statement, first, "ANALYZE, TIMING OFF, ")
            self.partitions[statement] = max(len(found), self.partitions.get(statement, 0))

    def of_all(self) -> list[str]:
        """List the statements that reached several partitions, each in one line."""
        return [" ".join(statement.split()) for statement, found in self.partitions.items() if found > 1]

    def _explained(self, cursor: Any, statement: str, parameters: Any, options: str) -> set[str]:
        with cursor.connection.cursor() as other:
            other.execute("SAVEPOINT explained")
            plan = other.execute(f"EXPLAIN ({options}COSTS OFF, FORMAT JSON) {statement}", parameters).fetchone()[0]
            other.execute("ROLLBACK TO SAVEPOINT explained; RELEASE SAVEPOINT explained")
        return set(_partitions(plan if isinstance(plan, list) else json.loads(plan)))


def _partitions(plan: Any) -> Iterator[str]:
    """Yield the numbers of the partitions that a plan reads or writes, but for those that it never came to."""
    if isinstance(plan, list):
        for each in plan:
            yield from _partitions(each)
    elif isinstance(plan, dict) and plan.get("Actual Loops") != 0:
        found = _PARTITION.search(plan.get("Relation Name", ""))
        if found:
            yield found[1]
        for value in plan.values():
            yield from _partitions(value)


@contextmanager
def observed(app: Flask) -> Iterator[Reach]:
    """Observe the statements executed in the block."""
    reach = Reach()

    def note(_connection: Any, cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        reach.add(cursor, statement, parameters)

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield reach
    finally:
        event.remove(engine, "before_cursor_execute", note)
