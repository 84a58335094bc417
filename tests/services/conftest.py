"""A circle to play and pay in, without pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from scorekeeper.models import db

from .club import Club


@pytest.fixture
def club(app: Flask) -> Iterator[Club]:
    """A circle on an empty database, within the app's context."""
    with app.app_context():
        if db.engine.dialect.name == "sqlite":  # nothing has to survive a power cut
            with db.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA synchronous=OFF")
        yield Club()
