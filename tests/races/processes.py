"""Send requests from other processes, and kill those processes at a given point."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .interleaving import Point
from .sending import Request
from .worker import KILLED
from .world import World


@dataclass(frozen=True)
class Status:
    status_code: int


class Process:
    """An app in another process, on the database of a world. It handles one request at a time."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._process = subprocess.Popen(  # noqa: S603  # our own module
            [sys.executable, "-m", "tests.races.worker", world.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, request: Request) -> None:
        self._write(self._command(request))

    def finish(self) -> Status:
        """Wait for the answer to the started request."""
        return Status(self._read()["status"])

    def is_killed(self, request: Request, point: Point) -> bool:
        """Send a request from a fork that is killed at this point; return whether it got that far."""
        self._write(self._command(request) | {"kill_at": point})
        return bool(self._read()["status"] == KILLED)

    def disconnect(self) -> None:
        """Close its connections, so that the database can be reset."""
        self._write({"do": "disconnect"})
        self._read()

    def stop(self) -> None:
        self._process.communicate(timeout=20)

    def _command(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {"data": request.data} if request.method == "POST" else {}
        cookie = self.world.cookies[request.phone]
        if request.upload:
            body["upload"] = request.upload
        return {"do": "send", "path": request.path, "method": request.method, "body": body, "cookie": cookie}

    def _write(self, command: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        print(json.dumps(command), file=self._process.stdin, flush=True)

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def processes(world: World, number: int) -> Iterator[list[Process]]:
    started = [Process(world) for _ in range(number)]
    try:
        yield started
    finally:
        for process in started:
            process.stop()
