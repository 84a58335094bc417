"""`scorekeeper migrate --try`: the upgrade, tried on a copy of the database. Nothing is left of it."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, NoReturn

from alembic.runtime.migration import MigrationInfo
from alembic.script import Script

from ..db import backups, schemas
from ..db.schemas import Needs
from ..errors import StartupError
from ..models import db
from ..services import verify
from ..services.verify import VerificationReport
from . import database
from .output import TriedMigration

_ENDING = (signal.SIGTERM, signal.SIGHUP)  # they would end the process before it has deleted the copy


class Trial(NamedTuple):
    """The migrations that ran on the copy, the seconds of the whole upgrade, and what `verify` found afterwards."""

    migrations: list[TriedMigration]
    seconds: float
    verification: VerificationReport


def try_migration() -> Trial:
    """Upgrade a copy of the database in a temporary folder, and verify it.

    Raises:
        StartupError: the database is on a server.
    """
    with _interrupted_by_signals(), TemporaryDirectory(prefix="scorekeeper-trial-") as folder:
        copy = Path(folder) / "copy.sqlite3"
        with database.open_database(Needs.ANY_VERSION):
            if schemas.find_file(db.engine.url) is None:
                raise StartupError("trial-on-server")
            backups.copy_file(copy)
        with database.opened_copy(copy):
            begun = time.perf_counter()
            migrations = _migrate()
            return Trial(migrations, time.perf_counter() - begun, verify.verify())


def _migrate() -> list[TriedMigration]:
    migrations: list[TriedMigration] = []
    begun = time.perf_counter()

    def note(*, step: MigrationInfo, **_rest: Any) -> None:
        nonlocal begun
        ended = time.perf_counter()
        migration = step.up_revision
        if isinstance(migration, Script):  # not at a step down
            migrations.append(TriedMigration(migration.revision, migration.doc, ended - begun))
        begun = ended

    database.upgrade_copy(note)
    return migrations


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Let signals that end the process raise KeyboardInterrupt, so that what is temporary is deleted."""
    before = {number: signal.signal(number, _interrupt) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(*_signal: object) -> NoReturn:
    raise KeyboardInterrupt
