"""Measure how slow and idle clients delay others, and how evenly sixteen connections are served.

One server as started by `scorekeeper run`, on SQLite, measured without and with slow clients of every kind, in turns;
200 clients of each kind in the full form.
"""

from __future__ import annotations

import http.client
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from threading import Lock, Thread

from ..conftest import Server
from ..databases import Files
from ..faults.phones import Phone
from ..faults.slow import WAITING, Begin, clients
from .measuring import Line, print_lines, ratio
from .ours import AtTable
from .serving import Client, open_connection

CONNECTIONS = 16
MAX_SLOWER = 2  # factor by which slow clients may delay others
MAX_UNEVEN = 10  # times the median, for the slowest of a hundred answers


@contextmanager
def served() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        server = Server(home, Files(Path(folder)).make(home))
        server.start()
        try:
            yield server
        finally:
            server.stop()


def lines(quick: bool) -> Iterator[Line]:
    rounds, each, of_each_kind, seconds = (1, 2, 5, 0.3) if quick else (9, 30, 200, 3.0)
    with served() as server:
        table = AtTable(Client(open_connection(server.port)), "francion", 3 if quick else 30)
        actions = {"table page": table.page, "record a deal": table.record}
        quiet: dict[str, list[float]] = {name: [] for name in actions}
        beside: dict[str, list[float]] = {name: [] for name in actions}
        kinds: dict[Begin, int] = dict.fromkeys(WAITING, of_each_kind)
        for _ in range(rounds):
            for name, ask in actions.items():
                quiet[name].append(median(ask() for _ in range(each)))
            with clients(server.port, kinds):
                Phone(server.url).ask("/health")
                for name, ask in actions.items():
                    beside[name].append(median(ask() for _ in range(each)))
            table.client.connection.close()
            table.client.connection = open_connection(server.port)
        for name in actions:
            number = sum(kinds.values())
            yield ratio(
                f"{name} beside {number} slow and idle clients, and without", beside[name], quiet[name], MAX_SLOWER
            )
        yield Line(
            f"{CONNECTIONS} connections at once: the slowest of a hundred answers, beside the median",
            [_unevenness(server.port, seconds) for _ in range(rounds)],
            " ×",
            MAX_UNEVEN,
        )


def _unevenness(port: int, seconds: float) -> float:
    took, lock = list[float](), Lock()
    until = time.monotonic() + seconds

    def ask() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        mine = []
        while time.monotonic() < until:
            began = time.perf_counter()
            connection.request("GET", "/health")
            connection.getresponse().read()
            mine.append(time.perf_counter() - began)
        connection.close()
        with lock:
            took.extend(mine)

    threads = [Thread(target=ask) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took.sort()
    return took[int(len(took) * 0.99)] / median(took)


def main(quick: bool) -> bool:
    return print_lines("slow clients", list(lines(quick)), judged=not quick)
