"""The real server in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from random import SystemRandom

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
    """`scorekeeper run` with an instance in `folder`, and `settings` in the environment."""

    process: subprocess.Popen[bytes]

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # A proxy may say where a phone is: new circles are limited for each address.
        self._settings = {"SCOREKEEPER_INSTANCE": str(folder), "SCOREKEEPER_PROXIES": "1"} | settings

    def start(self) -> None:
        """Start the server. Raises RuntimeError with its log if it ends or does not answer."""
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | self._settings
        command = [sys.executable, "-m", "scorekeeper", "run", "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  # our own command
                command, env=environment, stdout=log, stderr=log, start_new_session=True
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
        self.process.terminate()
        self.process.wait(timeout=STOP_SECONDS)
