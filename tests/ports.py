"""Ports for the servers that tests start."""

from __future__ import annotations

import socket
from contextlib import suppress
from random import SystemRandom

PORTS = range(10_000, 32_768)  # below those from which Linux takes one for each outgoing connection


def free_port() -> int:
    """Return a port that nothing uses. It is drawn, so that no other process is given the same one."""
    while True:
        port = SystemRandom().choice(PORTS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
