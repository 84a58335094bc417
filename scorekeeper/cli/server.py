"""`scorekeeper run`: gunicorn with its own threaded worker, configured here.

Each phone's stream of live updates takes a thread, up to `MAX_STREAMS`; the others are for requests. Only the workers
import the app: the process that starts them again is small.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import resource
import signal
import socket
import sys
from concurrent.futures import Future
from contextlib import closing
from fcntl import LOCK_EX, LOCK_UN, lockf
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import click
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.workers.gthread import ThreadWorker

from ..config import read_number, read_text
from ..errors import FAILED, StartupError, explain
from ..limits import MAX_STREAMS
from ..site.network import is_wildcard

if TYPE_CHECKING:
    from flask import Flask

REQUEST_THREADS = 24  # of a process, besides those of streams
MAX_CONNECTIONS = 4_000  # of a process: streams, requests, and phones that may ask again
MAX_IDLE_SECONDS = 75  # between two requests on a connection
MAX_STOP_SECONDS = 30  # for requests in progress when the server stops
BACKLOG = 2_048  # connections waiting to be accepted
MAX_OPEN_FILES = 65_536
MEMORY = "/dev/shm"  # noqa: S108  # a folder in memory, for the files that workers touch each second
_REFUSED = {
    errno.EADDRINUSE: "port-in-use",
    errno.EACCES: "port-reserved",
    errno.EPERM: "port-reserved",
    errno.EADDRNOTAVAIL: "not-this-machine",
}
# Nothing that follows the prefix of a link is logged: before the secret, somebody may have typed a space or a quotation
# mark. Nor is what gunicorn quotes of a request that it cannot read.
_SECRET = re.compile(
    r"(/(?:join|calendars)/+|[?&]shared=|^Invalid request from [^'\"]+(?=['\"])).+", re.IGNORECASE | re.DOTALL
)


class Worker(ThreadWorker):
    """A worker that closes connections in its thread pool.

    gunicorn waits for each client up to two seconds, in the thread that accepts the others.
    """

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End all streams, too, which the worker would wait for."""
        signal.signal(signal.SIGTERM, super().handle_exit)  # a second one must not come while this one holds a lock
        self.app.end_streams()
        super().handle_exit(sig, frame)

    def finish_request(self, conn: Any, fs: Future[Any]) -> None:
        if fs.cancelled() or fs.exception() is not None or fs.result():
            super().finish_request(conn, fs)
        else:
            self.nr_conns -= 1
            self.tpool.submit(conn.close, graceful=True)


class Master(Arbiter):
    """gunicorn's process that starts workers. If one cannot start, it stops in silence: the worker said why."""

    def halt(self, reason: str | None = None, exit_status: int = 0) -> None:
        if exit_status == self.APP_LOAD_ERROR:
            self.stop()
            sys.exit(FAILED)
        super().halt(reason, exit_status)


class Server(BaseApplication):
    def __init__(self, listener: socket.socket, workers: int) -> None:
        self.host, self.port = listener.getsockname()[:2]
        self.worker_number = 0  # in a worker: among all that were started, from 1; a replacement has a new one
        self.start_lock = TemporaryFile()  # noqa: SIM115  # open as long as a worker may start
        self.settings: dict[str, Any] = {
            "bind": f"fd://{listener.detach()}",
            "workers": workers,
            "worker_class": Worker,
            "threads": MAX_STREAMS + REQUEST_THREADS,
            "worker_connections": MAX_CONNECTIONS,
            "worker_tmp_dir": MEMORY if os.access(MEMORY, os.W_OK | os.X_OK) else None,
            "keepalive": MAX_IDLE_SECONDS,
            "graceful_timeout": MAX_STOP_SECONDS,
            "logconfig_dict": LOGGING,
            "control_socket_disable": True,
            "forwarded_allow_ips": "",  # the app itself believes its proxies, if it has any
            "post_fork": self._number_worker,
            "worker_int": lambda _worker: self.end_streams(),
            "worker_exit": lambda _arbiter, _worker: self._end(),
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.settings.items():
            self.cfg.set(name, value)

    def run(self) -> None:
        Master(self).run()

    def _number_worker(self, _arbiter: Any, worker: Any) -> None:
        self.worker_number = worker.age

    def load(self) -> Flask:
        """Start a worker. An expected error is printed on one line, and ends the server."""
        from .output import report  # noqa: PLC0415  # it imports Babel
        from .worker import begin  # noqa: PLC0415  # it imports the app

        lockf(self.start_lock, LOCK_EX)  # one worker at a time: the first one may create the database
        try:
            return begin(self.host, self.port, prints=self.worker_number == 1)
        except Exception as error:
            problem = explain(error)
            if problem is None:
                raise
            if self.worker_number == 1 or self.worker_number > self.cfg.workers:  # else the first one has said it
                report(problem)
            sys.exit(Arbiter.APP_LOAD_ERROR)
        finally:
            lockf(self.start_lock, LOCK_UN)

    def end_streams(self) -> None:
        if self.callable is not None:
            from .worker import end_streams  # noqa: PLC0415  # as above

            end_streams(self.callable)

    def _end(self) -> None:
        if self.callable is not None:
            from .worker import end  # noqa: PLC0415  # as above

            end(self.callable)


def listen(host: str, port: int) -> socket.socket:
    """Listen at this port; 0 lets the system choose a free one. The host `::` means all addresses of IPv4 and IPv6."""
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise StartupError("no-such-host", host=host) from None
    family, _, _, _, address = min(infos, key=lambda info: info[0] != socket.AF_INET)
    try:
        is_dual = family == socket.AF_INET6 and is_wildcard(host)
        return socket.create_server(address[:2], family=family, backlog=BACKLOG, dualstack_ipv6=is_dual)
    except OSError as error:
        key = _REFUSED.get(error.errno or 0, "cannot-listen")
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise StartupError(key, host=host, port=str(port), another=str(port + 1), reason=reason) from None


def raise_file_limit() -> None:
    """Let the process open as many files, and so connections, as the system allows without special rights."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@click.command()
@click.option("--host", help="Address to listen on.  [default: SCOREKEEPER_HOST, or 0.0.0.0]")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to listen on.  [default: SCOREKEEPER_PORT, or 8765]")
def run(host: str | None, port: int | None) -> None:
    """Upgrade the database and serve the app. The settings are environment variables."""
    workers = read_number("SCOREKEEPER_WORKERS", 1, 64, 1)
    raise_file_limit()
    host = host or read_text("SCOREKEEPER_HOST", "0.0.0.0")  # noqa: S104  # phones on the local network must reach it
    port = read_number("SCOREKEEPER_PORT", 0, 65_535, 8_765) if port is None else port
    with closing(listen(host, port)) as listener:
        Server(listener, workers).run()


# --- the log -------------------------------------------------------------------------------------------------


def remove_secrets(text: str) -> str:
    return _SECRET.sub(r"\1…", text)


class _WithoutSecrets(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        record.msg = remove_secrets(record.getMessage())
        record.args = ()
        return super().format(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802  # the name in logging
        return "\n".join(map(remove_secrets, super().formatException(ei).split("\n")))


class _WithoutRefusals(logging.Filter):
    """A filter for the message that a worker could not begin: it has said why itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (isinstance(record.args, tuple) and record.args[-1:] == (Arbiter.APP_LOAD_ERROR,))


# The argument of `logging.config.dictConfig`: everything goes to standard error, without secrets.
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"refusals": {"()": _WithoutRefusals}},
    "formatters": {"ours": {"()": _WithoutSecrets, "fmt": "%(asctime)s %(levelname)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "ours"}},
    "root": {"level": "WARNING", "handlers": ["console"]},
    "loggers": {
        "gunicorn.error": {"level": "WARNING", "handlers": ["console"], "filters": ["refusals"], "propagate": False},
        "gunicorn.access": {"level": "WARNING"},  # requests are not logged: a proxy in front does that
    },
}
