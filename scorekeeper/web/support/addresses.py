"""Reading the settings that are addresses of other servers.

Every function may raise `StartupError`, whose message names the setting and what to do. No message contains the URL,
which may include a password.
"""

from __future__ import annotations

import importlib
import re
from urllib.parse import urlsplit

from limits.errors import ConfigurationError
from limits.storage import storage_from_string
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from ...errors import StartupError, missing_package
from ...live.nchan import Endpoint

_PATH = re.compile(r"[\w./~-]*", re.ASCII)


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


def read_redis_url(name: str, url: str) -> str:
    """Return the URL. Only its form is checked: without a connection, each process counts for itself."""
    if "redis" in url.partition(":")[0]:
        _import("redis", name, "redis")
    try:
        storage_from_string(url)
    except (ConfigurationError, ValueError):
        raise StartupError("redis-url") from None
    return url


def read_nchan_urls(_name: str, urls: str) -> list[Endpoint]:
    """Return where nginx takes messages to the streams that it holds."""
    stripped = (url.strip().rstrip("/") for url in urls.split(","))
    return [_endpoint(url) for url in stripped if url]


def _endpoint(url: str) -> Endpoint:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 80
    except ValueError:
        raise StartupError("nchan-url") from None
    is_plain = parts.scheme == "http" and host and not (parts.username or parts.query or parts.fragment)
    if not is_plain or not _PATH.fullmatch(parts.path):
        raise StartupError("nchan-url")
    return Endpoint(host or "", port, parts.path)


def _import(package: str, setting: str, extra: str) -> None:
    try:
        importlib.import_module(package)
    except ImportError:  # raised too if the package is installed and its C library is not
        raise missing_package(setting, extra) from None
