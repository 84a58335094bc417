"""Shared fixtures: an app on its own database, a visitor without scripts, a real server, a real browser."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from scorekeeper import games as registry
from scorekeeper import i18n
from scorekeeper.games import find_entry_points
from scorekeeper.scoring.game import AnyGame

from .apps import MakeApp, open_app
from .club import Club
from .databases import ON_POSTGRESQL, Cluster, Databases, Files, free_port, programs, running_cluster
from .visitor import Visitor

TESTS = Path(__file__).parent
MADE_UP = TESTS / "made_up"  # installed packages of games that nobody plays
IN_CI = bool(os.environ.get("CI"))
# The headless shell draws the same pages in two thirds of the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in BROWSERS if (found := shutil.which(name))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE: ViewportSize = {"width": 390, "height": 844}
NO_POSTGRESQL = "there is no PostgreSQL on this machine"
ADDRESSES = map(str, ip_network("198.18.0.0/15").hosts())  # of phones
TIMEOUT = 30_000  # milliseconds, for anything that a browser test waits for
expect.set_options(timeout=TIMEOUT)

# What a test makes, it keeps to its end: Python need not look so often for what can be freed.
gc.set_threshold(50_000, 20, 100)

# How quick an example is depends on what else the machine does.
settings.register_profile("any machine", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("any machine")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Number the cases of bytes: packed ones hold the time, and each process of pytest-xdist needs the same names."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """A PostgreSQL server that does not sync to disk."""
    if programs() is None:
        if IN_CI:
            pytest.fail("there is no PostgreSQL, and CI needs one")
        pytest.skip(NO_POSTGRESQL)
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """SQLite databases."""
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


@pytest.fixture
def club(app: Flask) -> Iterator[Club]:
    """A circle on an empty database, within the app's context, to play and pay in without pages."""
    with app.app_context():
        yield Club()


@pytest.fixture
def visitor(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture
def another(app: Flask) -> Visitor:
    """A second browser, without cookies."""
    return Visitor(app)


class Server:
    """The real server in its own process, on the database at this address."""

    program: tuple[str, ...] = ("-m", "scorekeeper")

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.database = database
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.apps = ExitStack()

    def start(self) -> None:
        # A proxy may say where a phone is: new circles are limited for each address.
        own = {"SCOREKEEPER_INSTANCE": str(self.folder), "DATABASE_URL": self.database, "SCOREKEEPER_PROXIES": "1"}
        environment = os.environ | own
        command = [sys.executable, *self.program, "run", "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  # our own command
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        self.wait_until_served()

    def wait_until_served(self) -> None:
        """Wait until the server responds. Raises RuntimeError with the server's log if it exits or does not respond."""
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{self.url}/ready", timeout=60)  # noqa: S310  # a loopback address
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
            else:
                return
        raise RuntimeError((self.folder / "server.log").read_text())

    def visitor(self) -> Visitor:
        """A browser without scripts, on the same database and with cookies valid for the server."""
        return Visitor(self.app())

    def app(self) -> Flask:
        """An app in this process, on the same database."""
        secret = (self.folder / "secret_key").read_text()
        return self.apps.enter_context(open_app(self.database, SECRET_KEY=secret))

    def stop(self) -> None:
        self.apps.close()
        self.process.terminate()
        self.process.wait(timeout=20)

    def kill(self) -> None:
        """Kill the server's processes without a clean shutdown."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=20)
        for _ in range(200):  # its workers end a moment later, and only then release the port
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)):
                    return
            time.sleep(0.05)
        raise RuntimeError("the server's port is still in use")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("instance")
    server = Server(folder, databases.make(folder))
    server.start()
    yield server
    server.stop()


def require_program(name: str, path: str | Path | None) -> None:
    """Skip the test if a program is missing, that is, `path` is None. In CI, fail instead."""
    if path is None and IN_CI:
        pytest.fail(f"there is no {name}, and CI needs it")
    if path is None:
        pytest.skip(f"there is no {name} on this machine")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    require_program("Chromium", CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def phone(chromium: Browser, server: Server) -> Iterator[Callable[..., Page]]:
    """Create phones: browsers of 390×844 with touch. Errors in a page's scripts fail the test."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def make(**settings: Any) -> Page:
        options: dict[str, Any] = {
            "viewport": PHONE,
            "has_touch": True,
            "is_mobile": True,
            "locale": "en-GB",
            "base_url": server.url,
            "service_workers": "block",  # they make a visit cost half as much again
            "extra_http_headers": {"X-Forwarded-For": next(ADDRESSES)},
        } | settings
        context = chromium.new_context(**options)
        context.set_default_timeout(TIMEOUT)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert not errors
