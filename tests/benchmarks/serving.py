"""The same server for all contestants, and a client with one persistent connection."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from select import select
from time import perf_counter
from urllib.parse import urlencode

from ..ports import free_port

# The worker of `scorekeeper run` for all. Connections stay open during the turns of the others.
WORKER = ("--workers", "1", "--worker-class", "scorekeeper.server.worker.Worker", "--threads", "8")
GUNICORN = ("-m", "gunicorn", *WORKER, "--keep-alive", "600", "--graceful-timeout", "1")
ROOT = Path(__file__).parents[2]  # PYTHONPATH with that worker
START = 60  # seconds for a server to start


@contextmanager
def served(python: str, app: str, environment: Mapping[str, str], folder: Path) -> Iterator[Client]:
    """Serve an app (module:attribute) by that Python's gunicorn in a separate process, and yield a client."""
    port = free_port()
    command = [python, *GUNICORN, "--no-control-socket", "--bind", f"127.0.0.1:{port}", app]
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(command, env=os.environ | environment, cwd=ROOT, stdout=log, stderr=log)  # noqa: S603  # our own command
    try:
        yield Client(_connected(port, process, folder))
    finally:
        process.terminate()
        process.wait(timeout=20)


def _connected(port: int, process: subprocess.Popen[bytes], folder: Path) -> socket.socket:
    before = time.monotonic()
    while process.poll() is None and time.monotonic() - before < START:
        try:
            return open_connection(port)
        except OSError:
            time.sleep(0.1)
    raise RuntimeError((folder / "server.log").read_text())


def open_connection(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    def hidden(self, name: str) -> str:
        """Return the value of a hidden field of the page."""
        field = next(tag for tag in re.findall(r"<input[^>]*>", self.text) if f'name="{name}"' in tag)
        found = re.search(r'value="([^"]*)"', field)
        assert found, (name, self.text[:2000])
        return unescape(found[1])


@dataclass
class Client:
    """A client that keeps all cookies, whatever their attributes, and accepts no compression."""

    connection: socket.socket
    cookies: dict[str, str] = field(default_factory=dict)
    took: float = 0.0  # milliseconds, from the first byte sent to the last byte received of the last request

    @property
    def port(self) -> int:
        return int(self.connection.getpeername()[1])

    def another(self) -> Client:
        """Return another client, without cookies."""
        return Client(open_connection(self.port))

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return self._ask("GET", path, headers or {}, "")

    def post(
        self, path: str, form: Mapping[str, str] | list[tuple[str, str]], headers: Mapping[str, str] | None = None
    ) -> Answer:
        sent_headers = {"Content-Type": "application/x-www-form-urlencoded"} | dict(headers or {})
        return self._ask("POST", path, sent_headers, urlencode(form))

    def timed(self, path: str, expected: int = 200, headers: Mapping[str, str] | None = None) -> float:
        answer = self.get(path, headers)
        assert answer.status == expected, (path, answer.status, answer.text[:2000])
        return self.took

    def _ask(self, method: str, path: str, headers: Mapping[str, str], body: str) -> Answer:
        sent_headers = {"Host": "localhost", "Accept-Language": "en", "Accept": "text/html"} | dict(headers)
        if self.cookies:
            sent_headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if method == "POST":
            sent_headers["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in sent_headers.items())
        request = f"{method} {path} HTTP/1.1\r\n{head}\r\n{body}".encode()
        self._reopen_if_closed()
        before = perf_counter()
        self.connection.sendall(request)
        answer = self._received()
        self.took = 1000 * (perf_counter() - before)
        return answer

    def _reopen_if_closed(self) -> None:
        """Open a new connection if the server has closed this one, as it does with one that was idle for a while."""
        readable, _, _ = select([self.connection], [], [], 0)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            port = self.port
            self.connection.close()
            self.connection = open_connection(port)

    def _received(self) -> Answer:
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, _, body = got.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
            if name.lower() == "set-cookie":
                cookie_name, _, cookie_value = value.partition(";")[0].partition("=")
                self.cookies[cookie_name] = cookie_value
        while len(body) < int(headers.get("content-length", 0)):
            body += self._more()
        return Answer(int(first.split()[1]), headers, body.decode(errors="replace"))  # it may be compressed

    def _more(self) -> bytes:
        got = self.connection.recv(1 << 20)
        if not got:
            raise ConnectionError("the server has closed the connection")
        return got
