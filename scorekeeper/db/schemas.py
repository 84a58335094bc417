"""The schema of a database: whether it is this app's, and of this version; and its upgrade, by Alembic."""

from __future__ import annotations

import os
from enum import Enum, auto
from functools import cache
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from ..errors import StartupError, find_damage, get_reason
from ..models import Base, db

MIGRATIONS = Path(__file__).parent / "migrations"


class Needs(Enum):
    UPGRADE = auto()  # an empty one, or the app's of any version up to the current one
    ANY_VERSION = auto()  # the app's of any version up to the current one
    CURRENT = auto()  # the app's of the current version


def check(engine: Engine, needs: Needs) -> None:
    """Raise StartupError unless a command with these needs may use the database."""
    file = find_file(engine.url)
    if file is not None:
        if not file.parent.is_dir():
            raise StartupError("no-folder", folder=str(file.parent))
        if not all(os.access(path, os.R_OK | os.W_OK) for path in (file.parent, file) if path.exists()):
            raise StartupError("not-writable", file=str(file))
        if not file.exists():  # connecting would create it
            if needs is not Needs.UPGRADE:
                raise StartupError("no-database")
            return
    try:
        with engine.connect() as connection:
            tables = set(inspect(connection).get_table_names())
            version = read_version(connection)
    except DBAPIError as error:
        reason = get_reason(error)
        raise find_damage(error.orig) or StartupError("database" if file is None else "file", reason=reason) from None
    _check_version(tables, version, needs, is_shared=file is None)


def _check_version(tables: set[str], version: str | None, needs: Needs, *, is_shared: bool) -> None:
    """Raise StartupError if the tables are not of this version. `is_shared`: other programs may have some as well."""
    has_ours = bool(tables & Base.metadata.tables.keys())
    if has_ours != bool(version) or (tables and not has_ours and not is_shared):
        raise StartupError("unrelated")
    if version is None:
        if needs is not Needs.UPGRADE:
            raise StartupError("no-database")
    elif version not in known_versions():
        raise StartupError("newer", version=version)
    elif needs is Needs.CURRENT and version != newest_version():
        raise StartupError("older")


def find_file(url: URL) -> Path | None:
    """Return the file of a SQLite database; None for one on a server."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def count_circles() -> int:
    """Count the circles of the app's database, 0 if it is to be created. Raises StartupError if it cannot be used."""
    file = find_file(db.engine.url)
    try:
        check(db.engine, Needs.UPGRADE)
        if file is not None and not file.exists():
            return 0
        with db.engine.connect() as connection:
            has_circles = inspect(connection).has_table("circle")
            return int(connection.scalar(text("SELECT count(*) FROM circle")) or 0) if has_circles else 0
    finally:
        db.engine.dispose()  # so that a refused file is left as it was


def read_version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return version


@cache
def known_versions() -> frozenset[str]:
    return frozenset(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


@cache
def newest_version() -> str:
    return max(known_versions())


def upgrade(engine: Engine | None = None) -> None:
    """Run all migrations that are missing."""
    engine = engine or db.engine
    with engine.connect() as connection:
        if read_version(connection) == newest_version():
            return
    from alembic import command  # noqa: PLC0415  # takes long to load, and only an upgrade needs it
    from alembic.config import Config  # noqa: PLC0415  # only an upgrade needs it

    config = Config(MIGRATIONS / "alembic.ini")
    config.attributes["engine"] = engine
    command.upgrade(config, "head")
