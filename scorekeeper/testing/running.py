"""Run the app for tests: in this process, or as the real server in a process of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from flask import Flask

from .. import create_app
from ..db.schemas import upgrade
from ..models import db

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
START = 60  # seconds


@contextmanager
def new_app(folder: Path) -> Iterator[Flask]:
    """Create an app with a new SQLite database in a folder; close its connections at the end."""
    settings = {"TESTING": True, "SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": f"sqlite:///{folder}/test.sqlite3"}
    app = create_app(settings | {"RATELIMIT_ENABLED": False})
    with app.app_context():
        upgrade()
    try:
        yield app
    finally:
        with app.app_context():
            db.session.remove()
            db.engine.dispose()


class AppServer:
    """The `scorekeeper run` command at a free port, with an instance folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = _free_port()
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> AppServer:
        command = [sys.executable, "-m", "scorekeeper", "run", "--host", "127.0.0.1", "--port", str(self._port)]
        unset = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        # A proxy may say where a phone is: new circles are limited for each address.
        environment = unset | {"SCOREKEEPER_INSTANCE": str(self._folder), "SCOREKEEPER_PROXIES": "1"}
        log = self._folder / "server.log"
        with log.open("wb") as output:
            self._process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)  # noqa: S603  # ours
        deadline = time.monotonic() + START
        while not self._is_answering():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(log.read_text(encoding="utf-8", errors="replace"))
            time.sleep(0.1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)

    def _is_answering(self) -> bool:
        try:
            with urllib.request.urlopen(self.url, timeout=START):  # noqa: S310  # a loopback address
                return True
        except OSError:
            return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def chromium_program() -> str | None:
    """Return the machine's Chromium, or None: Playwright may have its own."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)
