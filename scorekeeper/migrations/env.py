"""Alembic's environment: the app's own engine and models; run by `scorekeeper migrate` or `flask db …`."""

from alembic import context
from flask import current_app
from sqlalchemy import Connection

LOCK = 1765  # of PostgreSQL, ours by this number

migrate = current_app.extensions["migrate"]


def run(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=migrate.db.metadata, **migrate.configure_args)
    with context.begin_transaction():
        context.run_migrations()


with migrate.db.engine.connect() as connection:
    if connection.dialect.name == "sqlite":
        # SQLite alters a table by copying it and dropping the old one, to which others refer meanwhile.
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        connection.commit()
        run(connection)
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        if broken:
            raise RuntimeError(f"references without their row after the migration: {broken}")
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")
        connection.commit()
    else:
        # Of several processes that start together one migrates, and the others find it done.
        connection.exec_driver_sql(f"SELECT pg_advisory_lock({LOCK})")
        connection.commit()  # the lock stays with the connection
        try:
            run(connection)
        finally:
            connection.rollback()
            connection.exec_driver_sql(f"SELECT pg_advisory_unlock({LOCK})")
