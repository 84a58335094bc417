"""Databases of earlier versions: saved by record.py, loaded into SQLite or PostgreSQL by the tests."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

FOLDER = Path(__file__).parent / "schemas"
ROWS, TABLES = ".sql.gz", ".postgresql.sql.gz"


def names() -> list[str]:
    return sorted(path.name.removesuffix(TABLES) for path in FOLDER.glob(f"*{TABLES}"))


# --- SQLite --------------------------------------------------------------------------------------------------


def write_sqlite(name: str, file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        _write(FOLDER / f"{name}{ROWS}", "\n".join(connection.iterdump()))


def load_sqlite(name: str, file: Path) -> None:
    """Create a SQLite database with the schema and the rows of this fixture."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(_read(FOLDER / f"{name}{ROWS}"))


def version_of(name: str) -> str:
    """Return the Alembic revision of this fixture."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_read(FOLDER / f"{name}{ROWS}"))
        version: str = connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    return version


# --- PostgreSQL ----------------------------------------------------------------------------------------------


def write_postgresql(name: str, ddl: str) -> None:
    """Save the output of `pg_dump --schema-only`, without its session settings."""
    noise = ("--", "SET ", "SELECT pg_catalog.set_config", "\\")
    _write(
        FOLDER / f"{name}{TABLES}", "\n".join(line for line in ddl.splitlines() if line and not line.startswith(noise))
    )


def create_tables(name: str, url: str) -> None:
    with connect(url) as connection:
        connection.execute(_read(FOLDER / f"{name}{TABLES}").encode())


def load_postgresql(name: str, url: str, folder: Path) -> None:
    """Create this fixture's tables in an empty PostgreSQL database, and insert the same rows as in SQLite."""
    file = folder / "rows.sqlite3"
    load_sqlite(name, file)
    create_tables(name, url)
    with closing(sqlite3.connect(file)) as rows, connect(url) as connection:
        connection.execute("SET session_replication_role = replica")  # references are valid once all rows are inserted
        for (table,) in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            _copy(rows, connection, table)


def connect(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(url.replace("postgresql+psycopg", "postgresql", 1))


def _copy(rows: sqlite3.Connection, connection: psycopg.Connection[Any], table: str) -> None:
    found = rows.execute(f'SELECT * FROM "{table}"')  # noqa: S608  # a name from our own fixture
    columns = [column[0] for column in found.description]
    booleans = _booleans(connection, table)
    insert = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.SQL(", ").join([sql.Placeholder()] * len(columns)),
    )
    for row in found:
        values = [bool(value) if name in booleans else value for name, value in zip(columns, row, strict=True)]
        connection.execute(insert, values)
    if "id" in columns:
        last = sql.SQL("SELECT setval(pg_get_serial_sequence({}, 'id'), max(id)) FROM {}")
        connection.execute(last.format(sql.Literal(table), sql.Identifier(table)))


def _booleans(connection: psycopg.Connection[Any], table: str) -> set[str]:
    query = "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND data_type = 'boolean'"
    return {name for (name,) in connection.execute(query, [table])}


def _read(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
