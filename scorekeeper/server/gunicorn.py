"""gunicorn, configured in code, with this package's worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple

from gunicorn import sock, systemd
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from . import logging
from .listening import Listener

MAX_STOP_SECONDS = 30  # for requests in progress when the server stops
STOP_SIGNALS = (signal.SIGTERM, signal.SIGQUIT)  # to a worker: once it has finished, or at once
MAX_IDLE_SECONDS = 75  # between two requests on a connection
MAX_HEADER_FIELDS = 64
WORKERS, ONLY_WORKER = "scorekeeper.server.worker.Worker", "scorekeeper.server.only_worker.OnlyWorker"
_MEMORY = "/dev/shm"  # noqa: S108  # a folder that is no disk: workers show there each second that they live


class Settings(NamedTuple):
    """Options of the `run` command."""

    workers: int
    threads: int  # per worker
    connections: int  # open at the same time, per worker
    log: str  # logging.TEXT or logging.JSON


class Server(BaseApplication):
    """The gunicorn application. Each worker creates its own app with its own database connections.

    A single worker serves in the first process: nothing watches it but what started it. Several are processes of their
    own, and the first process starts another one for each that ends.

    When it is to stop, it accepts no new connections and finishes the requests in progress. With a socket from systemd
    (LISTEN_FDS), clients that connect during a restart wait for the next server.
    """

    def __init__(
        self, make_app: Callable[[], Any], at_end: Callable[[], None], listener: Listener, settings: Settings
    ) -> None:
        """`at_end` is called in the first process, once its workers have ended."""
        self.make_app, self.at_end = make_app, at_end
        self.settings: dict[str, Any] = {
            "workers": settings.workers,
            "worker_class": WORKERS if settings.workers > 1 else ONLY_WORKER,
            "threads": settings.threads,
            "worker_connections": settings.connections,
            "keepalive": MAX_IDLE_SECONDS,
            "graceful_timeout": MAX_STOP_SECONDS,
            "limit_request_fields": MAX_HEADER_FIELDS,
            "sendfile": False,  # sendfile would bypass the timeout for clients that do not read
            "logconfig_dict": logging.configuration(settings.log),
            "control_socket_disable": True,
            "on_exit": lambda _arbiter: at_end(),
            "child_exit": _forget_gauges,
        }
        if os.path.isdir(_MEMORY):
            self.settings["worker_tmp_dir"] = _MEMORY
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

    def run(self) -> None:
        """Serve until a signal says to stop."""
        if self.cfg.workers > 1:
            _Arbiter(self).run()
            return
        try:
            self._serve_here()
        finally:
            self.at_end()

    def _serve_here(self) -> None:
        """Run the only worker in this process, with systemd's sockets if there are any."""
        log = self.cfg.logger_class(self.cfg)
        inherited = range(systemd.SD_LISTEN_FDS_START, systemd.SD_LISTEN_FDS_START + systemd.listen_fds())
        sockets = sock.create_sockets(self.cfg, log, inherited)
        worker = self.cfg.worker_class(1, os.getppid(), sockets, self, 0, self.cfg, log)
        worker.pid = os.getpid()
        log.info("Listening at: %s (%s)", ",".join(map(str, sockets)), worker.pid)
        worker.init_process()


class _Arbiter(Arbiter):
    """gunicorn's first process; Ctrl-C and a closed terminal stop it as SIGTERM does, and a second Ctrl-C at once."""

    handle_int = handle_hup = Arbiter.handle_term

    def init_signals(self) -> None:
        """Handle signals, but let `nohup` go on ignoring that the terminal is closed."""
        hang_up = signal.getsignal(signal.SIGHUP)
        super().init_signals()
        if hang_up is signal.SIG_IGN:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def spawn_worker(self) -> int:
        """Start a worker. A signal to stop waits until the worker can handle it: one sent at once would be lost."""
        previous = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            pid: int = super().spawn_worker()
            return pid  # the worker itself does not come here: it ends with an exception
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, previous)


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
    first = os.getpid()
    folder = os.environ["PROMETHEUS_MULTIPROC_DIR"] = mkdtemp(prefix="scorekeeper-metrics-")
    try:
        yield
    finally:
        if os.getpid() == first:  # a worker that ends comes here too, and leaves the folder to the others
            rmtree(folder, ignore_errors=True)
