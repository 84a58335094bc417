"""Copying all rows between databases, and what backups and restores need besides: locks, sequences, indexes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Column,
    Connection,
    MetaData,
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

from ..models import Base
from .engine import begin_writing

MIGRATIONS = Path(__file__).parent / "migrations"
BATCH_SIZE = 500  # rows read and written together


def lock_for_writing(connection: Connection, names: Iterable[str]) -> None:
    """Lock tables against other writers until the transaction ends; reading is still possible."""
    begin_writing(connection)
    if not is_sqlite(connection):
        connection.execute(text(f"LOCK TABLE {', '.join(names)} IN EXCLUSIVE MODE"))


def copy_rows(source: Connection, target: Connection) -> None:
    """Copy the rows of all tables; the caller commits."""
    for table in Base.metadata.sorted_tables:
        own = [column for column in table.columns if _is_self_reference(column, table)]
        referring: list[dict[str, Any]] = []
        for rows in _read_rows(source, table):
            referring += [dict(row) for row in rows if any(row[column.name] is not None for column in own)]
            # A row may refer to a later row of its own table, so such references are set at the end.
            target.execute(insert(table), [dict(row) | {column.name: None for column in own} for row in rows])
        for start in range(0, len(referring), BATCH_SIZE):
            _set_self_references(target, table, own, referring[start : start + BATCH_SIZE])


def copy_plain_rows(source: Connection, found: MetaData, target: Connection, plain: MetaData) -> None:
    """Copy the rows of all tables into tables of the same names without references; the caller commits."""
    for table in found.sorted_tables:
        for rows in _read_rows(source, table):
            target.execute(insert(plain.tables[table.name]), [dict(row) for row in rows])


def _read_rows(connection: Connection, table: Table) -> Iterator[Sequence[RowMapping]]:
    return connection.execute(select(table).execution_options(yield_per=BATCH_SIZE)).mappings().partitions()


def _is_self_reference(column: Column[Any], table: Table) -> bool:
    return column.nullable is True and any(key.column.table is table for key in column.foreign_keys)


def _set_self_references(target: Connection, table: Table, own: list[Column[Any]], rows: list[dict[str, Any]]) -> None:
    one = update(table).where(table.c.id == bindparam("_id"))
    params = [{"_id": row["id"]} | {column.name: row[column.name] for column in own} for row in rows]
    target.execute(one.values({column.name: bindparam(column.name) for column in own}), params)


def reset_sequences(connection: Connection) -> None:
    """Set PostgreSQL's sequences to the highest id; SQLite has none."""
    if is_sqlite(connection):
        return
    for table in Base.metadata.sorted_tables:
        id_column = table.autoincrement_column
        if id_column is not None:
            sequence = func.pg_get_serial_sequence(table.name, id_column.name)
            last = select(func.max(id_column)).scalar_subquery()
            connection.execute(select(func.setval(sequence, func.coalesce(last, 1), last.is_not(None))))


def rebuild_indexes(connection: Connection) -> None:
    """Rebuild every index in the caller's transaction."""
    begin_writing(connection)
    for table in Base.metadata.sorted_tables:
        if is_sqlite(connection):
            connection.execute(text(f'REINDEX "{table.name}"'))
        else:
            parts = connection.scalars(_PARTITIONS, {"table": table.name}).all()
            for name in parts or [f'"{table.name}"']:
                connection.execute(text(f"REINDEX TABLE {name}"))


# PostgreSQL rebuilds the indexes of a partitioned table in no transaction, but those of a partition.
_PARTITIONS = text("SELECT relid::regclass::text FROM pg_partition_tree(CAST(:table AS regclass)) WHERE isleaf")


def is_sqlite(connection: Connection) -> bool:
    """Whether the connection is to SQLite."""
    return connection.dialect.name == "sqlite"


def read_version(connection: Connection) -> str | None:
    """Return the version of the database's schema; None if it has none, or several."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.scalars(text("SELECT version_num FROM alembic_version")).all()
    return str(found[0]) if len(found) == 1 else None


@cache
def newest_version() -> str:
    """Return the schema version that this code needs."""
    return max(known_versions())


@cache
def known_versions() -> frozenset[str]:
    """Return all schema versions up to the newest."""
    return frozenset(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


@contextmanager
def opened(file: Path) -> Iterator[Connection]:
    """Connect to a SQLite file."""
    engine = create_engine(URL.create("sqlite", database=str(file)))
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def check_readable(copy: Path) -> None:
    """Read every row of a backup of the newest schema; exceptions from the database pass through."""
    with opened(copy) as connection:
        for table in Base.metadata.sorted_tables:
            for _rows in _read_rows(connection, table):
                pass
