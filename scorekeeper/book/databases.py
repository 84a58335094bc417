"""Databases side by side: rows copied from one to another, files of SQLite opened, locks taken."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from alembic.script import ScriptDirectory
from sqlalchemy import (
    URL,
    Column,
    Connection,
    RowMapping,
    Table,
    bindparam,
    create_engine,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)

from ..store import Base
from .connections import begin_writing

MIGRATIONS = Path(__file__).parent.parent / "migrations"
AT_ONCE = 500  # rows that are read and written together


def lock(connection: Connection) -> None:
    """Let nobody else write until this transaction ends; reading goes on."""
    begin_writing(connection)
    if not is_sqlite(connection):
        names = ", ".join(table.name for table in Base.metadata.sorted_tables)
        connection.execute(text(f"LOCK TABLE {names} IN EXCLUSIVE MODE"))


def copy_rows(source: Connection, target: Connection) -> None:
    for table in Base.metadata.sorted_tables:
        own = [column for column in table.columns if _points_at(column, table)]
        pointing: list[dict[str, Any]] = []
        for rows in _rows_of(source, table):
            pointing += [dict(row) for row in rows if any(row[column.name] is not None for column in own)]
            # A row may point at one of its own kind that comes later: at first none points anywhere.
            target.execute(insert(table), [dict(row) | {column.name: None for column in own} for row in rows])
        for at in range(0, len(pointing), AT_ONCE):
            _point(target, table, own, pointing[at : at + AT_ONCE])


def _rows_of(connection: Connection, table: Table) -> Iterator[Sequence[RowMapping]]:
    return connection.execute(select(table).execution_options(yield_per=AT_ONCE)).mappings().partitions()


def _points_at(column: Column[Any], table: Table) -> bool:
    return any(key.column.table is table for key in column.foreign_keys)


def _point(target: Connection, table: Table, own: list[Column[Any]], rows: list[dict[str, Any]]) -> None:
    one = update(table).where(table.c.id == bindparam("_id"))
    told = [{"_id": row["id"]} | {column.name: row[column.name] for column in own} for row in rows]
    target.execute(one.values({column.name: bindparam(column.name) for column in own}), told)


def count_on(connection: Connection) -> None:
    """PostgreSQL counts ids apart from the rows: let it go on after the last of them."""
    if is_sqlite(connection):
        return
    for table in Base.metadata.sorted_tables:
        counted = table.autoincrement_column
        if counted is not None:
            sequence = func.pg_get_serial_sequence(table.name, counted.name)
            last = select(func.max(counted)).scalar_subquery()
            connection.execute(select(func.setval(sequence, func.coalesce(last, 1), last.is_not(None))))


def is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def version_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.scalars(text("SELECT version_num FROM alembic_version")).all()
    return str(found[0]) if len(found) == 1 else None


@cache
def newest_version() -> str:
    """The version of the schema that this code was written for."""
    return ScriptDirectory(str(MIGRATIONS)).get_current_head() or ""


def put_together(file: Path) -> None:
    """From now on SQLite needs nothing beside the file to read it."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


@contextmanager
def opened(file: Path) -> Iterator[Connection]:
    """A SQLite file."""
    engine = create_engine(URL.create("sqlite", database=str(file)))
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def read_through(copy: Path) -> None:
    """Read every row of a backup of the newest schema; raises whatever keeps one from being read."""
    with opened(copy) as connection:
        for table in Base.metadata.sorted_tables:
            for _rows in _rows_of(connection, table):
                pass
