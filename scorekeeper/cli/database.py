"""Open, migrate, back up and restore the database, outside of requests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from flask import Flask

from .. import create_app
from ..db import backups, schemas
from ..db.schemas import Needs
from ..errors import StartupError
from ..live import live_of
from ..models import db
from ..services import demo
from ..services.tables import summaries
from ..services.tables.table import count_tables_without_game
from ..web.config import instance_folder, read_text


@contextmanager
def open_database(needs: Needs, *, serves: bool = False) -> Iterator[Flask]:
    """Create the app and open its database; close it at the end. `serves`: the app will, so it needs its key.

    Raises:
        StartupError: a setting is invalid, or the database does not meet the command's needs.
    """
    folder = instance_folder()
    is_missing = not os.path.exists(folder) and not any(map(os.path.isfile, folder.parents))
    if needs is not Needs.UPGRADE and is_missing and not read_text("DATABASE_URL"):
        raise StartupError("no-instance", folder=str(folder))  # the app would make it, and a secret key in it
    app = create_app({"SIGNS": serves})
    with _app_context(app):
        schemas.check(db.engine, needs)
        yield app


@contextmanager
def _app_context(app: Flask) -> Iterator[None]:
    """Push an app context; send the app's messages and close its database connections at the end."""
    with app.app_context():
        try:
            yield
        finally:
            close_connections(app)


def close_connections(app: Flask) -> None:
    """Send the app's messages and close its database connections; call it in the app's context."""
    db.session.remove()
    live_of(app).close()
    db.engine.dispose()


class Migrated(NamedTuple):
    """The numbers of tables of each game that is not installed, the database's file, if it has one, and the folder."""

    missing_games: dict[str, int]
    file: Path | None
    instance: Path


def migrate(*, serves: bool = False) -> Migrated:
    """Upgrade the database schema, compute missing summaries and delete expired demo tables."""
    with open_database(Needs.UPGRADE, serves=serves) as app:
        schemas.upgrade()
        summaries.rebuild(only_missing=True)
        demo.erase_expired()
        return Migrated(count_tables_without_game(), schemas.find_file(db.engine.url), Path(app.instance_path))


def back_up(file: Path) -> None:
    """Back up the database into a new file."""
    with open_database(Needs.ANY_VERSION):
        backups.back_up(_file_of_database("pg_dump"), file)


def restore(file: Path) -> Path:
    """Replace everything by a backup; return the file with what was replaced."""
    with open_database(Needs.UPGRADE):
        database = _file_of_database("pg_restore")
        schemas.upgrade()
        replaced = backups.restore(file, database)
        summaries.rebuild(only_missing=True)
        return replaced


def _file_of_database(instead: str) -> Path:
    file = schemas.find_file(db.engine.url)
    if file is None:
        raise StartupError("on-postgresql", program=instead)
    return file
