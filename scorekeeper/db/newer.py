"""Databases that a newer version made: this version knows the names of its own tables only, not how they changed.

So it copies and drops what it finds: its own tables, and all that are tied to them by references. Tables of other
programs in the same PostgreSQL database stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import JSON, Column, Connection, MetaData, Table, text
from sqlalchemy.types import TypeEngine

from ..models import Base
from . import copying

VERSION = "alembic_version"
_PARTITIONS = text(
    "SELECT relname FROM pg_class WHERE relispartition AND relnamespace = current_schema()::regnamespace"
)


def is_newer(connection: Connection) -> bool:
    """Return whether the database has a schema version that this code does not know."""
    version = copying.read_version(connection)
    return version is not None and version not in copying.known_versions()


def reflect(connection: Connection) -> MetaData:
    """Return the app's tables as they are in the database."""
    found = MetaData()
    found.reflect(connection)
    partitions = set() if copying.is_sqlite(connection) else set(connection.scalars(_PARTITIONS))
    ours = _tied_to({*Base.metadata.tables, VERSION}, found)
    for table in found.sorted_tables:
        if table.name not in ours or table.name in partitions:
            found.remove(table)
    return found


def _tied_to(names: set[str], metadata: MetaData) -> set[str]:
    """Return these names, and those of all tables that refer to one of them, or are referred to, by any way."""
    pairs = [
        {table.name, key.referred_table.name}
        for table in metadata.tables.values()
        for key in table.foreign_key_constraints
    ]
    tied = set(names)
    while more := {name for pair in pairs if pair & tied for name in pair - tied}:
        tied |= more
    return tied


def copy_into(file: Path, connection: Connection) -> None:
    """Copy the app's tables into a new SQLite file, which the newer version can restore: it takes only the rows."""
    found = reflect(connection)
    plain = MetaData()
    for table in found.sorted_tables:
        Table(table.name, plain, *(Column(column.name, _plain_type(column)) for column in table.columns))
    with copying.opened(file) as target:
        plain.create_all(target)
        copying.copy_plain_rows(connection, found, target, plain)
        target.commit()


def _plain_type(column: Column[object]) -> TypeEngine[object]:
    plain = column.type.as_generic()
    return JSON(none_as_null=True) if isinstance(plain, JSON) else plain


@contextmanager
def foreign_keys_off(connection: Connection) -> Iterator[None]:
    """Let tables of SQLite be dropped and migrated; this cannot be changed within a transaction."""
    if not copying.is_sqlite(connection) or not is_newer(connection):
        yield
        return
    connection.rollback()
    connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
    connection.commit()
    try:
        yield
    finally:
        connection.rollback()
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")
        connection.commit()


def drop_tables(connection: Connection, found: MetaData) -> None:
    """Drop the app's tables, and views of the host on them; the caller commits. The version's table is emptied."""
    names = [f'"{table.name}"' for table in reversed(found.sorted_tables) if table.name != VERSION]
    if copying.is_sqlite(connection):
        for name in names:
            connection.exec_driver_sql(f"DROP TABLE {name}")
    else:
        connection.exec_driver_sql(f"DROP TABLE {', '.join(names)} CASCADE")
    connection.exec_driver_sql(f"DELETE FROM {VERSION}")  # noqa: S608  # a name of ours
