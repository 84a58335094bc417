"""The clock of a round."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple


class RoundClock(NamedTuple):
    """How long a round has run, in seconds.

    `left` is below 0 once the time is over; None for a round without a time limit. `is_running` is False while the
    round is paused.
    """

    elapsed: int
    left: int | None
    is_running: bool

    @classmethod
    def at(
        cls,
        moment: datetime,
        started_at: datetime,
        paused_at: datetime | None,
        paused_seconds: int,
        minutes: int | None,
    ) -> RoundClock:
        """Return the clock at a moment; `minutes` is the time limit."""
        until = paused_at if paused_at is not None else moment
        elapsed = max(0, seconds_between(started_at, until) - paused_seconds)
        left = None if minutes is None else minutes * 60 - elapsed
        return cls(elapsed, left, paused_at is None)


def seconds_between(earlier: datetime, later: datetime) -> int:
    """Return the whole seconds between two moments."""
    return (later - earlier) // timedelta(seconds=1)
