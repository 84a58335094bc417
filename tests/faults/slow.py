"""Slow clients of several kinds, and a server with configurable limits."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

from scorekeeper.server import gunicorn, outgoing, streams, worker
from scorekeeper.web.pages.pwa import static_version

from ..conftest import Server

START = "GET / HTTP/1.1\r\nHost: localhost\r\n"
FORM = "POST /tables/new/whist HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
PICTURE = f"/static/{static_version()}/icons/icon-512.png"
DRIP = 2  # seconds between two bytes of a client that sends one at a time
TIMEOUT = 30  # seconds

Begin = Callable[[socket.socket], None]


def silent(_client: socket.socket) -> None:
    """Connect, and send nothing."""


def half_a_header(client: socket.socket) -> None:
    client.sendall(f"{START}Accept-Lang".encode())


def half_a_body(client: socket.socket) -> None:
    client.sendall(f"{FORM}Content-Length: 500\r\n\r\ncsrf_token=x".encode())


def half_a_chunk(client: socket.socket) -> None:
    client.sendall(f"{FORM}Transfer-Encoding: chunked\r\n\r\n40\r\ncsrf_tok".encode())


def idle(client: socket.socket) -> None:
    """Keep the connection open after a response."""
    client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")


def half_closed(client: socket.socket) -> None:
    """Close the sending side in the middle of a header."""
    half_a_header(client)
    client.shutdown(socket.SHUT_WR)


def taking_nothing(client: socket.socket) -> None:
    """Request eight megabytes of pictures, and read nothing."""
    client.sendall(f"GET {PICTURE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 280)


WAITING: tuple[Begin, ...] = (silent, half_a_header, half_a_body, half_a_chunk, idle, half_closed)


def connect(port: int) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # a client that reads nothing soon blocks
    client.settimeout(TIMEOUT)
    client.connect(("127.0.0.1", port))
    return client


@contextmanager
def clients(port: int, kinds: Mapping[Begin, int]) -> Iterator[list[socket.socket]]:
    """Open a number of clients of each kind. Unfinished headers and bodies are continued a byte at a time."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    opened: list[socket.socket] = []
    stop = Event()
    try:
        dripping = []
        for begin, number in kinds.items():
            for _ in range(number):
                opened.append(connect(port))
                begin(opened[-1])
            dripping += opened[-number:] if begin in (half_a_header, half_a_body) else []
        thread = Thread(target=_drip, args=(dripping, stop))
        thread.start()
        yield opened
    finally:
        stop.set()
        thread.join(TIMEOUT)
        for client in opened:
            client.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _drip(dripping: list[socket.socket], stop: Event) -> None:
    while not stop.wait(DRIP):
        for client in dripping:
            with suppress(OSError):  # closed by the server
                client.send(b"x")


def is_closed(client: socket.socket, seconds: float) -> bool:
    """Whether the server closes the connection within this time. Data received is discarded."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        client.settimeout(left)
        try:
            if not client.recv(1 << 16):
                return True
        except TimeoutError:
            return False
        except OSError:
            return True
    return False


class Limited(Server):
    """A server with command line arguments, worker limits and a limit of open files."""

    def __init__(self, folder: Path, database: str, *arguments: str, files: int | None = None, **limits: Any) -> None:
        super().__init__(folder, database)
        self.arguments, self.files, self.limits = arguments, files, limits

    def start(self) -> None:
        code = "from scorekeeper.server import gunicorn, outgoing, streams, worker\n"
        for name, value in self.limits.items():
            module = next(module for module in (gunicorn, outgoing, streams, worker) if name in vars(module))
            code += f"{module.__name__.rpartition('.')[2]}.{name} = {value}\n"
        if self.files is not None:
            code += f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({self.files}, {self.files}))\n"
        code += "from scorekeeper.cli.main import main; main()"
        options = ["--host", "127.0.0.1", "--port", str(self.port), *self.arguments]
        environment = os.environ | {"SCOREKEEPER_INSTANCE": str(self.folder), "DATABASE_URL": self.database}
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  # our own command
                [sys.executable, "-c", code, "run", *options],
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.wait_until_served()

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text()

    def workers(self) -> list[int]:
        """Return the process ids of the workers, of which a single one is the first process."""
        found = []
        for status in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                if int(status.read_text().rpartition(")")[2].split()[1]) == self.process.pid:
                    found.append(int(status.parent.name))
        return found

    def open_files(self) -> int:
        """Return the number of files and sockets that the only worker has open."""
        (worker,) = self.workers() or [self.process.pid]
        return len(list(Path(f"/proc/{worker}/fd").iterdir()))
