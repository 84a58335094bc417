"""Real servers on their own databases, SQLite or PostgreSQL, that sync to disk as in production."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from ..conftest import IN_CI, NO_POSTGRESQL, Server
from ..databases import Cluster, Files, programs, running_cluster

Serve = Callable[[str], Server]


@pytest.fixture(scope="module")
def careful_cluster() -> Iterator[Cluster]:
    if programs() is None:
        if IN_CI:
            pytest.fail("there is no PostgreSQL, and CI needs one")
        pytest.skip(NO_POSTGRESQL)
    with running_cluster(careful=True) as cluster:
        yield cluster


@pytest.fixture
def careful(careful_cluster: Cluster) -> Iterator[Cluster]:
    """A PostgreSQL server that syncs to disk. A test may stop it."""
    yield careful_cluster
    if not careful_cluster.is_running:
        careful_cluster.start()


@pytest.fixture
def url(request: pytest.FixtureRequest, files: Files, tmp_path: Path) -> str:
    """The address of a new database of the parametrized kind."""
    if request.param == "sqlite":
        return files.make(tmp_path)
    cluster: Cluster = request.getfixturevalue("careful")
    return cluster.make(tmp_path)


on_both = pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start servers on a database. They share their secret key."""
    folder = tmp_path / "instance"
    folder.mkdir()
    started: list[Server] = []

    def start(database: str) -> Server:
        server = Server(folder, database)
        server.start()
        started.append(server)
        return server

    yield start
    stop_all(started)


def stop_all(servers: Iterable[Server]) -> None:
    for server in servers:
        if server.process.poll() is None:
            server.stop()
