"""Scorekeeper: a score-keeping companion for people who play cards at a real table."""

from __future__ import annotations

import gc
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask


COLLECT_AFTER = 100_000  # objects
COLLECT_AFTER_SERVING = 10_000  # objects; ten times as many would hold 11 MB more after an evening


def raise_gc_threshold() -> None:
    """Run the garbage collector less often. Sheets contain no cycles, but it scans all their objects each time.

    With the default of 700, scoring 5,000 deals takes 12 times as long as 500; with this threshold, 10 times.
    """
    gc.set_threshold(COLLECT_AFTER)


@cache  # once in a process: a second time, what tests leave behind would never be freed
def _freeze_imports() -> None:
    """Exclude all imported modules from garbage collection, for good."""
    gc.freeze()


def create_app(settings: dict[str, Any] | None = None) -> Flask:
    """Create the web app. `settings` override environment variables."""
    from .web.app import build  # noqa: PLC0415  # the command line starts without Flask

    _freeze_imports()
    gc.set_threshold(COLLECT_AFTER_SERVING)
    return build(settings or {})
