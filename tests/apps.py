"""Create apps for tests. All tests use this module, so that every app closes its database connections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from flask import Flask
from jinja2 import BytecodeCache

from scorekeeper import create_app
from scorekeeper.models import db


class MakeApp(Protocol):
    def __call__(self, database: str, **settings: Any) -> Flask:
        """Create an app on the database at this address. The settings are added to the defaults of tests."""


@contextmanager
def open_app(database: str, *, templates: BytecodeCache | None = None, **settings: Any) -> Iterator[Flask]:
    """Create an app on the database at this address; close its connections at the end.

    `templates` caches compiled templates for several apps.
    """
    app = create_app({"TESTING": True, "SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": database} | settings)
    if templates is not None:
        app.jinja_env.bytecode_cache = templates
    try:
        yield app
    finally:
        dispose(app)


def dispose(app: Flask) -> None:
    """Close all connections of the app. It opens new ones when it is used again."""
    with app.app_context():
        db.session.remove()
        db.engine.dispose()
