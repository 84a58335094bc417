"""An app on a database of its own, for the tests of any installed game."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from .. import create_app
from ..db.schemas import upgrade
from ..models import db
from ..site.live import live_of


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    file = tmp_path_factory.mktemp("scorekeeper") / "test.sqlite3"
    settings = {"TESTING": True, "SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": f"sqlite:///{file}"}
    app = create_app(settings | {"RATELIMIT_ENABLED": False})
    with app.app_context():
        upgrade()
    yield app
    live_of(app).close()
    with app.app_context():
        db.session.remove()
        db.engine.dispose()
