"""After each backup, an address of the host's choice learns how it went."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner

from scorekeeper.cli.main import main
from scorekeeper.web.support.addresses import read_report_url

NAME = "SCOREKEEPER_BACKUP_REPORTS"


class Monitor(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Listener)
        self.paths: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/check?word=a"


class Listener(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Monitor)
        self.server.paths.append(self.path)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def monitor() -> Iterator[Monitor]:
    with Monitor() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_good_backup_and_every_kind_of_failed_one_is_reported(monitor: Monitor, tmp_path: Path) -> None:
    settings = {"SCOREKEEPER_INSTANCE": str(tmp_path / "instance"), NAME: monitor.address, "DATABASE_URL": None}

    def back_up(file: str) -> int:
        return CliRunner().invoke(main, ["backup", str(tmp_path / file)], env=settings).exit_code

    assert (back_up("early"), monitor.paths.pop()) == (2, "/check/fail?word=a"), "there is no database yet"
    assert CliRunner().invoke(main, ["migrate"], env=settings).exit_code == 0
    assert (back_up("good"), monitor.paths.pop()) == (0, "/check?word=a")
    assert (back_up("good"), monitor.paths.pop()) == (2, "/check/fail?word=a"), "the file exists"
    assert not monitor.paths


def test_a_monitor_that_is_away_does_not_spoil_a_backup(tmp_path: Path) -> None:
    settings = {"SCOREKEEPER_INSTANCE": str(tmp_path), NAME: "http://127.0.0.1:9/", "DATABASE_URL": None}
    assert CliRunner().invoke(main, ["migrate"], env=settings).exit_code == 0
    assert CliRunner().invoke(main, ["backup", str(tmp_path / "file")], env=settings).exit_code == 0


@pytest.mark.parametrize("value", ["hc-ping.com/x", "ftp://host/x", "http://", "http://h:port/"])
def test_what_is_no_address_is_refused_by_name(value: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["backup", str(tmp_path / "file")], env={NAME: value, "LC_ALL": "C"})
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith(NAME)


def test_an_address_needs_no_port() -> None:
    assert read_report_url(NAME, "https://example.org/check") == "https://example.org/check"
