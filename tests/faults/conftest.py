"""Real servers on databases of their own, of either kind, that wait for the disk as a host's do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .. import databases
from ..conftest import IN_CI, Server
from ..databases import Cluster, Files

Serve = Callable[[str], Server]


@pytest.fixture(scope="module")
def careful() -> Iterator[Cluster]:
    """A PostgreSQL server that waits for the disk."""
    if databases.programs() is None:
        if IN_CI:
            pytest.fail("there is no PostgreSQL, and CI needs one")
        pytest.skip("there is no PostgreSQL on this machine")
    with databases.cluster(careful=True) as cluster:
        yield cluster


@pytest.fixture
def url(request: pytest.FixtureRequest, files: Files, tmp_path: Path) -> str:
    """The address of a new database of the kind that the test is parametrised by."""
    if request.param == "sqlite":
        return files.make(tmp_path)
    cluster: Cluster = request.getfixturevalue("careful")
    return cluster.make(tmp_path)


on_both = pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts servers on a database; several share their secret, as processes of one host do."""
    folder = tmp_path / "instance"
    folder.mkdir()
    started: list[Server] = []

    def start(database: str) -> Server:
        server = Server(folder, database)
        server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        if server.process.poll() is None:
            server.stop()
