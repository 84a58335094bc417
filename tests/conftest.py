"""Shared fixtures: an app on its own database, a visitor without scripts, a real server, a real phone."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, settings
from playwright.sync_api import expect

from scorekeeper import games as registry
from scorekeeper import i18n
from scorekeeper.games import find_entry_points
from scorekeeper.scoring.game import AnyGame

from .support.apps import MakeApp, first_app, open_app
from .support.chromium import TIMEOUT, chromium, phone
from .support.club import Club
from .support.databases import ON_POSTGRESQL, Cluster, Databases, Files, find_programs, running_cluster
from .support.filled import Circle, fill_circle
from .support.instance import instance, live
from .support.server import Server
from .support.visitor import Visitor

__all__ = ["chromium", "instance", "live", "phone"]

Run = Callable[..., str]

MADE_UP = Path(__file__).parent / "made_up"  # installed packages of games that nobody plays
expect.set_options(timeout=TIMEOUT)

# What a test makes, it keeps to its end: Python need not look so often for what can be freed.
gc.set_threshold(50_000, 20, 100)

# How quick an example is depends on what else the machine does.
settings.register_profile("any machine", deadline=None, max_examples=50, suppress_health_check=list(HealthCheck))
settings.load_profile("any machine")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Generator[None, object, object]:
    """In CI, fail instead of skipping: fixtures skip a test if a program is missing."""
    try:
        return (yield)
    except pytest.skip.Exception as skipped:
        if os.environ.get("CI"):
            pytest.fail(f"{skipped}, and CI needs it")
        raise


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Number the cases of bytes: packed ones hold the time, and each process of pytest-xdist needs the same names."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    folder = find_programs()
    if folder is None:
        pytest.skip("there is no PostgreSQL on this machine")
    with running_cluster(folder) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("database"))


@pytest.fixture(scope="session")
def databases(request: pytest.FixtureRequest) -> Databases:
    """Create databases: SQLite, or PostgreSQL where the environment asks for it."""
    chosen: Databases = request.getfixturevalue("postgresql" if ON_POSTGRESQL else "files")
    return chosen


@pytest.fixture
def database(databases: Databases, tmp_path: Path) -> Iterator[str]:
    """The address of a new database with the schema and no rows."""
    url = databases.make(tmp_path)
    yield url
    databases.drop(url)


@pytest.fixture
def app(database: str) -> Iterator[Flask]:
    with open_app(database) as app:
        yield app


@pytest.fixture
def make_app() -> Iterator[MakeApp]:
    """Create further apps; close the connections of all of them after the test."""
    with ExitStack() as apps:

        def make(database: str, **settings: Any) -> Flask:
            return apps.enter_context(open_app(database, **settings))

        yield make


@pytest.fixture(scope="module")
def full_table() -> Iterator[AnyGame]:
    """Install a made-up game without a template: for eight, with choices that depend on others, and large numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(MADE_UP))
        _look_for_games_anew()
        yield registry.games()["full-table"]
    _look_for_games_anew()


@pytest.fixture(scope="module")
def paid_deals(full_table: AnyGame) -> AnyGame:
    """Return a made-up game, installed beside the other: its scores are payments, it has no end, partners change."""
    assert full_table
    return registry.games()["paid-deals"]


@pytest.fixture(scope="module")
def pegs(full_table: AnyGame) -> AnyGame:
    """Return a made-up game, installed beside the others: counts within a deal, sides only of four, a lost end."""
    assert full_table
    return registry.games()["pegs"]


def _look_for_games_anew() -> None:
    find_entry_points.cache_clear()
    registry._installed.cache_clear()
    i18n.catalogue.cache_clear()
    i18n.read_messages.cache_clear()
    first_app.cache_clear()  # which looks for templates in the games' folders


@pytest.fixture
def club(app: Flask) -> Iterator[Club]:
    """A circle on an empty database, within the app's context, to play and pay in without pages."""
    with app.app_context():
        yield Club()


@pytest.fixture
def visitor(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture
def table(visitor: Visitor) -> str:
    """The path of a table with a deal, opened by `visitor`, the circle's host."""
    return visitor.open_table("whist").record(tricks="ns-3").table


@pytest.fixture(scope="session")
def filled(files: Files, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Circle]:
    """The file of a filled circle, which takes half a second to make."""
    url = files.make(tmp_path_factory.mktemp("filled"))
    with open_app(url) as app:
        return url.removeprefix("sqlite:///"), fill_circle(Visitor(app))


@pytest.fixture
def circle(filled: tuple[str, Circle], database: str, visitor: Visitor) -> Circle:
    """A filled circle, whose host is `visitor`."""
    if ON_POSTGRESQL:
        return fill_circle(visitor)
    (file, made), own_file = filled, database.removeprefix("sqlite:///")
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(own_file)) as copy:
        source.backup(copy)
    with made.host.client.session_transaction() as session, visitor.client.session_transaction() as own:
        own.update(session)
    return made._replace(host=visitor)


@pytest.fixture
def another(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("instance")
    running = Server(folder, databases.make(folder))
    running.start()
    yield running
    running.stop()


def _run(*command: str, text: str = "") -> str:
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", input=text, env=environment)  # noqa: S603  # a known program
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    return done.stdout


@pytest.fixture
def bean_check(tmp_path: Path) -> Run:
    """Let Beancount check the text of books."""

    def check(text: str) -> str:
        path = tmp_path / "all.beancount"
        path.write_text(text, encoding="utf-8")
        return _run(str(Path(sys.executable).with_name("bean-check")), "--no-cache", str(path))

    return check


@pytest.fixture(scope="session")
def hledger() -> Run:
    """Let hledger read the text of books by one of its commands."""
    program = shutil.which("hledger") or pytest.skip("there is no hledger on this machine")
    return lambda text, *command: _run(program, "-f-", *command, text=text)
