"""What a host's commands do: open the database, bring it up to date, back it up and restore it.

`tell_backup` and `tell_restore` answer the exit status, and say on one line what is wrong with the backup where it is
not 0. What is wrong with the database or a setting is raised as `StartupError`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
from babel.dates import format_datetime
from babel.lists import format_list
from flask import Flask
from flask_migrate import upgrade
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError

from .. import create_app
from ..db import backups, copying, schemas
from ..db.backups import Contents
from ..db.engine import classify_error
from ..db.schemas import Needs
from ..i18n import problem_text, translate
from ..models import db
from ..scoring.problems import Problem
from ..scoring.values import single_line
from ..services import demo
from ..services.caches import table_summary

DONE, NOT_AGREED, WRONG = 0, 1, 2


class Restored(NamedTuple):
    """The contents after a restore, and the backup of the previous contents."""

    held: Contents
    before: Path


def tell_backup(file: Path, language: str) -> int:
    """Back up the database, print the result, and return the exit status."""
    contents = back_up(file)
    if isinstance(contents, Problem):
        return _wrong(file, contents, language)
    click.echo(translate(language, "backup.kept", file=str(file), held=_in_words(contents, language)))
    return DONE


def tell_restore(file: Path, language: str, *, ask: bool) -> int:
    """Restore a backup, print the result, and return the exit status; `ask` before anything newer is lost."""
    try:
        done = restore(file, lambda lost: not ask or _is_agreed(file, lost, language))
    except NobodyToAskError as error:
        done = Problem("file", "nobody-to-ask", {"lost": error.lost})
    if isinstance(done, Problem):
        return _wrong(file, done, language)
    if done is None:
        click.echo(translate(language, "restore.left"))
        return NOT_AGREED
    click.echo(translate(language, "restore.before", file=str(done.before)))
    click.echo(translate(language, "restore.done", file=str(file), held=_in_words(done.held, language)))
    return DONE


class NobodyToAskError(Exception):
    """Something would be lost, and there is no terminal at which to ask."""

    def __init__(self, lost: Contents) -> None:
        super().__init__("nobody to ask")
        self.lost = lost


def is_terminal() -> bool:
    """Whether a person can be asked on standard input."""
    return sys.stdin.isatty()


def _is_agreed(file: Path, lost: Contents, language: str) -> bool:
    if not is_terminal():
        raise NobodyToAskError(lost)
    click.echo(_lost(file, lost, language))
    return click.confirm(translate(language, "restore.ask"))


def _lost(file: Path, lost: Contents, language: str) -> str:
    words: dict[str, Any] = {"file": str(file), "held": _in_words(lost, language)}
    if lost.newest is None:
        return translate(language, "restore.lost", **words)
    newest = format_datetime(lost.newest.replace(tzinfo=UTC).astimezone(), "short", locale=language)
    return translate(language, "restore.lost-until", newest=newest, **words)


def _in_words(contents: Contents, language: str) -> str:
    """List the counts in words, such as "3 circles and 12 tables"; zeros are left out."""
    counts = zip(("circles", "tables", "entries", "payments"), contents, strict=False)
    parts = [translate(language, f"held.{kind}", count=count) for kind, count in counts if count]
    return format_list(parts, locale=language) or translate(language, "held.nothing")


def _wrong(file: Path, problem: Problem, language: str) -> int:
    lost = problem.params.get("lost")
    params = {"lost": _lost(file, lost, language)} if lost is not None else problem.params
    message = problem_text(Problem(problem.field, problem.key, params), language, names=str)
    click.echo(single_line(f"{file}: {message}"), err=True)
    return WRONG


def migrate() -> None:
    """Upgrade the database schema, compute missing summaries and delete expired demo tables."""
    with open_database(Needs.UPGRADE):
        upgrade()
        table_summary.rebuild(only_missing=True)
        demo.erase_expired()


def back_up(file: Path) -> Contents | Problem:
    """Back up the database, and return what the backup contains."""
    with open_database(Needs.ANY_VERSION):
        return backups.back_up(file, _make_empty)


def restore(file: Path, agree: Callable[[Contents], bool]) -> Restored | Problem | None:
    """Put a backup in place of everything. `agree` is asked where something would be lost; None: it did not."""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite3"
        fault = backups.read(file, copy, _make_empty)
        if fault is not None:
            return fault
        try:
            _bring_up_to_date(copy)
        except (SQLAlchemyError, RuntimeError, ValueError, KeyError) as error:
            if isinstance(error, SQLAlchemyError) and classify_error(error) is not None:
                raise  # no fault of the file's: there is no room, perhaps
            return Problem("file", "not-a-backup")  # rows that no app of ours has written
        with open_database(Needs.UPGRADE) as app:
            upgrade()
            return _replace(copy, _before(app), agree)


def _replace(copy: Path, before: Path, agree: Callable[[Contents], bool]) -> Restored | Problem | None:
    lost = backups.would_be_lost(copy)
    if not lost.is_empty and not agree(lost):
        return None
    held = backups.restore(copy, before, _make_empty)
    return held if isinstance(held, Problem) else Restored(held, before)


@contextmanager
def open_database(needs: Needs) -> Iterator[Flask]:
    """Create the app and open its database; close it at the end.

    Raises:
        StartupError: a setting is invalid, or the database does not meet the command's needs.
    """
    app = create_app()
    with opened(app):
        schemas.check(db.engine, needs)
        yield app


@contextmanager
def opened(app: Flask) -> Iterator[None]:
    """Push an app context; close the app's database connections at the end."""
    with app.app_context():
        try:
            yield
        finally:
            db.session.remove()
            db.engine.dispose()


def _before(app: Flask) -> Path:
    """A name beside the database, or in the instance folder where the database is elsewhere."""
    url = make_url(app.config["SQLALCHEMY_DATABASE_URI"])
    is_file = url.drivername.startswith("sqlite") and url.database
    folder = Path(app.instance_path, url.database or "").parent if is_file else Path(app.instance_path)
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    return folder / f"before-restore-{moment}.sqlite3"


def _database(file: Path) -> Flask:
    return create_app({"SECRET_KEY": "none", "SQLALCHEMY_DATABASE_URI": URL.create("sqlite", database=str(file))})


def _make_empty(file: Path, version: str) -> None:
    with opened(_database(file)):
        upgrade(revision=version)


def _bring_up_to_date(file: Path) -> None:
    """To the newest schema; raises whatever keeps a row of it from being read."""
    with opened(_database(file)):
        upgrade()
        table_summary.rebuild(only_missing=True)
    copying.check_readable(file)
