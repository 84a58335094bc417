"""The state of a server, for the metrics."""

from __future__ import annotations

import platform
import shutil
from typing import NamedTuple

from flask import current_app
from sqlalchemy import func, select, text

from ...db import schemas
from ...models import Browser, Circle, db
from ...time_zones import server_zone
from ...version import get_version
from . import settings
from .trusted_hosts import is_accepted

MIN_FREE = 50_000_000  # bytes on the disk of the data: `/ready` fails before entries are answered with 507
OWN, NGINX, AWAY = "own", "nginx", "away"  # who holds the streams of pages; AWAY: no nginx can be reached


class ServerState(NamedTuple):
    """Versions, sizes in bytes, settings that a host may have forgotten, and numbers of rows.

    `time_zone` is None if the system does not name one. `public_names` are those of `SCOREKEEPER_HOSTS` that are not of
    a local network.
    """

    version: str
    python: str
    database: str
    database_bytes: int
    free_bytes: int
    time_zone: str | None
    public_names: list[str]
    https: bool
    push: str
    circles: int
    phones: int


def gather_state() -> ServerState:
    """Gather the state of this server. Raises SQLAlchemyError if the database does not answer."""
    connection = db.session.connection()
    is_sqlite = connection.dialect.name == "sqlite"
    size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    version = ".".join(map(str, connection.dialect.server_version_info or ()))
    phones = select(func.count()).select_from(Browser).where(Browser.right.is_not(None))
    return ServerState(
        version=get_version(),
        python=platform.python_version(),
        database=f"{'SQLite' if is_sqlite else 'PostgreSQL'} {version}",
        database_bytes=connection.scalar(text(size if is_sqlite else "SELECT pg_database_size(current_database())")),
        free_bytes=free_bytes(),
        time_zone=server_zone(),
        public_names=[name for name in current_app.config["HOSTS"] if not is_accepted(name.removeprefix("."), ())],
        https=current_app.config["SESSION_COOKIE_SECURE"],
        push=_find_push(),
        circles=connection.scalar(select(func.count()).select_from(Circle)) or 0,
        phones=connection.scalar(phones) or 0,
    )


def free_bytes() -> int:
    """Return how much is free on the disk of the database's file, or of the instance folder if there is no file."""
    file = schemas.find_file(db.engine.url)
    return shutil.disk_usage(file.absolute().parent if file is not None else current_app.instance_path).free


def _find_push() -> str:
    endpoints = settings.NCHAN.value
    if not endpoints:
        return OWN
    return NGINX if any(endpoint.is_reachable() for endpoint in endpoints) else AWAY
