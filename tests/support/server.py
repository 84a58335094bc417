"""The real server in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, suppress
from pathlib import Path
from random import SystemRandom

from flask import Flask

from .apps import open_app

PORTS = range(10_000, 32_768)  # below those from which Linux takes one for each outgoing connection
START_SECONDS, STOP_SECONDS = 60, 20


def free_port() -> int:
    """Return a port that nothing uses. It is drawn, so that no other process is given the same one."""
    while True:
        port = SystemRandom().choice(PORTS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


class Server:
    """`scorekeeper run` with an instance in `folder`, on the database at this address."""

    process: subprocess.Popen[bytes]

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.database, self.port = folder, database, free_port()
        self.proxies = 1  # which may say where a phone is: new circles are limited for each address
        self.url = f"http://127.0.0.1:{self.port}"
        self.apps = ExitStack()

    def app(self) -> Flask:
        """An app in this process, on the same database."""
        secret = (self.folder / "secret_key").read_text()
        return self.apps.enter_context(open_app(self.database, SECRET_KEY=secret))

    def start(self) -> None:
        """Start the server. Raises RuntimeError with its log if it ends or does not answer."""
        settings = {"SCOREKEEPER_INSTANCE": str(self.folder), "DATABASE_URL": self.database}
        settings["SCOREKEEPER_PROXIES"] = str(self.proxies)
        command = [sys.executable, "-m", "scorekeeper", "run", "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  # our own command
                command, env=os.environ | settings, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self.folder / "server.log").read_text(encoding="utf-8", errors="replace"))
            time.sleep(0.1)

    def _is_ready(self) -> bool:
        with suppress(OSError), urllib.request.urlopen(f"{self.url}/ready", timeout=60):  # noqa: S310  # a loopback address
            return True
        return False

    def stop(self) -> None:
        self.apps.close()
        self.process.terminate()
        self.process.wait(timeout=STOP_SECONDS)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=STOP_SECONDS)
        for _ in range(200):  # its workers end a moment later, and only then release the port
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)):
                    return
            time.sleep(0.05)
        raise RuntimeError("the server's port is still in use")
