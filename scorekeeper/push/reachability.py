"""The note that no push service could be reached, which `verify` and the page of notices pass on.

It is a file in the instance folder, because commands are other processes than the server.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ..files import write_whole

_NOTE = "push_unreachable.json"  # in the instance folder


class Unreachable(NamedTuple):
    """The push service that could not be reached, and since when; the time is UTC, naive as in the database."""

    host: str
    since: datetime


def note_answer(instance: Path, host: str, at: datetime, *, is_away: bool) -> None:
    """Note that a push service could not be reached, or forget it since one has answered. The disk may be full."""
    file = instance / _NOTE
    with suppress(OSError):
        if not is_away:
            file.unlink(missing_ok=True)
        elif not file.exists():
            with write_whole(file) as unfinished:
                unfinished.write_text(json.dumps({"host": host, "since": at.isoformat()}), encoding="utf-8")


def read_unreachable(instance: Path) -> Unreachable | None:
    """Return what was noted last; None if all is well, or nothing has been sent yet."""
    try:
        noted = json.loads((instance / _NOTE).read_text(encoding="utf-8"))
        return Unreachable(str(noted["host"]), datetime.fromisoformat(noted["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
