"""Measure the load that one machine can serve: `python -m tests.benchmarks.load [--quick] [--workers 2] …`.

Each table is in its own circle. Four phones poll it every 1.5 seconds, as static/js/live.js does, and entries are sent
at a fixed interval, far more often than cards are dealt. There is one server, on SQLite or at DATABASE_URL. For each
number of tables, print requests and entries per second, the duration of an entry and of a poll (from the moment it was
due, so that delays in sending count), and the processor time of the server per second. The clients run on the same
machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

PHONES = 4  # at a table
POLL_INTERVAL = 1.5  # seconds between two polls of a phone
WARM_UP = 3.0  # seconds that are not measured
NAMES = ("Anne", "Bruno", "Chloé", "David")


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Phone:
    """A persistent connection, and the cookie of a browser."""

    port: int
    cookie: str = ""
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> Answer:
        """Send a request; retry with a new connection if the server has closed the old one."""
        for last in (False, True):
            try:
                return await self._ask(path, form, headers)
            except (OSError, asyncio.IncompleteReadError):
                self.writer = None
                if last:
                    raise
        raise AssertionError

    async def _ask(self, path: str, form: dict[str, str] | None, headers: dict[str, str]) -> Answer:
        if self.writer is None or self.reader is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        body = urlencode(form).encode() if form is not None else b""
        sent = {"Host": "localhost", "Accept-Encoding": "gzip", "Accept-Language": "en", "Cookie": self.cookie}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        if form is not None:
            sent |= {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        self.writer.write(f"{'GET' if form is None else 'POST'} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        return await self._answer(self.reader)

    async def _answer(self, reader: asyncio.StreamReader) -> Answer:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if "set-cookie" in headers:
            self.cookie = headers["set-cookie"].partition(";")[0]
        status = int(first.split()[1])
        body = b""
        if status not in (304, 204):
            body = await reader.readexactly(int(headers["content-length"]))
        if headers.get("connection") == "close":
            self.writer = None
        return Answer(status, headers, body.decode("utf-8", "replace"))


@dataclass
class Table:
    path: str
    csrf: str
    phones: list[Phone]
    seen: int = 0  # number of revisions
    entries: int = 0


@dataclass
class Results:
    """Durations in milliseconds, and counts of statuses. `from_`: when measuring begins."""

    from_: float = 0.0
    entries: list[float] = field(default_factory=list)
    polls: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


async def set_table(port: int) -> Table:
    """Open a table with one phone. The others use the same cookie, which makes no difference for the server."""
    host = Phone(port)
    page = await host.ask("/tables/new/whist", Accept_Encoding="identity")
    found = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    assert found is not None
    seats = {f"seat-{number}": name for number, name in enumerate(NAMES, start=1)}
    opened = await host.ask("/tables/new/whist", seats | {"csrf_token": found[1], "dealer": "1"})
    assert opened.status == 303, opened
    phones = [host, *(Phone(port, host.cookie) for _ in range(PHONES - 1))]
    return Table(opened.headers["location"], found[1], phones)


async def follow(table: Table, phone: Phone, results: Results, phase: float, until: float) -> None:
    due, tag = time.monotonic() + phase, '"0"'
    while due < until:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        answer = await phone.ask(f"{table.path}now", If_None_Match=tag)
        tag = answer.headers.get("etag", tag)
        now = time.monotonic()
        if due >= results.from_:
            results.polls.append(1000 * (now - due))
            results.statuses[f"asked: {answer.status}"] += 1
        due = max(due + POLL_INTERVAL, now)  # a page has one poll at a time


async def enter(table: Table, results: Results, phase: float, every: float, until: float) -> None:
    due, phone = time.monotonic() + phase, Phone(table.phones[0].port, table.phones[0].cookie)
    while due < until:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        table.entries += 1
        entry = {"csrf_token": table.csrf, "key": f"{table.entries}", "seen": str(table.seen), "do": "record"}
        entry |= {"tricks": ("ns-1", "ew-1")[table.entries % 2]}
        answer = await phone.ask(f"{table.path}deals/new", entry, Accept="application/json")
        if answer.status == 200:
            table.seen += 1
        if due >= results.from_:
            results.entries.append(1000 * (time.monotonic() - due))
            results.statuses[f"entered: {answer.status}"] += 1
        due += every


def part_of(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0.0


def processor(parent: int) -> float:
    """Return the processor time of a process and its children, in seconds."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent or int(stat.parent.name) == parent:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(workers: int, threads: int) -> Iterator[tuple[int, int]]:
    """Start a server; yield its port and process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as log:
        command = [sys.executable, "-m", "scorekeeper", "run", "--host", "127.0.0.1", "--port", str(port)]
        command += ["--workers", str(workers), "--threads", str(threads)]
        environment = os.environ | {"SCOREKEEPER_INSTANCE": folder}
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)  # noqa: S603  # our own command
        try:
            for _ in range(600):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield port, process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(40)


async def measured(port: int, pid: int, tables: list[Table], more: int, every: float, seconds: float) -> None:
    """Open `more` tables, let all tables play, and print a row of results."""
    for _ in range(more):
        tables.append(await set_table(port))
    begun = time.monotonic()
    results = Results(begun + WARM_UP)
    until = begun + WARM_UP + seconds
    work = []
    for number, table in enumerate(tables):
        shift = number / len(tables)
        work.append(enter(table, results, shift * every, every, until))
        for index, phone in enumerate(table.phones):
            work.append(follow(table, phone, results, (shift + index / PHONES) % 1 * POLL_INTERVAL, until))
    playing = asyncio.gather(*work)
    await asyncio.sleep(WARM_UP)
    before, since = processor(pid), time.monotonic()
    await asyncio.sleep(max(0.0, until - time.monotonic()))
    cores = (processor(pid) - before) / (time.monotonic() - since)
    await playing
    wrong = {what: count for what, count in results.statuses.items() if what[-3:] not in ("200", "304")}
    requests = len(results.entries) + len(results.polls)
    print(
        f"| {len(tables)} | {requests / seconds:.0f} | {len(results.entries) / seconds:.1f} "
        f"| {part_of(results.entries, 0.5):.0f} / {part_of(results.entries, 0.95):.0f} "
        f"| {part_of(results.polls, 0.5):.0f} / {part_of(results.polls, 0.95):.0f} "
        f"| {cores:.2f} | {wrong or '–'} |",
        flush=True,
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two tables for a second")
    parser.add_argument("--tables", default="50,100,150,200", help="how many at a time, one step after another")
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two entries at a table")
    parser.add_argument("--seconds", type=float, default=15.0, help="that each step is measured for")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=8)
    options = parser.parse_args()
    steps = [2] if options.quick else [int(step) for step in options.tables.split(",")]
    seconds, every = (1.0, 0.5) if options.quick else (options.seconds, options.every)
    with served(options.workers, options.threads) as (port, pid):
        database = os.environ.get("DATABASE_URL", "sqlite").partition(":")[0]
        print(f"{database}, {options.workers} worker(s), {os.cpu_count()} cores, an entry a table every {every:g} s\n")
        print("| tables | requests/s | entries/s | entry p50 / p95, ms | question p50 / p95, ms | cores | wrong |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        tables: list[Table] = []
        for step in steps:
            await measured(port, pid, tables, step - len(tables), every, seconds)


if __name__ == "__main__":
    asyncio.run(main())
