"""A circle to play and pay in, without pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from .club import Club


@pytest.fixture
def club(app: Flask) -> Iterator[Club]:
    """A circle on an empty database, within the app's context."""
    with app.app_context():
        yield Club()
