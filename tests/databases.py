"""Databases for tests: copies of an empty one that the migrations made, in SQLite or on a PostgreSQL server of ours.

`DATABASE=postgresql` in the environment has the tests that keep anything keep it there; without it they use SQLite.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Protocol

import psycopg
from flask_migrate import upgrade

from scorekeeper import create_app
from scorekeeper.store import db

ON_POSTGRESQL = os.environ.get("DATABASE") == "postgresql"
EMPTY = "empty"  # the database that is copied


class Databases(Protocol):
    def make(self, folder: Path, *, migrated: bool = True) -> str:
        """The address of a new database, with our schema or without any; what it needs lies in that folder."""

    def drop(self, url: str) -> None: ...


def bring_up_to_date(url: str) -> None:
    app = create_app({"SECRET_KEY": "test", "SQLALCHEMY_DATABASE_URI": url})
    with app.app_context():
        upgrade()
        db.engine.dispose()


class Files:
    """SQLite."""

    def __init__(self, folder: Path) -> None:
        self.empty = folder / "empty.sqlite3"
        bring_up_to_date(f"sqlite:///{self.empty}")

    def make(self, folder: Path, *, migrated: bool = True) -> str:
        path = folder / "test.sqlite3"
        path.unlink(missing_ok=True)
        if migrated:
            shutil.copy(self.empty, path)
        return f"sqlite:///{path}"

    def drop(self, url: str) -> None:
        """The test's own folder goes with it."""


class Cluster:
    """A PostgreSQL server of our own, in a folder of its own, at a port of its own."""

    def __init__(self, programs: Path, *, careful: bool = False) -> None:
        """`careful`: it waits for the disk, as a host's does; without, it is quicker."""
        self.programs = programs
        # Its user must get there, and the name of its socket has at most 107 letters: no folder of pytest's.
        self.folder = Path(mkdtemp(prefix="scorekeeper-postgresql-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.user: str | None = None
        if os.getuid() == 0:  # PostgreSQL does not run as root
            self.user = "postgres"
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, -1)
        self.port = free_port()
        self._numbers = count(1)
        self._call("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        settings = [f"port={self.port}", f"unix_socket_directories='{self.folder}'", "listen_addresses='127.0.0.1'"]
        settings += ["max_connections=60"] if careful else ["fsync=off", "full_page_writes=off"]
        with (self.folder / "data" / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write("\n".join(["", *settings, ""]))

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _call(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=self.folder, user=self.user)  # noqa: S603  # PostgreSQL's own programs
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")

    def start(self) -> None:
        # Its log goes to a file, or the server would hold on to the pipe that `run` reads to its end.
        self._call("pg_ctl", "-D", self._data, "-l", str(self.folder / "log"), "-w", "start")

    def stop(self, how: str = "fast") -> None:
        """`immediate` is what a cut of the current does: nothing is put in order."""
        self._call("pg_ctl", "-D", self._data, "-m", how, "-w", "stop")

    def remove(self) -> None:
        try:
            self.stop("immediate")
        finally:
            shutil.rmtree(self.folder)

    def address(self, database: str) -> str:
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/{database}"

    def own(self, folder: Path) -> None:
        """Let the server write there."""
        if self.user is not None:
            os.chown(folder, pwd.getpwnam(self.user).pw_uid, -1)
            for above in folder.parents:
                if not above.stat().st_mode & 0o001:
                    above.chmod(above.stat().st_mode | 0o011)

    def execute(self, statement: str) -> None:
        with psycopg.connect(host="127.0.0.1", port=self.port, user="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())

    def prepare(self) -> None:
        """Make the database that is copied."""
        self.execute(f"CREATE DATABASE {EMPTY}")
        bring_up_to_date(self.address(EMPTY))

    def make(self, folder: Path, *, migrated: bool = True) -> str:  # noqa: ARG002  # it lies with the server
        name = f"test_{next(self._numbers)}"
        template = EMPTY if migrated else "template0"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return self.address(name)

    def drop(self, url: str) -> None:
        self.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def programs() -> Path | None:
    """Where PostgreSQL's own programs lie; Debian puts them out of the way."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


@contextmanager
def cluster(*, careful: bool = False) -> Iterator[Cluster]:
    """A server that is running, with the database that is copied."""
    found = programs()
    if found is None:
        raise LookupError("there is no PostgreSQL on this machine")
    server = Cluster(found, careful=careful)
    try:
        server.start()
        server.prepare()
        yield server
    finally:
        server.remove()
