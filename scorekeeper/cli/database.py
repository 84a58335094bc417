"""Commands for the database: migrate, verify, rebuild, backup and restore; and opening it for other commands."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from flask import Flask

from .. import create_app
from ..config import instance_folder, read_text
from ..db import backups, schemas
from ..db.schemas import Needs
from ..errors import StartupError
from ..home import samples
from ..models import db
from ..site.live import live_of
from ..tables import caches
from ..tables.reading import count_tables_without_game
from .output import message, report_missing_games, say

FAULTS_FOUND = 1  # exit status


@contextmanager
def open_database(needs: Needs, *, serves: bool = False) -> Iterator[Flask]:
    """Create the app and open its database; close it at the end. `serves`: the app will sign cookies."""
    folder = instance_folder()
    if needs is not Needs.UPGRADE and not os.path.exists(folder) and not read_text("DATABASE_URL"):
        raise StartupError("no-instance", folder=str(folder))  # the app would make it
    was_used = (folder / "secret_key").exists() or any(folder.glob("backups/*.sqlite3"))
    # A command signs nothing: any key will do.
    app = create_app({} if serves else {"SECRET_KEY": secrets.token_hex(32)})
    with app.app_context():
        try:
            file = schemas.find_file(db.engine.url)
            if serves and was_used and file is not None and not file.exists():
                raise StartupError("database-lost", file=str(file))
            schemas.check(db.engine, needs)
            yield app
        finally:
            db.session.remove()
            if not serves:
                live_of(app).close()
            db.engine.dispose()


def upgrade() -> dict[str, int]:
    """Upgrade the database and erase old samples; return the number of tables of each game that is not installed."""
    schemas.upgrade()
    samples.erase_expired()
    return count_tables_without_game()


@click.command()
def migrate() -> None:
    """Upgrade the database to this version."""
    with open_database(Needs.UPGRADE):
        missing_games = upgrade()
    report_missing_games(missing_games)


@click.command()
def verify() -> None:
    """Check the database; print a line for each fault, and exit with status 1 if there are any."""
    with open_database(Needs.CURRENT):
        report = caches.verify()
    for fault in report.faults:
        say(f"fault.{fault.key}", **fault.params)
    report_missing_games(report.missing_games)
    say(
        "verify.done",
        circles=message("verify.circles", count=report.circles),
        tables=message("verify.tables", count=report.tables),
        revisions=message("verify.revisions", count=report.revisions),
        faults=message("verify.faults", count=len(report.faults)),
    )
    if report.faults:
        sys.exit(FAULTS_FOUND)


@click.command()
def rebuild() -> None:
    """Compute every cache anew from what was entered."""
    with open_database(Needs.CURRENT):
        count = caches.rebuild()
    say("verify.rebuilt", count=count)


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def back_up(file: Path) -> None:
    """Back up the SQLite database to FILE. The app may keep running."""
    with open_database(Needs.ANY_VERSION):
        backups.back_up(_find_file("pg_dump"), file)
    say("backup.done", file=str(file))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def restore(file: Path) -> None:
    """Replace the SQLite database by the backup in FILE. The app may keep running."""
    with open_database(Needs.UPGRADE):
        database = _find_file("pg_restore")
        schemas.upgrade()
        replaced = backups.restore(file, database)
    say("restore.before", file=str(replaced))
    say("restore.done", file=str(file))


def _find_file(instead: str) -> Path:
    file = schemas.find_file(db.engine.url)
    if file is None:
        raise StartupError("on-postgresql", program=instead)
    return file
