"""What tests share: an app on a database of its own, a visitor without scripts, a real server, a real browser."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from scorekeeper import create_app
from scorekeeper.store import db

from . import databases
from .databases import Cluster, Databases, Files
from .visitor import Visitor

IN_CI = bool(os.environ.get("CI"))
# The shell without windows of its own draws the same pages in two thirds of the time.
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
PHONE = {"width": 390, "height": 844}
PATIENCE = 10_000  # milliseconds that a browser test waits for anything


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL only what keeps something has anything new to show."""
    if databases.ON_POSTGRESQL:
        chosen = {item for item in items if "kept_in" in getattr(item, "fixturenames", ())}
        chosen -= {item for item in items if item.get_closest_marker("sqlite") or _is_of_the_browser_alone(item)}
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]


def _is_of_the_browser_alone(item: pytest.Item) -> bool:
    """The pages are the same on both: two phones at one table stand for all that a browser does."""
    return item.path.parent.name == "browser" and item.path.stem != "test_two_phones"


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """A PostgreSQL server that does not wait for the disk."""
    if databases.programs() is None:
        if IN_CI:
            pytest.fail("there is no PostgreSQL, and CI needs one")
        pytest.skip("there is no PostgreSQL on this machine")
    with databases.cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """SQLite."""
    return Files(tmp_path_factory.mktemp("database"))


@pytest.fixture(scope="session")
def kept_in(request: pytest.FixtureRequest) -> Databases:
    """Where tests keep what they keep."""
    found: Databases = request.getfixturevalue("postgresql" if databases.ON_POSTGRESQL else "files")
    return found


@pytest.fixture(scope="session")
def compiled_templates(tmp_path_factory: pytest.TempPathFactory) -> FileSystemBytecodeCache:
    """Every test has an app of its own; compiling its templates each time would be half of the tests' time."""
    return FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))


@pytest.fixture
def database(kept_in: Databases, tmp_path: Path) -> Iterator[str]:
    """The address of a database of the test's own, with our schema and no row."""
    url = kept_in.make(tmp_path)
    yield url
    kept_in.drop(url)


@pytest.fixture
def app(database: str, compiled_templates: FileSystemBytecodeCache) -> Iterator[Flask]:
    app = create_app({"TESTING": True, "SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": database})
    app.jinja_env.bytecode_cache = compiled_templates
    yield app
    with app.app_context():
        db.engine.dispose()


@pytest.fixture
def visitor(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture
def another(app: Flask) -> Visitor:
    """A second browser, which holds nothing yet."""
    return Visitor(app)


class Server:
    """The real server in a process of its own, with what it keeps at that address."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.database = database
        self.port = databases.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.apps: list[Flask] = []

    def start(self) -> None:
        environment = os.environ | {"SCOREKEEPER_INSTANCE": str(self.folder), "DATABASE_URL": self.database}
        command = [sys.executable, "-m", "scorekeeper", "run", "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  # our own command
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        for _ in range(150):
            try:
                urllib.request.urlopen(self.url)  # noqa: S310  # a loopback address
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError((self.folder / "server.log").read_text())

    def visitor(self) -> Visitor:
        """A browser without scripts, on the same database and with cookies that the server knows as its own."""
        return Visitor(self.app())

    def app(self) -> Flask:
        """The same app in this process."""
        secret = (self.folder / "secret_key").read_text()
        app = create_app({"TESTING": True, "SECRET_KEY": secret, "SQLALCHEMY_DATABASE_URI": self.database})
        self.apps.append(app)
        return app

    def stop(self) -> None:
        for app in self.apps:
            with app.app_context():
                db.engine.dispose()
        self.process.terminate()
        self.process.wait(timeout=20)

    def kill(self) -> None:
        """With all its processes, in the midst of whatever they do."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=20)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, kept_in: Databases) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("instance")
    server = Server(folder, kept_in.make(folder))
    server.start()
    yield server
    server.stop()


def there_must_be(what: str, where: str | Path | None) -> None:
    """A program that is not there is a failure in CI; a person's machine goes on without the tests that need it."""
    if where is None and IN_CI:
        pytest.fail(f"there is no {what}, and CI needs it")
    if where is None:
        pytest.skip(f"there is no {what} on this machine")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    there_must_be("Chromium", CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def phone(chromium: Browser, server: Server) -> Iterator[Callable[..., Page]]:
    """Makes phones: each a browser of its own, 390×844 with touch. What a page's script gets wrong fails the test."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def make(**settings: object) -> Page:
        told = {
            "viewport": PHONE,
            "has_touch": True,
            "is_mobile": True,
            "locale": "en-GB",
            "base_url": server.url,
        } | settings
        context = chromium.new_context(**told)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert not errors
