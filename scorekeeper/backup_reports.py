"""Telling a monitoring service, such as healthchecks.io, how backups went: an address is requested after each."""

from __future__ import annotations

import logging
from http.client import HTTPException
from threading import Thread
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

TIMEOUT = 5  # seconds, for the whole request

_log = logging.getLogger(__name__)


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
        with urlopen(Request(url, headers={"User-Agent": "scorekeeper"}), timeout=TIMEOUT):  # noqa: S310  # http or https: web/addresses.py
            pass
    except (OSError, HTTPException) as error:
        _log.warning("The backup could not be reported to %s: %s", urlsplit(url).hostname, type(error).__name__)
