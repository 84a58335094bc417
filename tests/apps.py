"""Create apps for tests. All tests use this module, so that every app closes its database connections."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol

from flask import Flask
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import event
from werkzeug.routing import Rule

from scorekeeper import create_app
from scorekeeper.models import db
from scorekeeper.site.live import live_of


class RememberedRule(Rule):
    """A URL rule that is compiled once per process: otherwise compiling them takes most of an app's start."""

    _compiled: ClassVar[dict[tuple[Any, ...], Any]] = {}

    def compile(self) -> None:
        like = self._compiled.setdefault((self.rule, repr(self.defaults), self.merge_slashes), self)
        if like is self:
            super().compile()
        else:
            self._parts, self._trace, self._converters = like._parts, like._trace, like._converters
            self.arguments = like.arguments
            self._build = like._build.__func__.__get__(self)
            self._build_unknown = like._build_unknown.__func__.__get__(self)


class CompiledStatements(dict[tuple[Any, ...], Any]):
    """SQL compiled once per process and kind of database, rather than once per app.

    SQLAlchemy's keys begin with the engine's dialect, of which every app has its own, all alike.
    """

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get(_without_engine(key), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        super().__setitem__(_without_engine(key), compiled)


def _without_engine(key: tuple[Any, ...]) -> tuple[Any, ...]:
    dialect, *rest = key
    return (type(dialect), *rest)


Flask.url_rule_class = RememberedRule
_COMPILED = CompiledStatements()
# Templates compiled once for all processes. Compiling them for each app would take half of the tests' time.
_TEMPLATES = FileSystemBytecodeCache()


class MakeApp(Protocol):
    def __call__(self, database: str, **settings: Any) -> Flask:
        """Create an app on the database at this address. The settings are added to the defaults of tests."""


@contextmanager
def open_app(database: str, *, careful: bool = False, **settings: Any) -> Iterator[Flask]:
    """Create an app on the database at this address; close its connections at the end.

    `careful`: SQLite syncs to disk as in production; without it, it is faster.
    """
    app = create_app({"TESTING": True, "SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": database} | settings)
    app.jinja_env.bytecode_cache = _TEMPLATES
    with app.app_context():
        db.engine.update_execution_options(compiled_cache=_COMPILED)
        if not careful:
            event.listen(db.engine, "connect", _do_not_sync, insert=True)  # before the log is switched on
    try:
        yield app
    finally:
        dispose(app)


def dispose(app: Flask) -> None:
    """Close all connections of the app, and its streams. It opens new ones when it is used again."""
    live_of(app).close()
    with app.app_context():
        db.session.remove()
        db.engine.dispose()


def _do_not_sync(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=OFF")
