"""Reading the settings that are addresses of other servers.

Every function may raise `StartupError`, whose message names the setting and what to do. No message contains the URL,
which may include a password.
"""

from __future__ import annotations

import importlib

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from ...errors import StartupError, missing_package


def read_database_url(name: str, url: str) -> str:
    """Return the URL in SQLAlchemy's form, if it names a supported database whose driver is installed."""
    for scheme in ("postgres://", "postgresql://"):
        if url.startswith(scheme):
            url = "postgresql+psycopg://" + url.removeprefix(scheme)
    try:
        driver = make_url(url).drivername
    except (ArgumentError, ValueError):  # ValueError: its port is not a number
        raise StartupError("database-url") from None
    if driver in ("sqlite", "sqlite+pysqlite"):
        return url
    if driver != "postgresql+psycopg":
        raise StartupError("database-kind", kind=driver)
    _import("psycopg", name, "postgresql")
    return url


def _import(package: str, setting: str, extra: str) -> None:
    try:
        importlib.import_module(package)
    except ImportError:  # raised too if the package is installed and its C library is not
        raise missing_package(setting, extra) from None
