"""The set-ups that are measured: one `scorekeeper run`, and nginx with nchan, Redis and one app process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...databases import free_port

START = 60  # seconds for a server to start
STOP = 40


class AppServer:
    """A `scorekeeper run` in a folder of its own, on SQLite or at DATABASE_URL."""

    def __init__(self, folder: Path, workers: int, threads: int, **settings: str) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.options = ["--workers", str(workers), "--threads", str(threads), "--connections", "20000"]
        self.environment = os.environ | {"SCOREKEEPER_INSTANCE": str(folder / "instance")} | settings

    def start(self) -> None:
        command = [sys.executable, "-m", "scorekeeper", "run", "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([*command, *self.options], env=self.environment, stdout=log, stderr=log)  # noqa: S603  # our own command
        wait_for(self.port)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(STOP)


def wait_for(port: int) -> None:
    """Wait until something accepts connections at the port."""
    begun = time.monotonic()
    while time.monotonic() - begun < START:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"nothing listens on port {port}")


@contextmanager
def app_server(workers: int, threads: int) -> Iterator[AppServer]:
    """Start a server, and stop it at the end."""
    with tempfile.TemporaryDirectory() as folder:
        server = AppServer(Path(folder), workers, threads)
        server.start()
        try:
            yield server
        finally:
            server.stop()


class Usage:
    """What a process and its descendants use."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def seconds(self) -> float:
        """Return the processor time so far."""
        ticks = sum(int(fields[11]) + int(fields[12]) for _, fields in self._processes())
        return ticks / os.sysconf("SC_CLK_TCK")

    def kilobytes(self) -> float:
        """Return the memory that is resident, of which shared pages count once for each process."""
        pages = sum(int(fields[21]) for _, fields in self._processes())
        return pages * os.sysconf("SC_PAGE_SIZE") / 1000

    def _processes(self) -> Iterator[tuple[int, list[str]]]:
        """Yield process ids, and the fields of /proc/<pid>/stat from the third on."""
        found = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                found[int(stat.parent.name)] = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
        family = {self.pid}
        for pid in sorted(found):  # parents are older than their children
            if int(found[pid][1]) in family:
                family.add(pid)
        return ((pid, found[pid]) for pid in family if pid in found)
