"""Backups for a host: the book makes and restores them, migrations bring what is read up to date.

Each of the two commands answers its exit status, and says on one line what is wrong where it is not 0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import click
from alembic.script import ScriptDirectory
from babel.dates import format_datetime
from babel.lists import format_list
from flask import Flask
from flask_migrate import upgrade
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from . import create_app, printed
from .book import backups, databases, summaries
from .book.backups import Held
from .language import say, sentence
from .scoring.remarks import Remark
from .store import db

DONE, NOT_AGREED, WRONG = 0, 1, 2

T = TypeVar("T")


class Restored(NamedTuple):
    """What is here now, and the file that keeps what was here before."""

    held: Held
    before: Path


def tell_backup(file: Path, language: str) -> int:
    kept = _reached(lambda: back_up(file))
    if isinstance(kept, Remark):
        return _wrong(file, kept, language)
    click.echo(say(language, "backup.kept", file=str(file), held=_in_words(kept, language)))
    return DONE


def tell_restore(file: Path, language: str, *, ask: bool) -> int:
    done = _reached(lambda: restore(file, lambda lost: not ask or _is_agreed(file, lost, language)))
    if isinstance(done, Remark):
        return _wrong(file, done, language)
    if done is None:
        click.echo(say(language, "restore.left"))
        return NOT_AGREED
    click.echo(say(language, "restore.before", file=str(done.before)))
    click.echo(say(language, "restore.done", file=str(file), held=_in_words(done.held, language)))
    return DONE


class NobodyToAskError(Exception):
    """Something would be lost, and there is no terminal at which to ask."""

    def __init__(self, lost: Held) -> None:
        super().__init__("nobody to ask")
        self.lost = lost


def _reached(do: Callable[[], T]) -> T | Remark:
    """What came of it; or that the database could not be reached, or was busy for too long."""
    try:
        return do()
    except OperationalError as error:
        return _away(error)
    except NobodyToAskError as error:
        return Remark("file", "nobody-to-ask", {"lost": error.lost})


def _away(error: OperationalError) -> Remark:
    return Remark("file", "no-database", {"reason": printed.one_line(str(error.orig))})


def is_terminal() -> bool:
    return sys.stdin.isatty()


def _is_agreed(file: Path, lost: Held, language: str) -> bool:
    if not is_terminal():
        raise NobodyToAskError(lost)
    click.echo(_lost(file, lost, language))
    return click.confirm(say(language, "restore.ask"))


def _lost(file: Path, lost: Held, language: str) -> str:
    words: dict[str, Any] = {"file": str(file), "held": _in_words(lost, language)}
    if lost.newest is None:
        return say(language, "restore.lost", **words)
    newest = format_datetime(lost.newest.replace(tzinfo=UTC).astimezone(), "short", locale=language)
    return say(language, "restore.lost-until", newest=newest, **words)


def tell_away(error: OperationalError, language: str) -> int:
    """The database could not be reached, or was busy for too long."""
    click.echo(sentence(_away(error), language, names=str), err=True)
    return WRONG


def _in_words(held: Held, language: str) -> str:
    """Three circles, twelve tables and so on; nothing of what there is none of."""
    kinds = ("circles", "tables", "entries", "payments")
    told = [say(language, f"held.{kind}", count=count) for kind, count in zip(kinds, held, strict=False) if count]
    return format_list(told, locale=language) or say(language, "held.nothing")


def _wrong(file: Path, remark: Remark, language: str) -> int:
    lost = remark.params.get("lost")
    params = {"lost": _lost(file, lost, language)} if lost is not None else remark.params
    told = sentence(Remark(remark.field, remark.key, params), language, names=str)
    click.echo(printed.one_line(f"{file}: {told}"), err=True)
    return WRONG


def back_up(file: Path) -> Held | Remark:
    with opened(create_app()):
        return backups.back_up(file, _make_empty, databases.newest_version())


def restore(file: Path, agree: Callable[[Held], bool]) -> Restored | Remark | None:
    """Put a backup in place of everything. `agree` is asked where something would be lost; None: it did not."""
    with TemporaryDirectory() as folder:
        copy = backups.read(file, Path(folder), _versions())
        if isinstance(copy, Remark):
            return copy
        try:
            _bring_up_to_date(copy)
        except (SQLAlchemyError, RuntimeError, ValueError, KeyError):  # whatever a file that is none of ours comes to
            return Remark("file", "not-a-backup")
        app = create_app()
        with opened(app):
            upgrade()
            return _replace(copy, _before(app), agree)


def _replace(copy: Path, before: Path, agree: Callable[[Held], bool]) -> Restored | Remark | None:
    lost = backups.would_be_lost(copy)
    if not lost.is_nothing and not agree(lost):
        return None
    held = backups.restore(copy, before, _make_empty)
    return held if isinstance(held, Remark) else Restored(held, before)


@contextmanager
def opened(app: Flask) -> Iterator[None]:
    """Work on an app's database, and let go of it."""
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


def _make_empty(file: Path) -> None:
    with opened(_database(file)):
        upgrade()


def _bring_up_to_date(file: Path) -> None:
    """To the newest schema; raises whatever keeps a row of it from being read."""
    with opened(_database(file)):
        upgrade()
        summaries.rebuild(only_missing=True)
    databases.read_through(file)


def _versions() -> set[str]:
    return {script.revision for script in ScriptDirectory(str(databases.MIGRATIONS)).walk_revisions()}
