"""Alembic's environment: the app's own engine and models; run by `scorekeeper migrate`.

All pending migrations run in one transaction, which only one process at a time can hold: if several start together, one
migrates and the others find the database up to date. A process that is killed leaves the database unchanged.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import context
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from scorekeeper.db.engine import begin_writing
from scorekeeper.errors import StartupError
from scorekeeper.models import db

LOCK = 1765  # this app's key among PostgreSQL's advisory locks
LOCK_TIMEOUT = 300  # seconds to wait for another process that migrates the same SQLite file


def run_migrations(connection: Connection) -> None:
    """Run the migrations in the caller's transaction; Alembic then begins none of its own."""
    context.configure(
        connection=connection,
        on_version_apply=context.config.attributes.get("on_version_apply"),  # called after each migration
    )
    context.run_migrations()


def migrate_sqlite(connection: Connection) -> None:
    """Migrate a SQLite file in one writing transaction, and check its foreign keys."""
    with foreign_keys_off(connection):
        try:
            with connection.begin():
                begin_writing(connection)
                run_migrations(connection)
                check_references(connection)
        except IntegrityError:  # such as a row without the row that has a value for a new column
            with connection.begin():
                check_references(connection)
            raise


def check_references(connection: Connection) -> None:
    """Check the foreign keys of a SQLite file."""
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise StartupError("references", table=broken[0])


@contextmanager
def foreign_keys_off(connection: Connection) -> Iterator[None]:
    """Turn off foreign keys, since SQLite alters a table by replacing it; and wait longer for other processes.

    Neither setting can be changed within a transaction.
    """
    timeout = connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one()
    connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
    connection.exec_driver_sql(f"PRAGMA busy_timeout={LOCK_TIMEOUT * 1000}")
    connection.commit()
    try:
        yield
    finally:
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")
        connection.exec_driver_sql(f"PRAGMA busy_timeout={timeout}")
        connection.commit()


def migrate_postgresql(connection: Connection) -> None:
    """Migrate a PostgreSQL database in one transaction that holds the advisory lock."""
    # The app's own isolation level would take the snapshot before the lock is granted.
    connection.execution_options(isolation_level="READ COMMITTED")
    with connection.begin():
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
        try:
            run_migrations(connection)
        except IntegrityError as error:
            table = getattr(getattr(error.orig, "diag", None), "table_name", None)
            raise StartupError("references", table=table or "?") from None


def run() -> None:
    """Migrate by the connection that the caller gives, in its transaction, or by one of the app's engine."""
    given = context.config.attributes.get("connection")
    if given is not None:
        run_migrations(given)
        return
    with db.engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            migrate_sqlite(connection)
        else:
            migrate_postgresql(connection)


run()
