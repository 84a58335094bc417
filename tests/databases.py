"""Databases for tests: copies of one empty, migrated database, in SQLite or on a temporary PostgreSQL server.

With `DATABASE=postgresql` in the environment, the tests that use a database use PostgreSQL; otherwise SQLite.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

import psycopg
import pytest

from scorekeeper.db.schemas import upgrade

from .apps import open_app
from .server import free_port

ON_POSTGRESQL = os.environ.get("DATABASE") == "postgresql"
only_sqlite = pytest.mark.skipif(ON_POSTGRESQL, reason="of SQLite")
EMPTY = "empty"  # the name of the database that is copied


def migrate(url: str) -> None:
    """Run all migrations."""
    with open_app(url) as app, app.app_context():
        upgrade()


class Files:
    """SQLite databases, each a file in the test's folder."""

    def __init__(self, folder: Path) -> None:
        self.empty = folder / "empty.sqlite3"
        migrate(f"sqlite:///{self.empty}")

    def make(self, folder: Path, *, migrated: bool = True) -> str:
        """Create a database, with or without the schema, and return its address."""
        path = folder / "test.sqlite3"
        path.unlink(missing_ok=True)
        if migrated:
            shutil.copy(self.empty, path)
        return f"sqlite:///{path}"

    def drop(self, url: str) -> None:
        """Do nothing: the file is deleted with the test's folder."""


class Cluster:
    """A temporary PostgreSQL server with its own folder and port."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        # Not one of pytest's folders: its user must have access, and its socket's path may have 107 characters at most.
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
        settings += ["fsync=off", "full_page_writes=off"]
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
        # Its log goes to a file. A pipe would stay open as long as the server runs, and `run` would wait for it.
        self._call("pg_ctl", "-D", self._data, "-l", str(self.folder / "log"), "-w", "start")
        self.execute(f"CREATE DATABASE {EMPTY}")
        migrate(self.address(EMPTY))

    def remove(self) -> None:
        try:
            if (self.folder / "data" / "postmaster.pid").exists():
                self._call("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")
        finally:
            shutil.rmtree(self.folder)

    def address(self, database: str) -> str:
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str) -> None:
        with psycopg.connect(host="127.0.0.1", port=self.port, user="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())

    def make(self, folder: Path, *, migrated: bool = True) -> str:  # noqa: ARG002  # the server has its own folder
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {EMPTY if migrated else 'template0'} STRATEGY file_copy")
        return self.address(name)

    def drop(self, url: str) -> None:
        self.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")


Databases = Files | Cluster


def find_programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, which is not in PATH on Debian."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


@contextmanager
def running_cluster(programs: Path) -> Iterator[Cluster]:
    """Start a server with the template database, and stop it at the end."""
    server = Cluster(programs)
    try:
        server.start()
        yield server
    finally:
        server.remove()
