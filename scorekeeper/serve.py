"""Serving the app from this machine: gunicorn, and where phones find it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import segno
from gunicorn.app.base import BaseApplication

from . import logs

GRACE = 30  # seconds in which what is under way is answered, when the server is told to stop


class Serving(NamedTuple):
    host: str
    port: int
    workers: int
    threads: int
    log: str  # logs.TEXT or logs.JSON


class Server(BaseApplication):
    """Gunicorn without a configuration file; each worker makes its own app, and so its own database connections.

    Told to stop (SIGTERM), it takes no new request and answers those under way. Where systemd holds the socket
    (LISTEN_FDS), that one is listened at, and who comes in between two servers waits there for the next.
    """

    def __init__(self, make_app: Callable[[], Any], serving: Serving) -> None:
        self.make_app = make_app
        host = f"[{serving.host}]" if ":" in serving.host else serving.host
        self.settings = {
            "bind": f"{host}:{serving.port}",
            "workers": serving.workers,
            "threads": serving.threads,
            "worker_class": "gthread",
            "graceful_timeout": GRACE,
            "logconfig_dict": logs.configuration(serving.log),
            "control_socket_disable": True,
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return self.make_app()


@contextmanager
def shared_figures(workers: int) -> Iterator[None]:
    """Where several workers serve, what they count for Prometheus is put together from files; before it is imported."""
    if workers == 1:
        yield
        return
    with TemporaryDirectory(prefix="scorekeeper-figures-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        yield


def address_on_the_network() -> str:
    """This machine's address for others on the same network; its own loopback address where it is on none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: connecting a datagram socket only asks the system which way it would go.
            probe.connect(("192.0.2.1", 9))
            address: str = probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"
    return address


def announce(host: str, port: int) -> str:
    """What to tell whoever started the app: where it is on this machine, and for phones, with a QR code."""
    lines = [f"Scorekeeper is at http://localhost:{port}/ on this machine."]
    if host in ("0.0.0.0", "::"):  # noqa: S104  # compared, not bound
        phones = f"http://{address_on_the_network()}:{port}/"
        lines += [f"Phones on the same network find it at {phones}", _code(phones)]
    else:
        lines.append(f"It listens at {host} only; --host 0.0.0.0 opens it to phones on the same network.")
    return "\n".join(lines)


def _code(url: str) -> str:
    drawn = StringIO()
    segno.make(url, micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()
