"""However the server is stopped, the database's file then holds everything by itself."""

from __future__ import annotations

import os
import pty
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ..conftest import Server
from ..databases import Files
from ..phones import Phone

DEALS = 3
TIMEOUT = 60  # seconds
IN_A_TERMINAL = (  # the server; the first terminal that a session opens is the one that sends it signals
    "-c",
    "import os\nfrom scorekeeper.cli.main import main\nos.open(os.environ['TERMINAL'], os.O_RDWR)\nmain()",
)


class Terminal:
    """A terminal in which a server runs."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        self.name = os.ttyname(self.theirs)

    def type(self, text: bytes) -> None:
        os.write(self.ours, text)

    def close(self) -> None:
        for handle in (self.theirs, self.ours):
            os.close(handle)


Stop = Callable[[Server, Terminal], None]
WAYS: dict[str, Stop] = {
    "Ctrl-C": lambda _server, terminal: terminal.type(b"\x03"),
    "the terminal is closed": lambda _server, terminal: terminal.close(),
    "systemctl stop": lambda server, _terminal: server.process.terminate(),
}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setenv("TERMINAL", terminal.name)
    return terminal


@pytest.fixture
def new_server(terminal: Terminal, files: Files, tmp_path: Path) -> Iterator[Server]:
    """A server that will start in a terminal."""
    assert terminal
    instance = tmp_path / "instance"
    instance.mkdir()
    server = Server(instance, files.make(instance))
    server.program = IN_A_TERMINAL
    yield server
    if server.process.poll() is None:
        server.kill()


@pytest.fixture
def server(new_server: Server) -> Server:
    """A server in a terminal, with a table of some deals."""
    new_server.start()
    phone = Phone(new_server.url)
    table = phone.open_table()
    for _ in range(DEALS):
        phone.enter(table, phone.score())
    return new_server


def database_of(server: Server) -> Path:
    return Path(server.database.removeprefix("sqlite:///"))


def count_deals(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM revision").fetchone()
        return int(count)


@pytest.mark.parametrize("way", WAYS)
def test_a_stopped_servers_file_holds_everything(way: str, server: Server, terminal: Terminal, tmp_path: Path) -> None:
    WAYS[way](server, terminal)
    assert server.process.wait(TIMEOUT) == 0, (server.folder / "server.log").read_text()
    database = database_of(server)
    assert list(server.folder.glob(f"{database.name}-*")) == []
    copy = Path(shutil.copy(database, tmp_path / "copy.sqlite3"))
    assert count_deals(copy) == DEALS
    assert "Traceback" not in (server.folder / "server.log").read_text()


def test_nohup_keeps_a_server_running_when_its_terminal_is_closed(new_server: Server, terminal: Terminal) -> None:
    server = new_server
    server.program = ("-c", f"import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n{IN_A_TERMINAL[1]}")
    server.start()
    terminal.close()
    with pytest.raises(subprocess.TimeoutExpired):
        server.process.wait(2)
    assert Phone(server.url).ask("/health").status == 200
