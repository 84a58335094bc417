"""Scorekeeper: a score-keeping companion for people who play cards at a real table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask


def create_app(settings: dict[str, Any] | None = None) -> Flask:
    """Make the app; `settings` override environment variables."""
    from .app import build  # noqa: PLC0415  # the command line starts without Flask

    return build(settings or {})
