"""A large site: two nginx hold the streams with nchan and one Redis, in front of two app servers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from threading import Thread

import psycopg

from ..databases import running_cluster
from ..faults.phones import Phone
from ..ports import free_port
from .site import TIMEOUT, App, Nginx, Site, Upstream, until

MODULE = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
PING_SECONDS = 1  # instead of 30


class StreamingNginx(Nginx):
    """nginx with deploy/nginx-nchan.conf, which holds the streams of a site."""

    def __init__(self, folder: Path, apps: Sequence[Upstream], redis_port: int) -> None:
        folder.mkdir(mode=0o755)
        super().__init__(
            folder, apps, modules=f"load_module {MODULE}; worker_processes 1; worker_shutdown_timeout 2s;\n"
        )
        self.redis_port = redis_port
        self.endpoint_port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.endpoint_port}"

    def configure(self) -> None:
        """Write all files of the configuration."""
        super().configure()
        ports = {"redis://127.0.0.1:6379": f"redis://127.0.0.1:{self.redis_port}"}
        ports["listen 127.0.0.1:8780"] = f"listen 127.0.0.1:{self.endpoint_port}"
        self.add("conf.d/scorekeeper-nchan.conf", "nginx-nchan.conf", ports)
        ping = {"ping_interval 30": f"ping_interval {PING_SECONDS}"}
        self.add("snippets/scorekeeper-nchan.conf", "nginx-nchan-streams.conf", ping)

    def run(self) -> None:
        """Start nginx."""
        self.process = self.start()

    def stop(self) -> None:
        """Stop nginx, and wait for its end."""
        self.process.terminate()
        self.process.wait(TIMEOUT)

    def reload(self) -> None:
        """Have new workers take over."""
        self.process.send_signal(signal.SIGHUP)

    def publish(self, event: str, table: str, number: int) -> None:
        """Publish a message as an app server does."""
        connection = HTTPConnection("127.0.0.1", self.endpoint_port, timeout=TIMEOUT)
        path = f"/{event}/{token_of(table)}"
        connection.request("POST", path, body=str(number), headers={"X-EventSource-Event": event})
        assert connection.getresponse().status in (201, 202)
        connection.close()


class Follower:
    """A page that follows a table, or an event, at one nginx, and notes what it hears.

    Attributes:
        status: of the response; 0 until there is one.
        heard: the events with their data, in order.
        ended_at: when the stream has ended, by the monotonic clock; 0 until then.
    """

    def __init__(self, nginx: Nginx, phone: Phone, table: str, query: str = "") -> None:
        self.status = 0
        self.heard: list[tuple[str, str]] = []
        self.ended_at = 0.0
        self._connection = HTTPSConnection("127.0.0.1", nginx.port, context=nginx.trusted, timeout=TIMEOUT)
        headers = {"Cookie": phone.cookie(), "Accept": "text/event-stream"}
        Thread(target=self._follow, args=(f"{table}stream{query}", headers), daemon=True).start()
        until(lambda: self.status, "the stream is not answered")

    def _follow(self, path: str, headers: dict[str, str]) -> None:
        with suppress(OSError, HTTPException):
            self._connection.request("GET", path, headers=headers)
            response = self._connection.getresponse()
            self.status = response.status
            event = ""
            for line in response if response.status == 200 else ():
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    event = value
                elif name == "data":
                    self.heard.append((event, value))
        self._connection.close()
        self.ended_at = time.monotonic()

    def numbers(self, event: str = "revision") -> list[int]:
        """Return the numbers of an event that have been heard."""
        return [int(data) for name, data in self.heard.copy() if name == event]

    def wait_for(self, number: int, event: str = "revision") -> None:
        """Wait until a number is heard."""
        until(lambda: number in self.numbers(event), f"{event} {number} is not heard")


class Page:
    """A page that follows a table, and opens another stream whenever one has ended."""

    def __init__(self, nginx: Nginx, phone: Phone, table: str) -> None:
        self._open = partial(Follower, nginx, phone, table)
        self.follower = self._open()

    def wait_for(self, number: int) -> None:
        """Wait until a number of a revision is heard."""
        until(lambda: self._hears(number), f"revision {number} is not heard")

    def _hears(self, number: int) -> bool:
        if self.follower.ended_at:
            self.follower = self._open()
        return number in self.follower.numbers()


class PushSite(Site):
    """A running large site."""

    def __init__(self, folder: Path, database: str) -> None:
        super().__init__(folder, database)
        self.fronts = [StreamingNginx(folder / name, self.apps, self.redis_port) for name in ("first", "second")]
        self.nginx = self.fronts[0]
        for app in self.apps:
            app.settings["SCOREKEEPER_NCHAN"] = ", ".join(front.endpoint for front in self.fronts)

    def stop_redis(self) -> None:
        """Stop Redis, and wait for its end. It keeps nothing."""
        self.redis.terminate()
        self.redis.wait(TIMEOUT)

    def requests(self) -> int:
        """Return how many requests the app servers have answered."""
        return sum("path" in line for app in self.apps for line in app.lines())

    def last_query(self) -> object:
        """Return when a connection of an app server has last begun a query."""
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        with psycopg.connect(self.database.replace("+psycopg", "")) as connection:
            return connection.execute(f"SELECT max(query_start) FROM pg_stat_activity WHERE {others}").fetchone()  # noqa: S608  # nothing from outside


def kill(app: App) -> None:
    """Kill an app server with its workers."""
    master = app.process.pid
    workers = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    for pid in [master, *map(int, workers)]:
        os.kill(pid, signal.SIGKILL)
    app.process.wait()


def token_of(table: str) -> str:
    """Return the token in a table's path."""
    return table.split("/")[2]


def missing_module() -> list[str]:
    """Return what this machine lacks for nchan."""
    return [] if MODULE.exists() else ["libnginx-mod-nchan"]


@contextmanager
def running_push_site(folder: Path) -> Iterator[PushSite]:
    """Start everything."""
    with ExitStack() as parts:
        database = parts.enter_context(running_cluster()).make(folder, migrated=False)
        site = PushSite(folder, database)
        site.start_redis()
        parts.callback(site.stop_redis)
        for app in site.apps:
            app.start()
            parts.callback(app.listener.close)
            parts.callback(kill, app)  # sooner than it would stop
        for front in site.fronts:
            front.configure()
            front.run()
            parts.callback(front.stop)
        for app in site.apps:
            until(app.is_ready, "a server does not start")
        yield site
