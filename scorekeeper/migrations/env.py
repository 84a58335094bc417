"""Alembic's environment: the app's own engine and models; run by `scorekeeper migrate` or `flask db …`."""

from alembic import context
from flask import current_app

migrate = current_app.extensions["migrate"]

with migrate.db.engine.connect() as connection:
    context.configure(connection=connection, target_metadata=migrate.db.metadata, **migrate.configure_args)
    with context.begin_transaction():
        context.run_migrations()
