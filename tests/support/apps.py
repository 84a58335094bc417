"""Create apps for tests. All tests use this module, so that every app closes its database connections."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from flask import Config, Flask, current_app
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import event
from werkzeug.local import LocalProxy
from werkzeug.test import TestResponse

from scorekeeper import create_app
from scorekeeper.app import FEATURES
from scorekeeper.db import engine
from scorekeeper.models import db
from scorekeeper.site import live, rate_limits


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


_COMPILED = CompiledStatements()
# Templates compiled once for all processes. Compiling them for each app would take half of the tests' time.
_TEMPLATES = FileSystemBytecodeCache()


class ReadingClient(FlaskClient):
    """A client that reads each response to its end and closes it, and with it the files of downloads and uploads."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        response = super().open(*args, **kwargs)
        if response.mimetype != "text/event-stream":  # it has no end
            response.get_data()
            response.close()
        return response


class MakeApp(Protocol):
    def __call__(self, database: str, **settings: Any) -> Flask:
        """Create an app on the database at this address. The settings are added to the defaults of tests."""


@contextmanager
def open_app(database: str, *, careful: bool = False, **settings: Any) -> Iterator[Flask]:
    """Create an app on the database at this address; close its connections at the end.

    `careful`: SQLite syncs to disk as in production; without it, it is faster.
    """
    app = _create_app(database, **settings) if settings else _copy_app(database)
    with app.app_context():
        db.engine.update_execution_options(compiled_cache=_COMPILED)
        if not careful:
            event.listen(db.engine, "connect", _do_not_sync, insert=True)  # before the log is switched on
    try:
        yield app
    finally:
        dispose(app)


def _create_app(database: str, **settings: Any) -> Flask:
    app = create_app({"TESTING": True, "SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": database} | settings)
    app.jinja_env.bytecode_cache = _TEMPLATES
    app.test_client_class = ReadingClient
    return app


@cache
def first_app() -> Flask:
    """Create the app whose routes and compiled templates all apps without settings of their own share."""
    app = _create_app("sqlite:///nobody-opens-it")
    app.jinja_env.globals |= {"config": LocalProxy(lambda: current_app.config)}
    return app


def _copy_app(database: str) -> Flask:
    """Return an app as `create_app` makes it, on its own database, in a tenth of the time."""
    app = copy(first_app())
    app.config = Config(app.root_path, app.config | {"SQLALCHEMY_DATABASE_URI": database})
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = engine.engine_options(database) | {"hide_parameters": True}
    app.extensions = {name: each for name, each in app.extensions.items() if name != "sqlalchemy"}
    app.teardown_appcontext_funcs = []
    db.init_app(app)
    live.init_app(app)
    rate_limits.init_app(app)
    if "notices" in FEATURES:
        import_module("scorekeeper.notices.sending").init_app(app)
    return app


def dispose(app: Flask) -> None:
    """Close all connections of the app, and its streams. It opens new ones when it is used again."""
    live.live_of(app).close()
    with app.app_context():
        db.session.remove()
        db.engine.dispose()


def _do_not_sync(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous=OFF")
