"""Serving the app from this machine: gunicorn, and where phones find it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from io import StringIO
from typing import Any

import segno
from gunicorn.app.base import BaseApplication

THREADS = 4


class Server(BaseApplication):
    """Gunicorn without a configuration file; each worker makes its own app, and so its own database connections."""

    def __init__(self, make_app: Callable[[], Any], host: str, port: int) -> None:
        self.make_app = make_app
        self.settings = {
            "bind": f"{f'[{host}]' if ':' in host else host}:{port}",
            "workers": 1,
            "threads": THREADS,
            "control_socket_disable": True,
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return self.make_app()


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
