"""gunicorn, configured in code, with this package's worker."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from gunicorn.app.base import BaseApplication

from . import logging
from .limits import raise_file_limit
from .listening import Listener

MAX_STOP_SECONDS = 30  # for requests in progress when the server stops
MAX_IDLE_SECONDS = 75  # between two requests on a connection
MAX_HEADER_FIELDS = 64
RESERVED_FILES = 200  # of a worker, besides its connections: database, temporary files, logs


class Settings(NamedTuple):
    """Options of the `run` command."""

    workers: int
    threads: int  # per worker
    connections: int  # open at the same time, per worker
    log: str  # logging.TEXT or logging.JSON


class Server(BaseApplication):
    """The gunicorn application. Each worker creates its own app with its own database connections.

    On SIGTERM it accepts no new connections and finishes the requests in progress. With a socket from systemd
    (LISTEN_FDS), clients that connect during a restart wait for the next server.
    """

    def __init__(self, make_app: Callable[[], Any], listener: Listener, settings: Settings) -> None:
        self.make_app = make_app
        self.settings: dict[str, Any] = {
            "workers": settings.workers,
            "worker_class": "scorekeeper.server.worker.Worker",
            "threads": settings.threads,
            "worker_connections": min(settings.connections, raise_file_limit() - RESERVED_FILES),
            "keepalive": MAX_IDLE_SECONDS,
            "graceful_timeout": MAX_STOP_SECONDS,
            "limit_request_fields": MAX_HEADER_FIELDS,
            "sendfile": False,  # sendfile would bypass the timeout for clients that do not read
            "logconfig_dict": logging.configuration(settings.log),
            "control_socket_disable": True,
        }
        if settings.workers > 1:
            self.settings["child_exit"] = _forget_gauges
        if listener.file is not None:
            self.settings["bind"] = f"fd://{listener.file}"
        super().__init__()

    def load_config(self) -> None:
        """Apply the settings to gunicorn's configuration."""
        for name, value in self.settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Create the app; called in each worker."""
        return self.make_app()


def _forget_gauges(_arbiter: Any, worker: Any) -> None:
    """Count the streams of a worker no longer, once it has ended in whatever way."""
    from prometheus_client import multiprocess  # noqa: PLC0415  # must not be imported before its folder is set

    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]  # it has no types


@contextmanager
def shared_metrics(workers: int) -> Iterator[None]:
    """Set the folder in which several workers share Prometheus metrics. Call before `prometheus_client` is imported."""
    if workers == 1:
        yield
        return
    with TemporaryDirectory(prefix="scorekeeper-metrics-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        yield
