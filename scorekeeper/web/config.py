"""Settings from the environment and the instance folder, validated before the app is created.

Every function may raise `StartupError`, whose message names the setting and what to do. No message contains the URL of
a database or of Redis, which may include a password.
"""

from __future__ import annotations

import fcntl
import importlib
import logging
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from limits.errors import ConfigurationError
from limits.storage import storage_from_string
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from ..errors import StartupError, missing_package, reason_of
from ..files import make_folder, write_whole
from ..live.nchan import Endpoint

MIN_SECRET = 16  # characters; generated keys have 64
_PATH = re.compile(r"[\w./~-]*", re.ASCII)

log = logging.getLogger(__name__)


# --- values --------------------------------------------------------------------------------------------------


def int_setting(name: str, maximum: int) -> int:
    """Return an environment variable as an integer from 0 to `maximum`; 0 if it is not set."""
    value = os.environ.get(name) or "0"
    if not (value.isascii() and value.isdecimal() and len(value) <= len(str(maximum)) and int(value) <= maximum):
        raise StartupError("setting-number", name=name, value=value, low=0, high=maximum)
    return int(value)


def bool_setting(name: str) -> bool:
    """Return whether an environment variable is 1; it may also be 0 or not set."""
    value = os.environ.get(name) or "0"
    if value not in ("0", "1"):
        raise StartupError("setting-switch", name=name, value=value)
    return value == "1"


# --- databases -----------------------------------------------------------------------------------------------


def database_url(instance: Path) -> str:
    """Return `DATABASE_URL` in SQLAlchemy's form; by default a SQLite file in the instance folder."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        return f"sqlite:///{instance / 'scorekeeper.sqlite3'}"
    for scheme in ("postgres://", "postgresql://"):
        if url.startswith(scheme):
            url = "postgresql+psycopg://" + url.removeprefix(scheme)
    check_database_url(url)
    return url


def check_database_url(url: str) -> None:
    """Check that a URL is valid, names a supported database, and that its driver is installed."""
    try:
        driver = make_url(url).drivername
    except (ArgumentError, ValueError):  # ValueError: its port is not a number
        raise StartupError("database-url") from None
    if driver in ("sqlite", "sqlite+pysqlite"):
        return
    if driver != "postgresql+psycopg":
        raise StartupError("database-kind", kind=driver)
    _import("psycopg", "DATABASE_URL", "postgresql")


def redis_url() -> str | None:
    """Return `REDIS_URL`. Only its form is checked: without a connection, each process counts for itself."""
    url = os.environ.get("REDIS_URL")
    if not url:
        return None
    if "redis" in url.partition(":")[0]:
        _import("redis", "REDIS_URL", "redis")
    try:
        storage_from_string(url)
    except (ConfigurationError, ValueError):
        raise StartupError("redis-url") from None
    return url


def nchan_endpoints() -> list[Endpoint]:
    """Return where nginx takes messages to the streams that it holds; none if it holds none."""
    urls = (url.strip().rstrip("/") for url in os.environ.get("SCOREKEEPER_NCHAN", "").split(","))
    return [_endpoint(url) for url in urls if url]


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


# --- the instance folder ---------------------------------------------------------------------------------------


def instance_folder() -> Path:
    """Return the folder of the database and the secret: `instance/` beside the package in a checkout."""
    setting = os.environ.get("SCOREKEEPER_INSTANCE")
    if setting:
        return Path(setting).resolve()
    checkout = Path(__file__).parents[2]
    if (checkout / "pyproject.toml").exists():
        return checkout / "instance"
    return Path.home() / ".local" / "share" / "scorekeeper"


def make_instance_folder(folder: Path) -> None:
    """Create the instance folder, readable by its owner only."""
    try:
        make_folder(folder)
    except (FileExistsError, NotADirectoryError):
        raise StartupError("instance-is-a-file", folder=str(folder)) from None
    except OSError as error:
        raise StartupError("instance", folder=str(folder), reason=reason_of(error)) from None


def secret_key(folder: Path) -> str:
    """Return the key that signs cookies: `SECRET_KEY`, or a key that the first start stores in the instance folder."""
    value = os.environ.get("SECRET_KEY")
    if value:
        if len(value.strip()) < MIN_SECRET:
            raise StartupError("secret-setting", low=MIN_SECRET)
        return value
    path = folder / "secret_key"
    try:
        key = _read(path) or _create_secret(path)
    except (OSError, UnicodeDecodeError) as error:
        raise StartupError("secret-unreadable", file=str(path), reason=reason_of(error)) from None
    if len(key.strip()) < MIN_SECRET:
        raise StartupError("secret-short", file=str(path), low=MIN_SECRET)
    return key


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _create_secret(path: Path) -> str:
    """Write a new secret, unless another process has written one since.

    An empty file, which a crash could leave in earlier versions, is replaced. The app has never signed anything with
    an empty secret, so no cookie becomes invalid.
    """
    with _locked(path.parent):
        existing = _read(path)
        if existing:
            return existing
        if path.exists():
            log.warning("%s is empty: a new secret is written into it", path)
        with write_whole(path) as unfinished:
            unfinished.write_text(secrets.token_hex(32))
    return _read(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def make_private(path: Path) -> None:
    """Make a file of the app readable by its owner only; earlier versions created some that all users could read."""
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_mode & 0o077:
            path.chmod(0o600)
    except OSError:
        pass  # it does not exist, or is on a read-only file system
