"""Count SQL statements and rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

from flask import Flask
from sqlalchemy import event

from scorekeeper.models import Base, db


@contextmanager
def counted(app: Flask) -> Iterator[list[str]]:
    """Collect the SQL statements that the block executes. The threads that follow changes have others, at any time."""
    statements: list[str] = []
    own = get_ident()

    def collect(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if get_ident() == own:
            statements.append(statement)

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", collect)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", collect)


def count_rows(app: Flask) -> dict[str, int]:
    """Return the number of rows of each table."""
    with app.app_context():
        return {table.name: db.session.query(table).count() for table in Base.metadata.sorted_tables}
