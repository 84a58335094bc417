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
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...hosting.push_site import StreamingNginx
from ...ports import free_port

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


@dataclass
class SetUp:
    """Running servers. `url`: where phones find them; `processes`: what they consist of, the app server first."""

    app: AppServer
    url: str
    processes: dict[str, int]
    is_behind_proxy: bool = False


@contextmanager
def one_process(workers: int, threads: int) -> Iterator[SetUp]:
    """Start `scorekeeper run`, and stop it at the end."""
    with tempfile.TemporaryDirectory() as folder:
        app = AppServer(Path(folder), workers, threads, SCOREKEEPER_PROXIES="1")
        app.start()
        try:
            yield SetUp(app, app.url, {"app": app.process.pid})
        finally:
            app.stop()


class PlainNginx(StreamingNginx):
    """nginx with nchan as in deploy/, for many connections, and without encryption: the phones share the machine."""

    def configure(self) -> None:
        """Write all files of the configuration."""
        super().configure()
        main = self.folder / "nginx.conf"
        events = "events { worker_connections 40000; }"
        main.write_text("worker_rlimit_nofile 65536;\n" + main.read_text().replace("events {}", events))

    def add(self, name: str, source: str, replaced: dict[str, str]) -> None:
        """Write a file of deploy/, for phones that speak plain HTTP."""
        super().add(name, source, replaced)
        path = self.folder / name
        text = path.read_text().replace(f":{self.port} ssl", f":{self.port}")
        path.write_text(text.replace("ping_interval 1;", "ping_interval 30;"))


@contextmanager
def nchan_site(workers: int, threads: int) -> Iterator[SetUp]:
    """Start nginx with nchan, Redis and one app server, and stop them at the end."""
    with ExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)  # nginx runs as another user
        redis_port = free_port()
        redis = ["redis-server", "--port", str(redis_port), "--dir", str(folder), "--save", "", "--bind", "127.0.0.1"]
        processes = {"Redis": _start(parts, redis, folder / "redis.log")}
        app = AppServer(folder, workers, threads, SCOREKEEPER_PROXIES="1", SCOREKEEPER_HOSTS="127.0.0.1")
        nginx = PlainNginx(folder / "nginx", [app], redis_port)
        app.environment["SCOREKEEPER_NCHAN"] = nginx.endpoint
        app.environment["REDIS_URL"] = f"redis://127.0.0.1:{redis_port}/0"
        wait_for(redis_port)
        app.start()
        parts.callback(app.stop)
        nginx.configure()
        nginx.run()
        parts.callback(nginx.stop)
        processes = {"app": app.process.pid, "nginx": nginx.process.pid, **processes}
        yield SetUp(app, f"http://127.0.0.1:{nginx.port}", processes, is_behind_proxy=True)


def _start(parts: ExitStack, command: list[str], output: Path) -> int:
    with output.open("ab") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file)  # noqa: S603  # Debian's own program
    parts.callback(process.wait, STOP)
    parts.callback(process.terminate)
    return process.pid


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
