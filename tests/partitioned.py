"""Turning a migrated PostgreSQL database into one whose tables are hash-partitioned by circle.

With `PARTITIONED=1` in the environment, the tests on PostgreSQL use such databases. Everything follows from the
catalog: a table without a circle is refused by its name, so that a new one cannot be forgotten.

What a partition cannot check alone is checked less: primary keys and unique constraints get the circle as a further
column. Ids stay unique by their sequences. What has to be unique over all circles (`circle.name`, `card_table.token`)
is random.
"""

from __future__ import annotations

import os
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg import sql

IS_PARTITIONED = os.environ.get("PARTITIONED") == "1"
PARTITIONS = 4
OF_ALL_CIRCLES = {"alembic_version", "device"}  # left as they are: every partition needs them
CIRCLE, CIRCLE_ID = "circle", "circle_id"

Connection = psycopg.Connection[Any]


class Constraint(NamedTuple):
    """A primary key ("p"), unique constraint ("u") or foreign key ("f"), with its definition as SQL."""

    table: str
    name: str
    kind: str
    columns: list[str]
    definition: str


def convert(url: str, partitions: int = PARTITIONS) -> None:
    """Partition all tables of a database, with their rows.

    Raises:
        LookupError: a table has no `circle_id`, and is not one of all circles.
    """
    with psycopg.connect(url.replace("postgresql+psycopg", "postgresql", 1)) as connection:
        tables = {table: _key(connection, table) for table in sorted(_tables(connection) - OF_ALL_CIRCLES)}
        constraints = [each for each in _constraints(connection) if each.table in tables]
        indexes = _indexes(connection, tables)
        for constraint in constraints:
            if constraint.kind == "f":
                _run(connection, "ALTER TABLE {} DROP CONSTRAINT {}", constraint.table, constraint.name)
        for table, key in tables.items():
            _partition(connection, table, key, partitions)
        for constraint in sorted(constraints, key=lambda each: "puf".index(each.kind)):
            _add(connection, constraint, tables[constraint.table])
        for definition in indexes:
            connection.execute(definition)


def _tables(connection: Connection) -> set[str]:
    found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    return {name for (name,) in found}


def _key(connection: Connection, table: str) -> str:
    """Return the column by which a table is partitioned."""
    if table == CIRCLE:
        return "id"
    query = "SELECT 1 FROM information_schema.columns WHERE table_name = %s AND column_name = %s AND is_nullable = 'NO'"
    if connection.execute(query, [table, CIRCLE_ID]).fetchone() is None:
        raise LookupError(f"{table} has no {CIRCLE_ID}, by which it would be partitioned")
    return CIRCLE_ID


def _constraints(connection: Connection) -> list[Constraint]:
    rows = connection.execute("""
        SELECT conrelid::regclass::text, conname, contype::text, pg_get_constraintdef(pg_constraint.oid), array(
            SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS k (number, place)
            JOIN pg_attribute ON attrelid = conrelid AND attnum = number ORDER BY place
        )
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f') ORDER BY 1, 2
    """)
    return [Constraint(table, name, kind, columns, definition) for table, name, kind, definition, columns in rows]


def _indexes(connection: Connection, tables: dict[str, str]) -> list[str]:
    """Return the definitions of indexes that belong to no constraint.

    Raises:
        LookupError: one is unique without the column by which its table is partitioned.
    """
    rows = connection.execute("""
        SELECT indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid), indisunique, array(
            SELECT attname::text FROM pg_attribute WHERE attrelid = indexrelid
        )
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relnamespace = 'public'::regnamespace
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
    """).fetchall()
    for table, name, _, is_unique, columns in rows:
        if table in tables and is_unique and tables[table] not in columns:
            raise LookupError(f"{name} is unique without {tables[table]}, by which {table} is partitioned")
    return [definition for table, _, definition, *_ in rows if table in tables]


def _partition(connection: Connection, table: str, key: str, partitions: int) -> None:
    """Replace a table by a partitioned one without constraints, with the same columns, sequence and rows."""
    plain = f"{table}_plain"
    sequence = connection.execute("SELECT pg_get_serial_sequence(%s, column_name) FROM information_schema.columns"
        " WHERE table_name = %s AND column_default LIKE 'nextval%%'", [table, table]).fetchone()  # fmt: skip
    _run(connection, "ALTER TABLE {} RENAME TO {}", table, plain)
    _run(connection, "CREATE TABLE {} (LIKE {} INCLUDING DEFAULTS) PARTITION BY HASH ({})", table, plain, key)
    for number in range(partitions):
        part = sql.SQL("CREATE TABLE {} PARTITION OF {} FOR VALUES WITH (MODULUS {}, REMAINDER {})")
        names = sql.Identifier(f"{table}_p{number}"), sql.Identifier(table)
        connection.execute(part.format(*names, sql.Literal(partitions), sql.Literal(number)))
    _run(connection, "INSERT INTO {} SELECT * FROM {}", table, plain)
    if sequence is not None:
        connection.execute(f'ALTER SEQUENCE {sequence[0]} OWNED BY "{table}".id')
    _run(connection, "DROP TABLE {}", plain)


def _add(connection: Connection, constraint: Constraint, key: str) -> None:
    """Add a constraint again; a primary key or unique constraint with the key of its table."""
    definition = constraint.definition
    if constraint.kind != "f" and key not in constraint.columns:
        definition = f'{definition.removesuffix(")")}, "{key}")'
    add = sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} ").format(*map(sql.Identifier, constraint[:2]))
    connection.execute(add + sql.SQL(definition))


def _run(connection: Connection, statement: LiteralString, *names: str) -> None:
    connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
