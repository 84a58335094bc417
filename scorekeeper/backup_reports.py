"""The record of how backups went: when the last good one was made, and an address that is requested after each.

The address is of a monitoring service such as healthchecks.io.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from datetime import datetime
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

from .files import write_whole

TIMEOUT = 5  # seconds, for the whole request

_LAST = "last_backup.json"  # in the instance folder

_log = logging.getLogger(__name__)


class LastBackup(NamedTuple):
    """The newest good backup: its path, and its time in UTC, naive as in the database."""

    file: str
    at: datetime


def note_backup(instance: Path, backup: LastBackup) -> None:
    """Keep in the instance folder which backup is the newest; the disk may be full, and the backup good."""
    with suppress(OSError), write_whole(instance / _LAST) as unfinished:
        unfinished.write_text(json.dumps({"file": backup.file, "at": backup.at.isoformat()}), encoding="utf-8")


def last_backup(instance: Path) -> LastBackup | None:
    """Return the newest backup that was noted; None if there is none."""
    try:
        noted = json.loads((instance / _LAST).read_text(encoding="utf-8"))
        return LastBackup(noted["file"], datetime.fromisoformat(noted["at"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def report_backup(url: str, *, is_good: bool) -> Thread | None:
    """Request `url` after a good backup, and the address `/fail` below it after a failed one, without waiting.

    Return the thread that does it, for a command to wait for; None without an address.
    """
    if not url:
        return None
    thread = Thread(target=_request, args=(url if is_good else _failure_url(url),), name="Backup report", daemon=True)
    thread.start()
    return thread


def _failure_url(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/fail"))


def _request(url: str) -> None:
    try:
        with urlopen(Request(url, headers={"User-Agent": "scorekeeper"}), timeout=TIMEOUT):  # noqa: S310  # http or https: web/support/addresses.py
            pass
    except (OSError, HTTPException) as error:
        _log.warning("The backup could not be reported to %s: %s", urlsplit(url).hostname, type(error).__name__)
