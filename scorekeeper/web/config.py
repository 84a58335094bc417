"""The instance folder and what is in it: the database's file and the secret key.

Every function may raise `StartupError`, whose message names the setting and what to do.
"""

from __future__ import annotations

import logging
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from ..errors import StartupError, get_reason
from ..files import lock_folder, make_folder, write_whole
from .support import settings

log = logging.getLogger(__name__)


def instance_folder() -> Path:
    """Return the folder of the database and the secret: `instance/` beside the package in a checkout."""
    if settings.INSTANCE.value:
        return Path(settings.INSTANCE.value).resolve()
    checkout = Path(__file__).parents[2]
    if (checkout / "pyproject.toml").exists():
        return checkout / "instance"
    return Path.home() / ".local" / "share" / "scorekeeper"


def database_url(instance: Path) -> str:
    """Return the database's URL in SQLAlchemy's form; by default a SQLite file in the instance folder."""
    return settings.DATABASE_URL.value or f"sqlite:///{instance / 'scorekeeper.sqlite3'}"


def make_instance_folder(folder: Path) -> None:
    """Create the instance folder, readable by its owner only."""
    try:
        make_folder(folder)
    except (FileExistsError, NotADirectoryError):
        raise StartupError("instance-is-a-file", folder=str(folder)) from None
    except OSError as error:
        raise StartupError("instance", folder=str(folder), reason=get_reason(error)) from None


def secret_key(folder: Path, count_circles: Callable[[], int]) -> str:
    """Return the key that signs cookies: `SECRET_KEY`, or a key that the first start stores in the instance folder.

    A key that is lost is not replaced while there are circles: every phone would have to join again.
    """
    if settings.SECRET_KEY.value:
        return settings.SECRET_KEY.value
    path = folder / "secret_key"
    try:
        key = _read(path)
        if not key:
            if circles := count_circles():
                raise StartupError("secret-lost", file=str(path), count=circles)
            key = _create_secret(path)
    except (OSError, UnicodeDecodeError) as error:
        raise StartupError("secret-unreadable", file=str(path), reason=get_reason(error)) from None
    if len(key.strip()) < settings.MIN_SECRET:
        raise StartupError("secret-short", file=str(path), low=settings.MIN_SECRET)
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
    with lock_folder(path.parent):
        existing = _read(path)
        if existing:
            return existing
        if path.exists():
            log.warning("%s is empty: a new secret is written into it", path)
        with write_whole(path) as unfinished:
            unfinished.write_text(secrets.token_hex(32))
    return _read(path)


def make_private(path: Path) -> None:
    """Make a file of the app readable by its owner only."""
    try:
        status = path.stat()
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and status.st_mode & 0o077:
            path.chmod(0o600)
    except OSError:
        pass  # it does not exist, or is on a read-only file system
