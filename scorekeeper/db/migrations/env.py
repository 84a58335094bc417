"""Alembic's environment; run by `scorekeeper migrate`, and by `alembic revision` on an empty database in memory.

All pending migrations run in one transaction, which only one process at a time can hold: if several start together, one
migrates and the others find the database up to date. A process that is killed leaves the database unchanged.
"""

from alembic import context
from sqlalchemy import Connection, create_engine

from scorekeeper.db.engine import begin_writing
from scorekeeper.models import Base

LOCK = 1765  # this app's key among PostgreSQL's advisory locks


def run(connection: Connection) -> None:
    """Run the migrations in a transaction that no other process can hold; Alembic then begins none of its own."""
    is_sqlite = connection.dialect.name == "sqlite"
    if is_sqlite:  # it alters a table by replacing it; neither setting can be changed within a transaction
        _set(connection, "journal_mode=WAL", "foreign_keys=OFF")
    with connection.begin():
        begin_writing(connection)
        if not is_sqlite:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
        context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=is_sqlite)
        context.run_migrations()
    if is_sqlite:
        _set(connection, "foreign_keys=ON")


def _set(connection: Connection, *pragmas: str) -> None:
    for pragma in pragmas:
        connection.connection.cursor().execute(f"PRAGMA {pragma}")


engine = context.config.attributes.get("engine") or create_engine("sqlite://")
with engine.connect() as found:
    run(found)
