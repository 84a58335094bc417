"""What a small machine gives: memory, start, installed size, and bytes written, of one `scorekeeper run` on SQLite.

The evening is short: tables of three games with four phones that follow, and the pages that players open meanwhile.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from html import unescape
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scorekeeper.games import games

from ..conftest import Server
from ..faults import traced
from ..faults.following import following
from ..faults.phones import Phone
from ..ports import free_port
from .ours import AtTable
from .serving import Client, open_connection
from .updates import measure_entry

TABLES, DEALS = 3, 25  # each table of another game
PHONES = 4
IDLE_SECONDS, ENTRIES = 20, 20  # of what is counted on the disk
UPDATES = 40  # entries of which the processor is counted
STARTS = 5  # of which the quickest counts
MAX_MEMORY, MAX_INSTALLED = 90, 120  # MB
PROGRAM = ("-m", "scorekeeper")  # as `make run` has it
BARE = "from flask import Flask\napp = Flask('bare')\napp.add_url_rule('/', view_func=lambda: 'ready')\n"


class Memory(NamedTuple):
    """Megabytes (1,000,000 bytes) of all processes: their shares of what they share, and processes."""

    megabytes: float
    processes: int


def measure_memory(process: int) -> Memory:
    family = list(_family(process))
    lines = "".join(Path(f"/proc/{each}/smaps_rollup").read_text() for each in family)
    return Memory(sum(map(int, re.findall(r"^Pss: +(\d+) kB", lines, re.M))) * 1024 / 1e6, len(family))


def _family(process: int) -> Iterator[int]:
    yield process
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from _family(int(child))


# --- an evening --------------------------------------------------------------------------------------------


def play_evening(url: str, deals: int = DEALS) -> None:
    """Play three tables; phones follow the first, and after each deal ask for the table's new contents."""
    host, *others = phones = [Phone(url) for _ in range(PHONES)]
    table = host.open_table()
    for phone in others:
        host.let_in(table, phone)
    with following() as followers:
        for phone in phones:
            followers.add(phone, table, "1.1")
        followers.wait_for(0)
        for _ in range(deals):
            host.enter(table, host.score())
            for phone in phones:
                assert phone.ask(f"{table}now").status == 200
        _look_around(host, table)
    with closing(open_connection(int(url.rpartition(":")[2]))) as connection:
        client = Client(connection)
        for slug in [slug for slug, game in games().items() if not game.named_by][:TABLES]:
            played = AtTable(client, slug, deals)
            played.preview()
            played.page()
            played.settle_everything()


def _look_around(phone: Phone, table: str) -> None:
    """Open each page that the table's page and its circle's page lead to, but nothing that is downloaded."""
    seen: set[str] = set()
    for page in (table, *(link for link in _links(phone, table) if re.fullmatch(r"/circles/[^/]+/", link))):
        for link in _links(phone, page):
            if link not in seen and not re.search(r"export|\.\w+$|print|sample|language", link):
                seen.add(link)
                phone.ask(link)


def _links(phone: Phone, page: str) -> list[str]:
    found = re.findall(r'<a\b[^>]*\bhref="(/[^"#?]*)', phone.ask(page).text)
    return list(dict.fromkeys(map(unescape, found)))


# --- what is written ---------------------------------------------------------------------------------------


class Written(NamedTuple):
    """What was written: bytes, and calls that wait for the disk."""

    size: int
    syncs: int


@contextmanager
def traced_writes(server: Server) -> Iterator[list[Written]]:
    """Count what a server writes to its database meanwhile; the list has the result at the end."""
    assert traced.STRACE is not None
    counted: list[Written] = []
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        command = [traced.STRACE, "-f", "-y", "-xx", "-s", str(traced.LONGEST), "-o", str(trace), "-p"]
        calls = f"trace={','.join(traced._CALLS)}"
        with subprocess.Popen([*command, str(server.process.pid), "-e", calls], stderr=subprocess.PIPE) as strace:  # noqa: S603  # a known program
            assert strace.stderr is not None
            strace.stderr.readline()  # it is attached
            yield counted
            strace.terminate()
        found = traced.read(trace, str(server.folder))
        database = Path(server.database).name
        operations = [operation for operation in found if operation.path.startswith(database)]
        syncs = sum(operation.kind == traced.SYNC for operation in operations)
        counted.append(Written(sum(len(operation.data) for operation in operations), syncs))


def count_writes(server: Server, entries: int = ENTRIES, seconds: float = IDLE_SECONDS) -> tuple[Written, Written]:
    """Return what an idle server with followers writes, and what a number of entries write."""
    phone = Phone(server.url)
    table = phone.open_table()
    with following() as followers:
        for _ in range(PHONES):
            followers.add(phone, table, "1.1")
        followers.wait_for(0)
        with traced_writes(server) as idle:
            time.sleep(seconds)
        with traced_writes(server) as entered:
            for _ in range(entries):
                phone.enter(table, phone.score())
    return idle[0], entered[0]


# --- starting and installing -------------------------------------------------------------------------------


def time_start(command: list[str], environment: dict[str, str], url: str) -> tuple[float, float]:
    """Return the seconds until the first answer, by the clock and of the processor."""
    used, began = _used(), time.perf_counter()
    with subprocess.Popen(  # noqa: S603  # our own command
        command, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while True:
            with suppress(OSError):
                urllib.request.urlopen(url, timeout=60).close()  # noqa: S310  # a loopback address
                break
            time.sleep(0.005)
        took = time.perf_counter() - began
        process.terminate()
        process.wait(60)
    return took, _used() - used


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def measure_installed() -> tuple[float, int]:
    """Return the megabytes of the app and what it needs to run, without compiled files, and the number of packages."""
    wanted, found = ["scorekeeper"], dict[str, float]()
    while wanted:
        name = canonicalize_name(wanted.pop())
        if name not in found:
            distribution = metadata.distribution(name)
            paths = [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
            found[name] = sum(path.stat().st_size for path in paths if path.suffix != ".pyc" and path.is_file()) / 1e6
            needed = map(Requirement, distribution.requires or ())
            wanted += [each.name for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})]
    return sum(found.values()), len(found)


# --- all of it ---------------------------------------------------------------------------------------------


def main(quick: bool) -> bool:
    """Print everything; return whether all limits are met."""
    size, packages = measure_installed()
    print("\n| a small machine | measured | at most |\n| --- | --- | --- |")
    print(f"| installed, {packages} packages | {size:.0f} MB | {MAX_INSTALLED} MB |")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), f"sqlite:///{folder}/scorekeeper.sqlite3")
        server.program = PROGRAM
        server.start()
        server.stop()  # the next start finds its database
        server.start()
        try:
            memory = _print_memory(server, 2 if quick else DEALS)
            _print_updates(server, 2 if quick else UPDATES)
            if traced.STRACE:
                _print_writes(server, *((3, 1) if quick else (ENTRIES, IDLE_SECONDS)))
        finally:
            server.stop()
        _print_starts(folder, 1 if quick else STARTS)
    return size <= MAX_INSTALLED and memory <= MAX_MEMORY


def _print_memory(server: Server, deals: int) -> float:
    before = measure_memory(server.process.pid)
    play_evening(server.url, deals)
    after = measure_memory(server.process.pid)
    print(f"| memory at the start, processes: {before.processes} | {before.megabytes:.0f} MB | |")
    print(f"| memory after a short evening | {after.megabytes:.0f} MB | {MAX_MEMORY} MB |")
    return after.megabytes


def _print_updates(server: Server, entries: int) -> None:
    """Print what an entry and its updates take, in turns: the machine is shared."""
    ways = [(pushed, owned) for owned in (False, True) for pushed in (True, False)]
    rounds = [[measure_entry(server, entries, pushed=pushed, owned=owned) for pushed, owned in ways] for _ in range(3)]
    for (pushed, owned), took in zip(ways, zip(*rounds, strict=True), strict=True):
        how = f"{'brought by streams' if pushed else 'asked for'}{', each phone with an owner' if owned else ''}"
        print(f"| an entry with {PHONES} updates, {how} | {min(took):.1f} ms | |", flush=True)


def _print_writes(server: Server, entries: int, seconds: float) -> None:
    idle, entered = count_writes(server, entries, seconds)
    each = f"{entered.size / entries / 1000:.0f} KB in {entered.syncs / entries:.1f} syncs"
    print(f"| an entry writes | {each} | |")
    print(f"| an idle server with {PHONES} phones writes | {idle.size} bytes in {idle.syncs} syncs | |")


def _print_starts(folder: str, times: int) -> None:
    """Print the quickest of some starts, beside a bare Flask app in gunicorn, taking turns."""
    ours, bare = [], []
    (Path(folder) / "bare.py").write_text(BARE)
    for _ in range(times):
        port = str(free_port())
        run = [sys.executable, *PROGRAM, "run", "--host", "127.0.0.1", "--port", port]
        ours.append(time_start(run, {"SCOREKEEPER_INSTANCE": folder}, f"http://127.0.0.1:{port}/"))
        port = str(free_port())
        run = [sys.executable, "-m", "gunicorn", "--no-control-socket", "--bind", f"127.0.0.1:{port}", "bare:app"]
        bare.append(time_start(run, {"PYTHONPATH": folder}, f"http://127.0.0.1:{port}/"))
    for what, number in (("clock", 0), ("processor", 1)):
        our, their = (min(start[number] for start in starts) for starts in (ours, bare))
        measured = f"{our:.2f} s, {our / their:.1f} × a bare Flask app's {their:.2f} s"
        print(f"| start to the first answer, {what} | {measured} | |")
