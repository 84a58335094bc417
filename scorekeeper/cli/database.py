"""Open, migrate, back up and restore the database, outside of requests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import click
from flask import Flask
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from .. import create_app
from ..backup_reports import LastBackup, note_backup
from ..db import backups, copying, schemas, wal
from ..db.backups import Contents
from ..db.clock import now
from ..db.engine import classify_error
from ..db.schemas import Needs
from ..db.upgrades import upgrade
from ..errors import StartupError
from ..i18n import translate
from ..models import db
from ..scoring.problems import Problem
from ..scoring.values import single_line
from ..services import demo, live
from ..services.tables import missing_games, summaries
from ..web.config import instance_folder
from ..web.support import live_updates, settings
from . import output


@contextmanager
def open_database(needs: Needs, *, serves: bool = False) -> Iterator[Flask]:
    """Create the app and open its database; close it at the end. `serves`: the app will, so it needs its key.

    Raises:
        StartupError: a setting is invalid, or the database does not meet the command's needs.
    """
    _warn_of_unknown_settings()
    folder = instance_folder()
    is_missing = not os.path.exists(folder) and not any(map(os.path.isfile, folder.parents))
    if not needs.may_be_empty and is_missing and settings.DATABASE_URL.value is None:
        raise StartupError("no-instance", folder=str(folder))  # the app would make it, and a secret key in it
    app = create_app({"SIGNS": serves})
    with ExitStack() as at_end, _app_context(app):
        file = schemas.find_file(db.engine.url)
        # What earlier versions have closed looks like such a copy. Closing it as our own would hide what it is.
        is_without_log = file is not None and not needs.may_be_empty and wal.is_missing(file)
        if file is not None and is_without_log:
            _warn_without_log(file)
        schemas.check(db.engine, needs)
        if file is not None and not is_without_log:
            at_end.callback(wal.close, file)
        yield app


def _warn_of_unknown_settings() -> None:
    """Name the variables that look like settings and are none. A warning only: they may be of a newer version."""
    language = output.terminal_language()
    for name, meant in settings.unknown_names():
        key = "command.unknown-setting" if meant is None else "command.misspelt-setting"
        click.echo(single_line(translate(language, key, name=name, meant=meant)), err=True)


def _warn_without_log(file: Path) -> None:
    """Warn that a database was copied without its log."""
    text = translate(output.terminal_language(), "command.without-log", file=str(file), log=f"{file.name}-wal")
    click.echo(single_line(text), err=True)


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
    live_updates.of(app).close()
    db.engine.dispose()


class Migrated(NamedTuple):
    """The numbers of tables of each game that is not installed, the database's file, if it has one, and the folder."""

    missing_games: dict[str, int]
    file: Path | None
    instance: Path


def migrate(*, serves: bool = False) -> Migrated:
    """Upgrade the database schema, compute missing summaries and delete expired demo tables."""
    with open_database(Needs.UPGRADE, serves=serves) as app:
        upgrade()
        summaries.rebuild(only_missing=True)
        demo.erase_expired()
        backups.delete_files_before(_folder_of_database(app), datetime.now(UTC))
        return Migrated(missing_games.count_tables(), schemas.find_file(db.engine.url), Path(app.instance_path))


def back_up(file: Path) -> Contents | Problem:
    """Back up the database, and return what the backup contains."""
    with open_database(Needs.ANY_VERSION) as app:
        backups.delete_files_before(_folder_of_database(app), datetime.now(UTC))
        begun = now()
        contents = backups.back_up(file, _create_database)
        if not isinstance(contents, Problem):
            note_backup(Path(app.instance_path), LastBackup(str(file.absolute()), begun))
        return contents


class Restored(NamedTuple):
    """The contents after a restore, and the backup of the previous contents."""

    contents: Contents
    previous: Path


def restore(file: Path, confirm: Callable[[Contents | None], bool]) -> Restored | Problem | None:
    """Replace everything by a backup.

    `confirm` is called with what would be lost, if anything would, or with None if a newer version made the database;
    if it returns False, nothing changes and the result is None.
    """
    if wal.is_missing(file):
        _warn_without_log(file)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite3"
        problem = _read_backup(file, copy)
        if problem is not None:
            return problem
        with open_database(Needs.REPLACE) as app:
            return _replace(copy, backups.new_file_before(_folder_of_database(app)), confirm)


def try_backup(file: Path) -> Problem | None:
    """Read a backup as `restore` does; return why it cannot be restored, or None if it can."""
    with TemporaryDirectory() as folder:
        return _read_backup(file, Path(folder) / "copy.sqlite3")


def _read_backup(file: Path, copy: Path) -> Problem | None:
    """Copy a backup into the new database `copy`, and upgrade that."""
    problem = backups.read(file, copy, _create_database)
    if problem is not None:
        return problem
    try:
        with opened_copy(copy):
            upgrade_copy()
        copying.check_readable(copy)
    except (SQLAlchemyError, RuntimeError, ValueError, KeyError) as error:
        if isinstance(error, SQLAlchemyError) and classify_error(error) is not None:
            raise  # not the backup's fault: the disk may be full
        return Problem("file", "not-a-backup")
    return None


@contextmanager
def opened_copy(file: Path) -> Iterator[None]:
    """Work on a copy in a SQLite file instead of the database."""
    with _app_context(_app_for(file)):
        yield


def upgrade_copy(note: Callable[..., None] | None = None) -> None:
    """Upgrade the opened copy; `note` is called after each migration, with what Alembic tells of it."""
    upgrade(note=note)
    summaries.rebuild(only_missing=True)


def _replace(copy: Path, previous: Path, confirm: Callable[[Contents | None], bool]) -> Restored | Problem | None:
    lost, followed = None, []
    if not backups.has_newer_schema():
        upgrade()
        lost, followed = backups.would_be_lost(copy), live.messages_to_all()
    if (lost is None or not lost.is_empty) and not confirm(lost):
        return None
    contents = backups.restore(copy, previous, _create_database, lambda connection: upgrade(connection=connection))
    if isinstance(contents, Problem):
        return contents._replace(field=str(previous))
    live_updates.current().publish(followed)
    return Restored(contents, previous)


def _folder_of_database(app: Flask) -> Path:
    """Return the folder of the database's file, or else the instance folder."""
    file = schemas.find_file(db.engine.url)
    return Path(app.instance_path) if file is None else file.parent


def _create_database(file: Path, version: str) -> None:
    """Create an empty SQLite database of a schema version."""
    with opened_copy(file):
        upgrade(version)


def _app_for(file: Path) -> Flask:
    return create_app({"SECRET_KEY": "none", "SQLALCHEMY_DATABASE_URI": URL.create("sqlite", database=str(file))})
