"""How rows are added for good, side by side with other processes that add theirs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from sqlalchemy.exc import IntegrityError

from ..store import db

TRIES = 3  # to add a row while others add theirs

T = TypeVar("T")


def now() -> datetime:
    """The moment, in UTC; kept without a zone, since not every database keeps one."""
    return datetime.now(UTC).replace(tzinfo=None)


def committed(add: Callable[[], T]) -> T:
    """What was added, tried again where another process took the same number or name meanwhile."""
    for _ in range(TRIES - 1):
        added = add()
        try:
            db.session.commit()
        except IntegrityError:
            db.session.rollback()
        else:
            return added
    added = add()
    db.session.commit()
    return added
