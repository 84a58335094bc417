"""A circle that all browser tests share."""

from __future__ import annotations

import pytest

from ..support.server import Server
from ..support.visitor import Visitor
from .screens import Tables


@pytest.fixture(scope="session")
def tables(server: Server) -> Tables:
    return Tables(Visitor(server.app()))
