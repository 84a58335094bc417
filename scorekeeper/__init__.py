"""Scorekeeper: a score-keeping companion for people who play cards at a real table."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

COLLECT_AFTER = 2_000  # objects; five times as many would hold 2 MB more after an evening, fifty times 11 MB


def create_app(settings: dict[str, Any] | None = None) -> Flask:
    """Make the app; `settings` override environment variables."""
    from .app import build  # noqa: PLC0415  # the command line starts without Flask

    gc.set_threshold(COLLECT_AFTER)
    return build(settings or {})
