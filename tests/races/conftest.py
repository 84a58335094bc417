"""One prepared circle for all tests. Preparing it takes longer than restoring it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from scorekeeper.db import sqlite

from ..databases import Databases
from .judging import Judge
from .sending import Requests
from .world import World, prepared_world

# A factor for the amount of work: `RACES=10 pytest tests/races`.
TIMES = int(os.environ.get("RACES", "1"))
EVERY = 10


@pytest.fixture(scope="session")
def world(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    no_pause = patch.object(sqlite, "CHECKPOINT_PAUSE", 0)  # who erases waits for readers; here, these wait for it
    with prepared_world(databases, tmp_path_factory.mktemp("races")) as world, no_pause:
        yield world


@pytest.fixture(scope="session")
def requests(world: World) -> Requests:
    return Requests(world)


@pytest.fixture(scope="session")
def judge(requests: Requests) -> Judge:
    return Judge(requests)


@pytest.fixture(scope="session")
def some(world: World) -> slice:
    """Select the statements after which a test interrupts a request: every tenth, others on each database.

    With RACES, it is every statement.
    """
    if TIMES > 1:
        return slice(None)
    return slice(0 if world.store.is_sqlite else EVERY // 2, None, EVERY)
