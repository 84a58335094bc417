"""Servers killed under load, power cuts, a full disk, a locked database: what was acknowledged is there afterwards."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event
from typing import Any, NamedTuple

import pytest
from flask import Flask
from sqlalchemy import event

from scorekeeper.models import Revision, db
from scorekeeper.tables.caches import verify

from .support.apps import open_app
from .support.databases import Databases, Files, only_sqlite
from .support.phones import Phone
from .support.server import Server
from .support.visitor import Visitor, filled_in

KILLS, EACH = 2, 12  # entries acknowledged at least between two kills
TABLES, PHONES = 2, 4
DEALS, CUTS = 8, 40
TYPED = {"tricks": "ns-2", "honours": "ew-3"}


# --- killed under load


@pytest.fixture
def served(databases: Databases, tmp_path: Path) -> Iterator[Server]:
    """A server of its own, which the test may kill."""
    server = Server(tmp_path, databases.make(tmp_path))
    server.start()
    yield server
    if server.process.poll() is None:
        server.stop()


def test_entries_confirmed_by_a_killed_server_are_stored_once(served: Server) -> None:
    app = served.app()
    host = Visitor(app)
    tables = [host.open_table("whist").table for _ in range(TABLES)]
    phones = [Phone(served.url, Visitor(app).join(host.link("score"))) for _ in range(PHONES)]
    stop = Event()

    def keep_entering(phone: Phone) -> None:
        random = Random(phones.index(phone))  # noqa: S311  # nothing secret
        while not stop.is_set():
            taken = f"{random.choice(('ns', 'ew'))}-{random.randint(1, 7)}"
            phone.enter(random.choice(tables), {"tricks": taken, "do": "record"})

    with ThreadPoolExecutor(PHONES) as pool:
        running = [pool.submit(keep_entering, phone) for phone in phones]
        try:
            for kill in range(1, KILLS + 1):
                while sum(len(phone.confirmed) for phone in phones) < kill * EACH and not stop.is_set():
                    time.sleep(0.01)
                served.kill()
                served.start()
        finally:
            stop.set()
    for each in running:
        each.result()
    with app.app_context():
        stored = Counter(db.session.scalars(db.select(Revision.entry_key)))
        assert verify().faults == []
    assert stored == Counter(key for phone in phones for key in phone.confirmed)
    assert sum(phone.sent_again for phone in phones) >= KILLS


# --- power cuts


class Operation(NamedTuple):
    """A change of a file by its name: bytes written at an offset, a new size, or a sync; or an acknowledged key."""

    kind: str
    file: str
    at: int = 0
    data: bytes = b""


CALL = re.compile(r"\d+ +(\w+)\((?:\d+<(?P<open>[^>]*)>|.*?\"(?P<name>[^\"]*)\")(?P<rest>.*)\) += +(?P<result>\d+)")
UNFINISHED, RESUMED = " <unfinished ...>", re.compile(r"\d+ +<\.\.\. \w+ resumed>(.*)")
WRITTEN = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
MARKS = "marks"
# Recorded by strace: an evening in a process of its own, which notes the key of each deal that was acknowledged.
EVENING = f"""
import os, sys
from tests.support.apps import open_app
from tests.support.visitor import Visitor
with open_app("sqlite:///" + sys.argv[1], careful=True) as app:
    visitor = Visitor(app).open_table("whist")
    marks = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT)
    for number in range({DEALS}):
        visitor.record(tricks="ns-5", key=f"deal {{number}}")
        os.write(marks, f"deal {{number}}".encode())
"""


def read_calls(trace: Path) -> Iterator[str]:
    """Yield a line for each call, when it returns; strace splits one during which another thread makes one."""
    begun: dict[str, str] = {}  # by thread
    for line in trace.read_text("ascii").splitlines():
        thread = line.partition(" ")[0]
        if line.endswith(UNFINISHED):
            begun[thread] = line.removesuffix(UNFINISHED)
        elif (resumed := RESUMED.match(line)) is not None:
            yield begun.pop(thread) + resumed[1]
        else:
            yield line


def read_trace(trace: Path, folder: Path) -> Iterator[Operation]:
    """Yield what was done to the files of a folder, in order."""
    for line in read_calls(trace):
        found = CALL.match(line)
        path = Path(bytes.fromhex((found["open"] or found["name"]).replace("\\x", "")).decode()) if found else None
        if found is None or path is None or path.parent != folder or path.name.endswith("-shm"):
            continue
        numbers = re.findall(r", (\d+)", found["rest"])
        if found[1] in ("write", "pwrite64"):
            written = WRITTEN.search(found["rest"])
            assert written is not None
            data = bytes.fromhex(written[1].replace("\\x", ""))
            is_mark = path.name == MARKS
            yield Operation("acknowledge" if is_mark else "write", path.name, 0 if is_mark else int(numbers[-1]), data)
        elif found[1] in ("fsync", "fdatasync"):
            yield Operation("sync", path.name)
        elif found[1] == "ftruncate":
            yield Operation("truncate", path.name, int(numbers[-1]))
        elif found[1] in ("unlink", "unlinkat"):
            yield Operation("unlink", path.name)


@dataclass
class Disk:
    """The files of a folder as the disk has them, and the changes that it may lose, since they are not synced yet."""

    synced: dict[str, bytearray]
    waiting: dict[str, list[Operation]] = field(default_factory=dict)

    def do(self, operation: Operation) -> None:
        if operation.kind == "sync":
            for each in self.waiting.pop(operation.file, []):
                _apply(self.synced.setdefault(operation.file, bytearray()), each)
        elif operation.kind == "unlink":
            self.waiting.pop(operation.file, None)
            self.synced.pop(operation.file, None)
        elif operation.kind != "acknowledge":
            self.waiting.setdefault(operation.file, []).append(operation)

    def write_after_cut(self, folder: Path, rng: Random) -> None:
        """Write what may be left: of the changes that wait, any."""
        kept = rng.choice((0, 0.1, 0.5, 0.9, 1))
        for name in self.synced.keys() | self.waiting.keys():
            left = bytearray(self.synced.get(name, b""))
            for operation in self.waiting.get(name, []):
                if rng.random() < kept:
                    _apply(left, operation)
            (folder / name).write_bytes(left)


def _apply(content: bytearray, operation: Operation) -> None:
    if operation.kind == "truncate":
        del content[operation.at :]
    content.extend(bytes(max(0, operation.at - len(content))))
    content[operation.at : operation.at + len(operation.data)] = operation.data


def lost_after(operations: list[Operation], before: bytes, name: str, folder: Path, rng: Random) -> set[str]:
    """Cut the power at a random moment; return the acknowledged deals that the database then has not."""
    acknowledged, disk = set(), Disk({name: bytearray(before)})
    for operation in operations[: rng.randrange(len(operations))]:
        disk.do(operation)
        if operation.kind == "acknowledge":
            acknowledged.add(operation.data.decode())
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    disk.write_after_cut(folder, rng)
    with closing(sqlite3.connect(folder / name)) as connection:
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            return {"the database is damaged"}
        return acknowledged - {key for (key,) in connection.execute("SELECT entry_key FROM revision")}


@pytest.fixture
def strace() -> str:
    return shutil.which("strace") or pytest.skip("there is no strace on this machine")


@only_sqlite
def test_what_was_acknowledged_outlasts_a_power_cut(files: Files, tmp_path: Path, strace: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    database = Path(files.make(disk).removeprefix("sqlite:///"))
    before, trace = database.read_bytes(), tmp_path / "trace"
    calls = "trace=write,pwrite64,fsync,fdatasync,ftruncate,unlinkat,?unlink"
    options = ["-f", "--seccomp-bpf", "-y", "-xx", "-s", str(1 << 26), "-o", str(trace), "-e", calls]
    played = [sys.executable, "-c", EVENING, str(database), str(disk / MARKS)]
    subprocess.run([strace, *options, *played], check=True)  # noqa: S603  # our own command
    operations = list(read_trace(trace, disk))
    assert sum(operation.kind == "acknowledge" for operation in operations) == DEALS
    folder, lost = tmp_path / "left", [Random(number) for number in range(CUTS)]  # noqa: S311  # nothing secret
    assert [lost_after(operations, before, database.name, folder, rng) for rng in lost] == [set()] * CUTS
    careless = [operation for operation in operations if operation.kind != "sync"]
    rng = Random(0)  # noqa: S311  # nothing secret
    assert any(lost_after(careless, before, database.name, folder, rng) for _ in range(CUTS)), "cuts find what is lost"


# --- a full disk, and a database that another process holds


@pytest.fixture
def careless_app(files: Files, tmp_path: Path) -> Iterator[Flask]:
    """An app that waits for no other process, and whose database may be no larger than `MAX_PAGES` of its config."""
    with open_app(files.make(tmp_path)) as app:

        def limit(connection: Any, _record: Any) -> None:
            connection.execute("PRAGMA busy_timeout=0")
            connection.execute(f"PRAGMA max_page_count={app.config.get('MAX_PAGES', 1 << 30)}")

        with app.app_context():
            engine = db.engine
        event.listen(engine, "connect", limit)
        yield app


def database_of(app: Flask) -> str:
    with app.app_context():
        return str(db.engine.url.database)


def fill(app: Flask) -> None:
    """Let the database grow no more: as on a full disk, SQLite finds no room for another page."""
    with closing(sqlite3.connect(database_of(app))) as connection:
        connection.execute("CREATE TABLE filler (content BLOB)")
        connection.commit()
        (app.config["MAX_PAGES"],) = connection.execute("PRAGMA page_count").fetchone()
    _reconnect(app)


def empty(app: Flask) -> None:
    app.config["MAX_PAGES"] = 1 << 30
    _reconnect(app)


def _reconnect(app: Flask) -> None:
    with app.app_context():
        db.engine.dispose()


def keeps_what_was_typed(visitor: Visitor) -> dict[str, str]:
    """Return the form of an error page, which has all that was sent and sends it again."""
    form = visitor.find("main form")
    data: dict[str, str] = filled_in(form)
    assert TYPED.items() <= data.items()
    return data


@only_sqlite
def test_on_a_full_disk_nothing_is_lost_and_what_was_typed_is_sent_again(careless_app: Flask) -> None:
    visitor = Visitor(careless_app).open_table("whist")
    visitor.record(tricks="ns-1")
    fill(careless_app)
    recorded = 0
    for _ in range(200):  # until the last page has no room either
        visitor.record(**TYPED, note=str(recorded))
        if visitor.status >= 500:
            break
        recorded += 1
    assert visitor.status == 507
    assert visitor.response.headers["Retry-After"]
    assert "full" in visitor.text
    again, refused = keeps_what_was_typed(visitor), visitor.path
    assert len(Visitor.export(visitor.visit(refused))["deals"]) == 1 + recorded
    empty(careless_app)
    for _ in range(2):
        assert visitor.client.post(refused, data=again).status_code == 303
    assert len(visitor.visit(visitor.table).export()["deals"]) == 2 + recorded
    with careless_app.app_context():
        assert verify().faults == []


@only_sqlite
def test_a_locked_database_is_answered_503_and_what_was_typed_is_sent_again(careless_app: Flask) -> None:
    visitor = Visitor(careless_app).open_table("whist")
    table = visitor.table
    form = filled_in(visitor.visit(f"{table}deals/new").form()) | TYPED | {"do": "record"}
    with closing(sqlite3.connect(database_of(careless_app), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = visitor.client.post(f"{table}deals/new", data=form, headers=visitor.headers)
        assert visitor.visit(table).status == 200  # pages are shown meanwhile
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    visitor.receive(refused)
    again = keeps_what_was_typed(visitor)
    assert visitor.client.post(f"{table}deals/new", data=again).status_code == 303
    assert [deal["tricks"]["ns"] for deal in visitor.visit(table).export()["deals"]] == [8]


@only_sqlite
def test_a_server_that_has_lost_its_database_does_not_start(served: Server) -> None:
    served.stop()
    Path(served.database.removeprefix("sqlite:///")).unlink()
    with pytest.raises(RuntimeError, match="There is no database"):
        served.start()
