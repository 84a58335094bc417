"""`scorekeeper run`, as a host sees it: it starts, says where it is, serves, restarts and stops."""

from __future__ import annotations

import http.client
import logging
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from scorekeeper.cli.server import LOGGING, remove_secrets

from ..support.databases import Files
from ..support.phones import Phone
from ..support.server import Server
from ..support.visitor import Visitor

TIMEOUT = 60  # seconds
RUN = (sys.executable, "-m", "scorekeeper", "run")


def refuse(*arguments: str, folder: Path, **environment: str) -> str:
    """Return the single line printed by a server that cannot start."""
    env = os.environ | {"SCOREKEEPER_INSTANCE": str(folder)} | environment
    done = subprocess.run([*RUN, *arguments], check=False, capture_output=True, text=True, env=env, timeout=TIMEOUT)  # noqa: S603  # our own command
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


def test_a_port_in_use_is_reported_with_advice(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        line = refuse("--host", "127.0.0.1", "--port", port, folder=tmp_path)
        assert f"Port {port} is in use." in line
        assert f"scorekeeper run --port {int(port) + 1}" in line
    assert list(tmp_path.iterdir()) == []  # no database has been created


def test_a_host_that_is_another_machine_is_reported(tmp_path: Path) -> None:
    assert "198.51.100.7" in refuse("--host", "198.51.100.7", "--port", "0", folder=tmp_path)


def test_a_setting_may_be_in_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "key"
    secret.write_text("short\n")
    assert "SECRET_KEY" in refuse("--port", "0", folder=tmp_path, SECRET_KEY_FILE=str(secret))


@pytest.fixture
def new_server(files: Files, tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, files.make(tmp_path))
    server.start()
    yield server
    if server.process.poll() is None:
        server.kill()


def test_a_server_that_is_stopped_ends_its_streams_and_leaves_one_whole_file(new_server: Server) -> None:
    visitor = Visitor(new_server.app()).open_table("whist")
    table, phone = visitor.table, Phone(new_server.url, visitor)
    new_server.apps.close()
    phone.enter(table, {"tricks": "ns-3", "do": "record"})
    with closing(http.client.HTTPConnection("127.0.0.1", new_server.port)) as connection:
        connection.request("GET", f"{table}stream", headers=phone.headers)
        stream = connection.getresponse()
        assert stream.readline() == b"data: changed\n"
        os.killpg(new_server.process.pid, signal.SIGTERM)  # as a terminal does; systemd signals the first process only
        assert new_server.process.wait(30) == 0
    log = (new_server.folder / "server.log").read_text()
    assert "http://127.0.0.1:" in log
    assert "Traceback" not in log
    file = Path(new_server.database.removeprefix("sqlite:///"))
    assert list(file.parent.glob(f"{file.name}-*")) == []
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT count(*) FROM revision").fetchone() == (1,)
    new_server.start()
    assert phone.ask(table)[0] == 200


@pytest.mark.parametrize(("proxies", "is_believed"), [(0, False), (1, True)])
def test_what_proxies_say_is_believed_only_if_there_are_any(
    files: Files, tmp_path: Path, proxies: int, is_believed: bool
) -> None:
    server = Server(tmp_path, files.make(tmp_path))
    server.proxies = proxies
    server.start()
    with closing(http.client.HTTPConnection("127.0.0.1", server.port)) as connection:
        connection.request("GET", "/health", headers={"X-Forwarded-Proto": "https"})
        secure = connection.getresponse()
        secure.read()
        connection.request(
            "GET", "/below/health", headers={"SCRIPT_NAME": "/below"}
        )  # as gunicorn's own proxies say it
        below = connection.getresponse().status
    server.stop()
    assert (secure.status, "Strict-Transport-Security" in secure.headers, below) == (200, is_believed, 404)


def test_a_broken_request_is_logged_without_the_secret_of_its_link(files: Files, tmp_path: Path) -> None:
    server = Server(tmp_path, files.make(tmp_path))
    server.start()
    with suppress(HTTPError):
        urlopen(f"{server.url}/join/abc/very-secret", timeout=TIMEOUT)  # noqa: S310  # a loopback address
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(b"GET /join/N/ very-secret HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 400 " in connection.recv(1000)
    server.stop()
    log = (tmp_path / "server.log").read_text()
    assert "very-secret" not in log
    assert "Invalid request from ip=127.0.0.1: Invalid HTTP Version: …" in log
    assert "GET" not in log


def test_secrets_are_removed_from_whatever_is_logged() -> None:
    for secret in (
        "/join/club/s3",
        "//join//club//s3",
        "/JOIN/club/s3",
        "/calendars/club/s3",
        "/events/join/s3",
        "/events/join/s3/check-in",
        "/join/club/ s3",
        '/join/a b/"s3',
        "/events/x?kind=plan&shared=s3",
        "/events/x?shared= s3",
    ):
        assert "s3" not in remove_secrets(f"Error at http://h{secret} [GET]")
    assert remove_secrets("GET 404 2 ms /join/") == "GET 404 2 ms /join/"


def test_a_traceback_is_logged_without_secrets() -> None:
    format_ = LOGGING["formatters"]["ours"]
    try:
        raise ValueError("/join/club/very-secret")
    except ValueError:
        record = logging.LogRecord(
            "app", logging.ERROR, "", 1, "Exception on %s", ("/join/a b/very-secret",), sys.exc_info()
        )
    text = format_["()"](format_["fmt"]).format(record)
    assert "Exception on /join/…" in text
    assert "ValueError: /join/…" in text
    assert "very-secret" not in text
