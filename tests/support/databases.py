"""Databases for tests: copies of one empty, migrated database, in SQLite or on a temporary PostgreSQL server.

With `DATABASE=postgresql` in the environment, the tests that use a database use PostgreSQL; otherwise SQLite.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Callable, Iterator
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
    """A PostgreSQL server with its own folder and port. `call` runs one of its programs."""

    def __init__(self, call: Callable[..., None], folder: Path) -> None:
        self.port = free_port()
        self._numbers = count(1)
        options = f"-p {self.port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off"
        # Its log goes to a file. A pipe would stay open as long as the server runs, and `run` would wait for it.
        call("pg_ctl", "start", "-w", "-l", "log", "-o", options)
        self.execute(f"CREATE DATABASE {EMPTY}")
        migrate(self._address(EMPTY))

    def _address(self, database: str) -> str:
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str) -> None:
        with psycopg.connect(host="127.0.0.1", port=self.port, user="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())

    def make(self, folder: Path, *, migrated: bool = True) -> str:  # noqa: ARG002  # the server has its own folder
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {EMPTY if migrated else 'template0'} STRATEGY file_copy")
        return self._address(name)

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
    # Not one of pytest's folders: its user must have access, and its socket's path may have 107 characters at most.
    folder = Path(mkdtemp(prefix="scorekeeper-postgresql-", dir="/tmp"))
    folder.chmod(0o755)
    user = None
    if os.getuid() == 0:  # PostgreSQL does not run as root
        user = "postgres"
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)

    def call(program: str, *arguments: str) -> None:
        command = [str(programs / program), "-D", "data", *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder, user=user)  # noqa: S603  # PostgreSQL's own programs
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")

    try:
        call("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        yield Cluster(call, folder)
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            call("pg_ctl", "stop", "-m", "immediate", "-w")
        shutil.rmtree(folder)
