"""What a small machine can rely on: one process, little in memory before it is needed, and a disk that rests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from ..benchmarks.light import count_writes, measure_memory, play_evening
from ..conftest import Server, require_program
from ..databases import Files
from ..faults.traced import STRACE

# Imported where they are needed, for the reason that stands there.
LATER = (
    *("alembic", "babel.messages", "cryptography", "icu", "networkx", "openskill", "prometheus_client", "psycopg"),
    *("redis", "resvg_py", "stdnum", "xlsxwriter"),
)
START = (
    "import scorekeeper.cli.serve, scorekeeper.server.only_worker, sys; scorekeeper.create_app(); print(*sys.modules)"
)
MAX_MEMORY = 150  # MB, with ICU and arenas, which `make run` has not; two processes took 188
MAX_ENTRY = 30_000  # bytes: six pages, and their heads
ENTRIES, DEALS = 5, 2


@pytest.fixture
def server(files: Files, tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, files.make(tmp_path))
    server.start()
    yield server
    server.stop()


def test_a_started_app_has_not_loaded_what_few_requests_need(tmp_path: Path) -> None:
    assert [name for name in LATER if find_spec(name) is None] == []
    run = [sys.executable, "-m", "scorekeeper.cli.compiling"], [sys.executable, "-c", START]
    for command in run:
        done = subprocess.run(  # noqa: S603  # our own command
            command,
            env=os.environ | {"SCOREKEEPER_INSTANCE": str(tmp_path)},
            check=True,
            capture_output=True,
            text=True,
        )
    assert set(LATER) & set(done.stdout.split()) == set()


@pytest.mark.sqlite
def test_one_worker_is_one_process_of_bounded_memory(server: Server) -> None:
    play_evening(server.url, DEALS)
    measured = measure_memory(server.process.pid)
    assert measured.processes == 1
    assert measured.megabytes < MAX_MEMORY


@pytest.mark.sqlite
def test_an_entry_is_one_sync_and_an_idle_server_writes_nothing(server: Server) -> None:
    require_program("strace", STRACE)
    idle, entered = count_writes(server, ENTRIES, seconds=5)
    assert idle == (0, 0)
    assert entered.syncs == ENTRIES
    assert entered.size < ENTRIES * MAX_ENTRY
