"""A circle that all browser tests share."""

from __future__ import annotations

import pytest

from ..server import Server
from ..visitor import Visitor
from .screens import Tables


@pytest.fixture(scope="session")
def tables(server: Server) -> Tables:
    return Tables(Visitor(server.app()))
